// Sends a section of the settings as a browser does: with everything that the page has in it.
import type { owner } from '../visitor.ts'

type Ada = Awaited<ReturnType<typeof owner>>
type Inputs = ReadonlyMap<string, string>

/** Opens the page, and returns what a browser would send of a section. */
export const openSection = async (ada: Ada, settings: string, section: string): Promise<Inputs> => {
  const inputs = new Map<string, string>()
  let lines = ''
  new HTMLRewriter()
    .on(`#${section} input, #${section} button[name]`, {
      element(input) {
        const isOff = input.getAttribute('type') === 'checkbox' && !input.hasAttribute('checked')
        if (!isOff) inputs.set(input.getAttribute('name') ?? '', unescaped(input.getAttribute('value') ?? 'on'))
      },
    })
    .on(`#${section} textarea`, {
      element(input) {
        lines = ''
        // At the end tag, the element can no longer be asked.
        const name = input.getAttribute('name') ?? ''
        input.onEndTag(() => {
          inputs.set(name, unescaped(lines).slice(1).replaceAll('\n', '\r\n'))
        })
      },
      text({ text }) {
        lines += text
      },
    })
    .transform((await ada.get(settings)).html)
  return inputs
}

/** @param typed instead of what the page showed; null takes the tick out of a check box */
export const sendSection = (ada: Ada, settings: string, opened: Inputs, typed: Record<string, string | null> = {}) => {
  const sent = new Map<string, string | null>([...opened, ...Object.entries(typed)])
  return ada.post(
    settings,
    [...sent].filter((pair): pair is [string, string] => pair[1] !== null),
  )
}

const unescaped = (text: string): string =>
  text.replaceAll(
    /&(lt|gt|quot|#x27|amp);/g,
    (_, name: string) => ({ lt: '<', gt: '>', quot: '"', '#x27': "'", amp: '&' })[name] ?? '',
  )
