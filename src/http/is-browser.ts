import { acceptsHtml } from './accept.ts'
import { mediaType } from './media-type.ts'

/** Whether a person is looking at the answer: it accepts `text/html`, and no script sent JSON. */
export const isBrowser = (request: Request): boolean =>
  acceptsHtml(request.headers.get('accept')) && mediaType(request) !== 'application/json'
