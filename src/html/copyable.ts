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
