// Sends a section of the settings as a browser does: with everything that the page has in it.
import { unescaped } from '../read-page.ts'
import type { owner } from '../visitor.ts'

type Ada = Awaited<ReturnType<typeof owner>>
/** In the order of the page. Several may have one name. */
type Inputs = Iterable<[string, string]>

/** Opens the page, and returns what a browser would send of a section. */
export const openSection = async (ada: Ada, settings: string, section: string): Promise<URLSearchParams> => {
  const inputs = new URLSearchParams()
  let lines = ''
  let chosen = ''
  new HTMLRewriter()
    .on(`#${section} input, #${section} button[name]`, {
      element(input) {
        const isOff = input.getAttribute('type') === 'checkbox' && !input.hasAttribute('checked')
        if (!isOff) inputs.append(input.getAttribute('name') ?? '', unescaped(input.getAttribute('value') ?? 'on'))
      },
    })
    .on(`#${section} select`, {
      // At the end tag, the element can no longer be asked.
      element(input) {
        const name = input.getAttribute('name') ?? ''
        chosen = ''
        input.onEndTag(() => void inputs.append(name, chosen))
      },
    })
    .on(`#${section} option[selected]`, {
      element(option) {
        chosen = unescaped(option.getAttribute('value') ?? '')
      },
    })
    .on(`#${section} textarea`, {
      element(input) {
        lines = ''
        const name = input.getAttribute('name') ?? ''
        input.onEndTag(() => {
          inputs.append(name, unescaped(lines).slice(1).replaceAll('\n', '\r\n'))
        })
      },
      text({ text }) {
        lines += text
      },
    })
    .transform((await ada.get(settings)).html)
  return inputs
}

/** @param typed instead of what the page showed; null takes the tick out of a check box, and of several of one name those left out */
export const sendSection = (
  ada: Ada,
  settings: string,
  opened: Inputs,
  typed: Readonly<Record<string, string | readonly string[] | null>> = {},
  headers: Record<string, string> = {},
) => {
  const sent = [...opened].filter(([name]) => !Object.hasOwn(typed, name))
  const others = Object.entries(typed).flatMap(([name, value]) =>
    (value === null ? [] : [value].flat()).map((one): [string, string] => [name, one]),
  )
  return ada.post(settings, [...sent, ...others], headers)
}
