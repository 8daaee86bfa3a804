import { type Html, html } from '../html/html.ts'

interface Shown {
  /** `submissions` */
  readonly what: string
  /** How many rows the list has. */
  readonly rowCount: number
  readonly isAllSelected: boolean
  /** The list with all rows selected, and with none: for browsers without scripts. */
  readonly selectAllPath: string
  readonly clearPath: string
  readonly buttons: Html
}

/** What can be done with the rows of a list that are selected. It is shown once there are any. */
export const selectionBar = (shown: Shown): Html => {
  const { what, rowCount, isAllSelected, selectAllPath, clearPath, buttons } = shown
  return html`<div class="selection" id="after-list" role="group" aria-label="Selected ${what}">
<p><strong>selected</strong></p>
${
  isAllSelected
    ? html`<a class="button quiet" href="${clearPath}">Clear</a>`
    : html`<a class="button quiet" data-select-all href="${selectAllPath}">Select all ${rowCount}</a>
<button class="quiet" type="reset">Clear</button>`
}
${buttons}
</div>`
}
