/** A form that was sent after its session had ended. The sign-in page holds it until the user has signed in. */
export interface HeldForm {
  /** Where it was sent. */
  readonly path: string
  /** Of the account that the browser was signed in to; empty if that is not known. */
  readonly email: string
  readonly fields: URLSearchParams
}

/** With the rest of the sign-in page's form, it has to fit into what is read of somebody who is not signed in. */
const maxCharacters = 60_000

/** As the value of a hidden input; null if that would be too long. */
export const holdForm = ({ path, email, fields }: HeldForm): string | null => {
  const texts = [path, email, ...[...fields].flat()]
  // Base64 is as long in HTML, and when it is sent back.
  const value = Buffer.from(JSON.stringify(texts)).toString('base64url')
  return value.length > maxCharacters ? null : value
}

/** Null if it is not what `holdForm` returns. */
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
