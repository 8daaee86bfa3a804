import type { Session } from '../accounts/sessions/store.ts'
import {
  dangerPath,
  guidePath,
  peopleSettingsPath,
  settingsPath,
  spamSettingsPath,
  visitorSettingsPath,
} from '../config/addresses.ts'
import { type FormTo, isEnough } from '../forms/access.ts'
import { whyClosed } from '../forms/settings/opening.ts'
import { parseSettings } from '../forms/settings/settings.ts'
import { counted, days } from '../html/format.ts'
import { type Html, html } from '../html/html.ts'
import { formFrame } from './form-frame.ts'
import type { PageOptions } from './page-options.ts'
import { levelLabel } from './spam-level.ts'

type Options = Pick<PageOptions, 'pages' | 'members' | 'webhooks'>

/** What a line of the rail sums up. */
interface Summed extends Pick<Options, 'members' | 'webhooks'> {
  readonly form: FormTo<'configure'>
  readonly now: number
}

/** The pages of the settings, in their order, and in a few words what is set there. */
const rail = [
  {
    name: 'told',
    heading: 'Get told',
    pathOf: settingsPath,
    sum: (shown: Summed): Html | string | false => placesIn(shown),
  },
  { name: 'visitors', heading: 'Visitors', pathOf: visitorSettingsPath, sum: (shown: Summed) => openingIn(shown) },
  { name: 'spam', heading: 'Spam', pathOf: spamSettingsPath, sum: (shown: Summed) => spamIn(shown) },
  { name: 'people', heading: 'People and data', pathOf: peopleSettingsPath, sum: (shown: Summed) => peopleIn(shown) },
  { name: 'danger', heading: 'Move or delete', pathOf: dangerPath, sum: (): false => false, least: 'delete' },
] as const

type SettingsPageName = (typeof rail)[number]['name']

/** The guide to each of them. */
const guides: Readonly<Record<SettingsPageName, string>> = {
  ...{ told: 'email-notifications', visitors: 'collecting', spam: 'spam', people: 'accounts', danger: 'deleting' },
}

interface SettingsPage {
  readonly status?: number
  readonly current: SettingsPageName
  /** What the page is called, if that is not the name of the group. */
  readonly name?: string
  /** In place of that name. */
  readonly heading?: Html
  readonly body: Html
}

/** Makes the frame of the pages of a form's settings: the rail with all of them, and the page beside it. */
export const settingsFrames =
  ({ pages: { formPage }, members, webhooks }: Options) =>
  (session: Session, form: FormTo<'configure'>, page: SettingsPage): Response => {
    const { status = 200, current, heading, body } = page
    const shown = { ...formPage(session, form), members, webhooks }
    const links = rail.filter((one) => !('least' in one) || isEnough(shown.role, one.least))
    const called = links.find(({ name }) => name === current)?.heading ?? ''
    const guide = guides[current]
    return formFrame({
      ...shown,
      status,
      tab: 'Settings',
      name: page.name ?? called,
      body: html`<div class="railed">
<nav class="rail on-wide" aria-label="Settings">
${links.map(
  ({ name, heading: label, pathOf, sum }) =>
    html`<a href="${pathOf(form.id)}"${name === current && html` aria-current="page"`}><span>${label}</span>${small(sum(shown))}</a>
`,
)}<a href="${guidePath(guide)}"><span>Guide</span>${small(guide.replace('-', ' '))}</a>
</nav>
<details class="menu start on-phone rail-menu" name="menus"><summary>Settings: ${called}</summary>
<ul class="panel items">
${links.map(
  ({ name, heading: label, pathOf }) =>
    html`<li><a href="${pathOf(form.id)}"${name === current && html` aria-current="page"`}>${label}</a></li>
`,
)}<li class="apart"><a href="${guidePath(guide)}">Guide: ${guide.replace('-', ' ')}</a></li>
</ul></details>
<div class="parts">
${heading ?? html`<h2>${called}</h2>`}
${body}
</div>
</div>`,
    })
  }

type SettingsFrame = ReturnType<typeof settingsFrames>

/** What a page within this frame can use. */
export interface SettingsOptions extends PageOptions {
  readonly settingsFrame: SettingsFrame
}

const small = (sum: Html | string | false): Html | false => sum !== false && html`<small>${sum}</small>`

const placesIn = ({ form, webhooks }: Summed): Html => {
  const all = webhooks.listWebhooks(form)
  const count = parseSettings(form.settings).notify.length + all.length
  const failing = all.filter(({ failingSince, disabledReason }) => failingSince !== null || disabledReason !== null)
  return html`${count === 0 ? 'Nobody yet' : counted(count, 'place')}${failing.length > 0 && html`, <span class="is-bad">${failing.length} fail${failing.length === 1 && 's'}</span>`}`
}

const openingIn = ({ form, now }: Summed): string => {
  const { allowedOrigins, acceptFiles } = parseSettings(form.settings)
  const sites = allowedOrigins.length === 0 ? 'every site' : counted(allowedOrigins.length, 'site')
  return `${whyClosed(form, now) ? 'Closed' : 'Open'} · ${sites} · ${acceptFiles ? 'files' : 'no files'}`
}

const spamIn = ({ form }: Summed): string => {
  const { blockedTerms } = parseSettings(form.settings)
  return `${levelLabel(form)}${blockedTerms.length > 0 ? ` · ${counted(blockedTerms.length, 'word')}` : ''}`
}

const peopleIn = ({ form, members }: Summed): string => {
  const { retentionDays } = parseSettings(form.settings)
  const count = 1 + members.listMembers(form).members.length
  const kept = retentionDays === null ? 'kept for ever' : `kept ${days(retentionDays)}`
  return `${count === 1 ? 'Only you' : `${count} people`} · ${kept}`
}
