import { serverPath } from '../config/addresses.ts'
import { pageOfUser } from '../html/frame.ts'
import { type Html, html } from '../html/html.ts'

/** Whether an operator reads the page. */
export const isReadByOperator = (): boolean => pageOfUser.getStore()?.countToSet !== undefined

/** Says that the server sends no email, and to an operator where that is set. @param rest what that means here */
export const noMail = (rest: string): Html =>
  html`<div class="notice warn"><p><strong>This server cannot send email yet.</strong> ${rest} ${
    isReadByOperator()
      ? html`<a href="${serverPath()}">Set it up under Server</a>.`
      : 'Ask the person who runs the server to set it up.'
  }</p></div>`
