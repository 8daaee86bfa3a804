import { withCommas } from '../html/format.ts'
import { type Html, html } from '../html/html.ts'

/** What is selected in a list, beyond the boxes that are ticked. */
interface Picking {
  /** All that match the filter are selected, on every page. */
  readonly isEverything: boolean
  /** How many match; null if no one has counted them. */
  readonly total: number | null
  /** Leads to the same list with all that match selected, or with those of the page again; absent if these are all. */
  readonly other?: { readonly path: string; readonly rowCount: number } | undefined
}

interface Bar extends Picking {
  /** The buttons. */
  readonly actions: Html
}

/**
 * The bar for the selected rows. It comes after the rows, so that a counter of CSS can count them, and stands above them. Each
 * row that is ticked has a link to it, which is the next stop of Tab.
 */
export const pickedBar = ({
  isEverything,
  total,
  other,
  actions,
}: Bar): Html => html`<div class="picked" id="picked" tabindex="-1" role="group" aria-label="Selected">
<p>${isEverything ? html`<span>${everything(total)}</span><input type="hidden" name="all" value="true">` : html`<strong>selected</strong>`}</p>
<div class="actions">
${actions}</div>
<button class="pick" type="reset" aria-label="Select none"></button>
${other && html`<a class="every" href="${other.path}">${isEverything ? `Only these ${other.rowCount}` : everything(total)}</a>`}
</div>
`

/**
 * “Read”, or “Unread” if all that is ticked is read: the style sheet shows one of them. Of all that match, no one knows, so both
 * are shown.
 *
 * @param sent the attributes of a button
 */
export const readButtons = (isEverything: boolean, sent: (name: 'read' | 'unread') => Html): Html => {
  const button = (name: 'read' | 'unread', label: string): Html =>
    html`<button${sent(name)}${!isEverything && html` class="as-${name}"`} data-key="u">${label}</button>
`
  return html`${button('read', 'Read')}${button('unread', 'Unread')}`
}

const everything = (total: number | null): string =>
  total === null ? 'All that match' : `All ${withCommas(total)} that match`
