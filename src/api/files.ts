import type { Stores } from '../stores/stores.ts'
import { readOperation } from './operation.ts'
import { commonErrors } from './response-schemas.ts'

const operation = (
  { access, files, fileReads }: Stores,
  list: 'inbox' | 'spam',
  operationId: string,
  summary: string,
  where: string,
) =>
  readOperation({
    method: 'GET',
    path: `/forms/:formId/${list === 'inbox' ? 'submissions' : 'spam'}/:submissionId/files/:fileId`,
    role: 'reader',
    operationId,
    tags: ['Files'],
    summary,
    description:
      `The bytes of a file that a visitor sent with ${where}, under the identifier that \`data\` has as \`file\`. Browsers ` +
      'save them and never show them, because a visitor chose them. PNG, JPEG, GIF and WebP have their own media type if ' +
      'the bytes are what the name and the visitor’s browser say; everything else is `application/octet-stream`. A file ' +
      'never changes, and `ETag` names it: `If-None-Match` gets 304, and `Range` with one range gets 206, so that a ' +
      'download goes on where it was cut. A header with several ranges gets the whole file.',
    answer: 'file',
    errors: [...commonErrors, 416],
    handle: ({ caller, params }) => ({
      file: files.findFile(
        access.findFormTo('read', caller.userId, params.formId),
        list,
        params.submissionId,
        params.fileId,
      ),
      bytesOf: fileReads.bytesOf,
    }),
  })

export const fileOperations = (stores: Stores) => [
  operation(stores, 'inbox', 'getFile', 'Download a file of a submission', 'a submission'),
  operation(stores, 'spam', 'getSpamFile', 'Download a file of spam', 'a submission in quarantine'),
]
