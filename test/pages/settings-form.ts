// Sends a page of settings as a browser does: with everything that is in its form.
import { unescaped } from '../read-page.ts'
import type { owner } from '../visitor.ts'

type Ada = Awaited<ReturnType<typeof owner>>
/** In the order of the page. Several may have one name. */
type Inputs = Iterable<[string, string]>

/** Opens a page of settings, and returns what a browser would send when Enter is pressed. */
export const openSettings = async (ada: Ada, address: string): Promise<URLSearchParams> => {
  const inputs = new URLSearchParams()
  let lines = ''
  let chosen = ''
  new HTMLRewriter()
    .on('form.settings input', {
      element(input) {
        const isOff = /checkbox|radio/.test(input.getAttribute('type') ?? '') && !input.hasAttribute('checked')
        if (!isOff) inputs.append(input.getAttribute('name') ?? '', unescaped(input.getAttribute('value') ?? 'on'))
      },
    })
    .on('form.settings select', {
      // At the end tag, the element can no longer be asked.
      element(input) {
        const name = input.getAttribute('name') ?? ''
        chosen = ''
        input.onEndTag(() => void inputs.append(name, chosen))
      },
    })
    .on('form.settings option[selected]', {
      element(option) {
        chosen = unescaped(option.getAttribute('value') ?? '')
      },
    })
    .on('form.settings textarea', {
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
    .transform((await ada.get(address)).html)
  return inputs
}

/** @param typed instead of what the page showed; null takes the tick out of a check box, and of several of one name those left out */
export const sendSettings = (
  ada: Ada,
  address: string,
  opened: Inputs,
  typed: Readonly<Record<string, string | readonly string[] | null>> = {},
  headers: Record<string, string> = {},
) => {
  const sent = [...opened].filter(([name]) => !Object.hasOwn(typed, name))
  const others = Object.entries(typed).flatMap(([name, value]) =>
    (value === null ? [] : [value].flat()).map((one): [string, string] => [name, one]),
  )
  return ada.post(address, [...sent, ...others], headers)
}
