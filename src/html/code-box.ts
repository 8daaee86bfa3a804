import { copyButton } from './copyable.ts'
import { type Html, html } from './html.ts'

/** Several lines with a button that copies them. Without scripts, they can be selected. @param name says what they are */
export const codeBox = (id: string, text: string, name: string): Html =>
  html`<div class="code-box">${copyButton(id, 'Copy')}<pre id="${id}" tabindex="0" role="region" aria-label="${name}"><code>${text}</code></pre></div>`
