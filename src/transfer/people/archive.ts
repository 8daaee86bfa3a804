import { createdAt, creationTime } from '../../base/id.ts'
import { toIsoTime } from '../../base/moment.ts'
import { type Form, formReader } from '../../forms/form.ts'
import type { Db } from '../../storage/open.ts'
import { type ConfirmRecord, confirmReads } from '../../submissions/confirm/confirm-reads.ts'
import { fileReads } from '../../submissions/files/file-reads.ts'
import { listOf } from '../../submissions/lists.ts'
import { noteReads } from '../../submissions/notes.ts'
import { storedJson } from '../../submissions/stored-submission.ts'
import { wholeReader } from '../../submissions/whole-text.ts'
import { archivePath, type ZipEntry, zipParts } from '../export/archive.ts'
import { type ArchivedSubmission, aboutEnd, aboutStart, aboutSubmission, type PersonFile } from './about-page.ts'
import type { Match } from './scan.ts'

interface Options {
  readonly value: string
  readonly matches: readonly Match[]
  /** Unix milliseconds. */
  readonly now: number
}

/**
 * Makes a ZIP archive of the submissions of a person: a page to read, JSON, and the files. Submissions that were
 * deleted since they were found are left out. One submission at a time is in memory.
 *
 * @param db must be in a transaction, so that all of it shows the same state
 */
export const personArchive = (db: Db, { value, matches, now }: Options): AsyncGenerator<Uint8Array, void> => {
  const formOfMatch = matchedForm(db)
  const readWhole = wholeReader(db)
  const { list: listFiles, bytesOf } = fileReads(db)
  const { listNotes } = noteReads(db)
  const { recordOf } = confirmReads(db)
  // A submission may also have been imported into another form.
  const firstForms = new Map(matches.toReversed().map(({ submissionId, formId }) => [submissionId, formId]))

  const filesOf = (match: Match): PersonFile[] => {
    const form = formOfMatch(match)
    const place = form && listOf(form, match.list)
    const { submissionId: id, formId } = match
    const submission = firstForms.get(id) === formId ? id : `${id}-${formId}`
    const files = place ? listFiles(place, id) : []
    return files.map((file, position) => ({ ...file, path: archivePath({ ...file, submission, position }) }))
  }

  function* submissions(): Generator<ArchivedSubmission, void> {
    for (const match of matches) {
      const form = formOfMatch(match)
      const stored = form && readWhole(listOf(form, match.list), match.submissionId)
      if (!stored) continue
      const id = match.submissionId
      // Who wrote them is no data about this person.
      const notes = listNotes(form, id).map((note) => ({ text: note.text, createdAt: createdAt(note.id) }))
      yield { ...match, settings: form.settings, stored, notes, files: filesOf(match), record: recordOf(form, id) }
    }
  }

  function* about(): Generator<string, void> {
    yield aboutStart(value, now).markup
    for (const submission of submissions()) yield aboutSubmission(submission).markup
    yield aboutEnd.markup
  }

  function* entries(): Generator<ZipEntry, void> {
    yield { name: 'about.html', parts: about(), at: now }
    yield { name: 'submissions.json', parts: jsonParts(submissions()), at: now }
    for (const match of matches)
      for (const file of filesOf(match))
        yield { name: file.path, parts: bytesOf(file), at: creationTime(match.submissionId) }
  }
  return zipParts(entries())
}

/** The form in which a submission was found; undefined if it was deleted. */
const matchedForm = (db: Db): ((match: Match) => Form | undefined) => {
  const findForm = formReader(db)
  let last: { readonly formId: string; readonly form: ReturnType<typeof findForm> } | undefined
  return ({ formId }) => {
    if (last?.formId !== formId) last = { formId, form: findForm(formId) }
    return last.form
  }
}

/** Who let it in is no data about this person. */
const confirmationJson = ({ mailedAt, confirmedAt, mail, consent }: ConfirmRecord) => ({
  mailedAt: mailedAt === null ? null : toIsoTime(mailedAt),
  confirmedAt: confirmedAt === null ? null : toIsoTime(confirmedAt),
  ...{ mail, consent },
})

function* jsonParts(submissions: Iterable<ArchivedSubmission>): Generator<string, void> {
  let separator = '[\n'
  for (const { stored, formId, formTitle, list, notes, files, record } of submissions) {
    const about = JSON.stringify({
      ...{ formTitle, list, files: files.map(({ path }) => path), notes },
      ...(record && { confirmation: confirmationJson(record) }),
    })
    yield separator + storedJson(formId, stored, `,${about.slice(1, -1)}`)
    separator = ',\n'
  }
  yield separator === '[\n' ? '[]\n' : '\n]\n'
}
