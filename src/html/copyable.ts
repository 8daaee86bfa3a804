import { type Html, html } from './html.ts'

/** A text with a button that copies it. Without scripts, the text can be selected. */
export const copyable = (id: string, text: string, label: string): Html => html`<div class="copyable">
<code id="${id}" tabindex="0">${text}</code>
${copyButton(id, label)}
</div>`

/** Copies the text of the element with this identifier. */
export const copyButton = (
  id: string,
  label: string,
  look?: 'primary',
): Html => html`<button type="button"${look && html` class="${look}"`} data-copy="${id}" hidden>${label}</button>
<span class="visually-hidden" role="status"></span>`

/** Several lines with a button that copies them. Without scripts, they can be selected. @param name says what they are */
export const codeBox = (id: string, text: string, name: string): Html =>
  html`<div class="code-box">${copyButton(id, 'Copy')}<pre id="${id}" tabindex="0" role="region" aria-label="${name}"><code>${text}</code></pre></div>`
