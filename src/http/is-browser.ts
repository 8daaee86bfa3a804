import { acceptsHtml } from './accept.ts'
import { mediaType } from './media-type.ts'

/** Whether a person will look at the answer: the client accepts `text/html` and did not send JSON. */
export const isBrowser = (request: Request): boolean =>
  acceptsHtml(request.headers.get('accept')) && mediaType(request) !== 'application/json'
