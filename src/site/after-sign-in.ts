import { basePath, homePath } from '../config/addresses.ts'
import { type Html, html } from '../html/html.ts'
import { redirect, redirectWithForm } from '../html/redirect.ts'

/** A page of ours to go to after sign-in: never another host, never a path that does something. */
export const ownPath = (next: unknown): string =>
  typeof next === 'string' && next.startsWith(basePath()) && ownPages.test(next.slice(basePath().length))
    ? next
    : homePath()

const ownPages =
  /^\/(?:personal-data|shared|invite\/[\w-]{32}|(?:forms|settings)\/[a-z0-9/-]*)?(?:\?[\w=&%.~+-]{0,1000})?$/

/** Where to go after sign-in, as the inputs of the page say. */
export const destinationIn = (form: URLSearchParams): Destination => {
  const held = form.get('held')
  return { next: ownPath(form.get('next')), held: parseHeldForm(held) && held }
}

export interface Destination {
  /** The path of the page to go to. */
  readonly next: string
  /** A form to be sent again, see `holdForm`. */
  readonly held?: string | null | undefined
}

/** Inputs for the pages of sign-in, from which `destinationIn` reads. */
export const destinationInputs = ({
  next,
  held,
}: Destination): Html => html`<input type="hidden" name="next" value="${next}">
${
  held &&
  html`<input type="hidden" name="held" value="${held}">
`
}`

/** Leads to the page asked for, or sends the form that the page held to where it was sent before. */
export const goOn = ({ next, held }: Destination, cookies: readonly string[]): Response => {
  const path = parseHeldForm(held ?? null)?.path
  return path !== undefined && ownPath(path) === path ? redirectWithForm(path, ...cookies) : redirect(next, ...cookies)
}

/** A form that was sent after its session had ended. The sign-in page holds it until the user has signed in. */
export interface HeldForm {
  /** Where it was sent. */
  readonly path: string
  /** Address of the account that the browser was signed in to; empty if that is not known. */
  readonly email: string
  readonly fields: URLSearchParams
}

/** With the rest of the sign-in page, this has to fit into the longest form that is read from visitors. */
const maxHeldCharacters = 60_000

/** Returns the form as the value of a hidden input; null if that would be too long. */
export const holdForm = ({ path, email, fields }: HeldForm): string | null => {
  const texts = [path, email, ...[...fields].flat()]
  // Base64 is as long in HTML, and when it is sent back.
  const value = Buffer.from(JSON.stringify(texts)).toString('base64url')
  return value.length > maxHeldCharacters ? null : value
}

/** Reads what `holdForm` returned; null for anything else. */
export const parseHeldForm = (value: string | null): HeldForm | null => {
  const [path, email, ...rest] = parseTexts(value ?? '')
  if (path === undefined || email === undefined || rest.length % 2 === 1) return null
  const fields = new URLSearchParams()
  for (let i = 0; i < rest.length; i += 2) fields.append(rest[i] as string, rest[i + 1] as string)
  return { path, email, fields }
}

const parseTexts = (value: string): string[] => {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(value, 'base64url').toString())
    return Array.isArray(parsed) && parsed.every((text) => typeof text === 'string') ? parsed : []
  } catch {
    return []
  }
}
