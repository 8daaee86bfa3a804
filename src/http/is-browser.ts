import { mediaType } from './json-body.ts'

/** Whether a person is looking at the answer: it accepts `text/html`, and no script sent JSON. */
export const isBrowser = (request: Request): boolean =>
  (request.headers.get('accept') ?? '').toLowerCase().includes('text/html') && mediaType(request) !== 'application/json'
