import { importPath } from '../config/addresses.ts'
import type { MemberRole } from '../forms/access.ts'
import type { Deed, ListedDeed } from '../forms/trail.ts'
import { time } from '../html/format.ts'
import { type Html, html } from '../html/html.ts'
import { roleNames } from './role-words.ts'

/** Rows of the trail that the page shows. The API has all of it. */
export const shownDeeds = 50

/** The section of a form's settings that says who did what with the form. @param deeds the newest ones */
export const trailSection = (
  formId: string,
  deeds: readonly ListedDeed[],
): Html => html`<section aria-labelledby="trail">
<h3 id="trail">Activity</h3>
<p class="hint">Who shared the form, exported or deleted submissions, or changed settings. Kept for 90 days, without anything that people sent.</p>
${deeds.length === 0 ? html`<p>Nothing yet.</p>` : html`<ul class="things card">\n${deeds.map((deed) => deedItem(formId, deed))}</ul>`}
</section>
`

const deedItem = (formId: string, { at, by, what, detail, count }: ListedDeed): Html =>
  html`<li class="is-none"><p class="what">${deedWords[what]}${count > 1 && ` (${count})`}${detail !== null && (isImport(what) ? html`: <a href="${importPath(formId, detail)}">report</a>` : html`: <bdi>${detailWords(detail)}</bdi>`)}<br>
<span class="small muted">${time(at)}, <bdi>${by ?? 'a user who was deleted'}</bdi></span></p></li>
`

/** Its detail is the identifier of the import. */
const isImport = (what: Deed): boolean => what === 'imported' || what === 'unimported'

/** The role after an address as the page of the people calls it. */
const detailWords = (detail: string): string =>
  detail.replace(/(?<=@.*) (reader|editor|manager)$/, (_, role: MemberRole) => ` (${roleNames[role]})`)

const deedWords: Readonly<Record<Deed, string>> = {
  shared: 'Shared the form',
  role: 'Changed a role',
  unshared: 'Removed a person',
  joined: 'Accepted an invitation',
  owner: 'Handed the form over',
  exported: 'Exported submissions',
  imported: 'Imported submissions',
  unimported: 'Took back an import',
  erased: 'Erased submissions of one person',
  deleted: 'Deleted submissions',
  note: 'Removed a note',
  settings: 'Changed settings',
  key: 'Created an API key for the form',
}
