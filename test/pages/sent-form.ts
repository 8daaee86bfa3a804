// Reads a form of a page as a browser sends it: all that it has in it, in the order of the page.
import { unescaped } from '../read-page.ts'

/** @param id of the form */
export const readForm = (html: string, id: string): [string, string][] => {
  const sent: [string, string][] = []
  let disabled = 0
  let lines = ''
  let chosen = ''
  const nameOf = (element: HTMLRewriterTypes.Element): string | null =>
    disabled > 0 || element.hasAttribute('disabled') ? null : element.getAttribute('name')
  new HTMLRewriter()
    .on(`#${id} fieldset[disabled]`, {
      element(fieldset) {
        disabled++
        fieldset.onEndTag(() => void disabled--)
      },
    })
    .on(`#${id} input`, {
      element(input) {
        const name = nameOf(input)
        const isOff = /checkbox|radio/.test(input.getAttribute('type') ?? '') && !input.hasAttribute('checked')
        if (name && !isOff) sent.push([unescaped(name), unescaped(input.getAttribute('value') ?? 'on')])
      },
    })
    .on(`#${id} select`, {
      element(select) {
        const name = nameOf(select)
        chosen = ''
        select.onEndTag(() => void (name && sent.push([unescaped(name), chosen])))
      },
    })
    .on(`#${id} option[selected]`, {
      element(option) {
        chosen = unescaped(option.getAttribute('value') ?? '')
      },
    })
    .on(`#${id} textarea`, {
      element(textarea) {
        const name = nameOf(textarea)
        lines = ''
        textarea.onEndTag(() => {
          if (name) sent.push([unescaped(name), unescaped(lines).slice(1).replaceAll('\n', '\r\n')])
        })
      },
      text({ text }) {
        lines += text
      },
    })
    .transform(html)
  return sent
}
