import { importPath, peopleSettingsPath } from '../config/addresses.ts'
import { type FormTo, type MemberRole, memberRoles } from '../forms/access.ts'
import type { ListedDeed, ListTrail } from '../forms/trail.ts'
import { counted, time, withCommas } from '../html/format.ts'
import { type Html, html } from '../html/html.ts'
import { roleNames } from './role-words.ts'
import { labelOf } from './setting.ts'

/** Rows of the trail that the page shows at first, and if it is asked for all. The API has what is before those. */
const [shownDeeds, maxDeeds] = [5, 500]

/** The section of a form's settings that says who did what with the form. @param asked of the query: `all` for all */
export const trailSection = (listTrail: ListTrail, form: FormTo<'share'>, asked: unknown): Html => {
  const { total, deeds } = listTrail(form, { page: 1, perPage: asked === 'all' ? maxDeeds : shownDeeds })
  return html`<section aria-labelledby="trail">
<div class="between"><h3 id="trail">Activity</h3>${deeds.length === shownDeeds && total > shownDeeds && html`<a href="${peopleSettingsPath(form.id)}?activity=all#trail">All<span class="visually-hidden"> activity</span></a>`}</div>
${deeds.length === 0 ? html`<p>Nothing yet.</p>` : html`<ul class="things card">\n${deeds.map((deed) => deedItem(form.id, deed))}</ul>`}
<p class="hint">${total > maxDeeds && deeds.length === maxDeeds && `The newest ${maxDeeds} of ${withCommas(total)}. `}Kept for 90 days, without anything that people sent.</p>
</section>
`
}

const deedItem = (formId: string, deed: ListedDeed): Html =>
  html`<li class="is-none"><p class="what"><bdi>${deed.by ?? 'A user who was deleted'}</bdi> ${inWords(formId, deed)}</p><p class="muted">${time(deed.at)}</p></li>
`

/** What someone did, after the name. */
const inWords = (formId: string, { what, detail, count }: ListedDeed): Html => {
  const [who, role] = personIn(detail)
  const submissions = counted(count, 'submission')
  // The detail of an import is its identifier.
  const report = detail !== null && html` (<a href="${importPath(formId, detail)}">report</a>)`
  switch (what) {
    case 'shared':
      return html`shared the form with ${who}${role && ` as ${role}`}`
    case 'role':
      return html`changed the role of ${who}${role && ` to ${role}`}`
    case 'unshared':
      return html`removed ${who}`
    case 'joined':
      return html`accepted the invitation`
    case 'owner':
      return html`handed the form over to ${who}`
    case 'exported':
      return html`downloaded submissions${detail !== null && ` as ${detail.toUpperCase()}`}${times(count)}`
    case 'imported':
      return html`imported ${submissions}${report}`
    case 'unimported':
      return html`took back an import of ${submissions}${report}`
    case 'erased':
      return html`deleted ${submissions} of one person for good`
    case 'deleted':
      return html`deleted ${submissions}`
    case 'note':
      return html`removed ${count === 1 ? 'a note' : `${count} notes`}`
    case 'key':
      return html`created an API key for the form${detail !== null && html`, <bdi>${detail}</bdi>`}${times(count)}`
    case 'settings':
      return html`changed ${detail === null ? 'settings' : changedIn(detail)}${times(count)}`
  }
}

const times = (count: number): string => (count === 1 ? '' : `, ${count} times`)

/** Some deeds have an address, and a role after it. */
const personAndRole = new RegExp(`^(.*@.*) (${memberRoles.join('|')})$`)
const personIn = (detail: string | null): readonly [Html, string | undefined] => {
  const [, email = detail, role] = personAndRole.exec(detail ?? '') ?? []
  return [email === null ? html`someone` : html`<bdi>${email}</bdi>`, role && roleNames[role as MemberRole]]
}

/** Names of settings, as their pages call them, or what became of a receiver or a spreadsheet. */
const changedIn = (detail: string): Html[] =>
  detail.split(', ').map((name, i, { length }) => {
    const thing = Object.hasOwn(things, name) ? things[name] : undefined
    return html`${i > 0 && (i === length - 1 ? ' and ' : ', ')}${thing ?? html`“${labelOf(name) ?? name}”`}`
  })

const things: Readonly<Record<string, string>> = {
  notify: 'who is told',
  digest: 'when they are told',
  fields: 'the fields',
  page: 'the page of the form',
  'webhook created': 'who is told: a new receiver',
  'webhook changed': 'who is told: a receiver',
  'webhook deleted': 'who is told: one receiver less',
  'webhook secret renewed': 'the secret of a receiver',
  'sheet created': 'the live spreadsheets: a new one',
  'sheet deleted': 'the live spreadsheets: one less',
}
