import type { Session } from '../accounts/sessions/store.ts'
import { dangerPath, guidePath } from '../config/addresses.ts'
import { type FormTo, isEnough } from '../forms/access.ts'
import { type Html, html } from '../html/html.ts'
import { formFrame } from './form-frame.ts'
import type { PageOptions } from './page-options.ts'
import { settingsGroups } from './settings-groups.ts'

type Options = Pick<PageOptions, 'pages' | 'members' | 'webhooks'>

/** The pages of the settings, in their order. */
const rail = {
  ...settingsGroups,
  danger: { heading: 'Move or delete', guide: 'deleting', address: dangerPath, least: 'delete', sum: () => '' },
} as const

interface SettingsPage {
  readonly status?: number
  readonly current: keyof typeof rail
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
    const links = Object.entries(rail).filter(([, one]) => !('least' in one) || isEnough(shown.role, one.least))
    const { heading: called, guide } = rail[current]
    return formFrame({
      ...shown,
      status,
      tab: 'Settings',
      name: page.name ?? called,
      body: html`<div class="railed">
<nav class="rail on-wide" aria-label="Settings">
${links.map(
  ([name, { heading: label, address, sum }]) =>
    html`<a href="${address(form.id)}"${name === current && html` aria-current="page"`}><span>${label}</span>${small(sum(shown))}</a>
`,
)}<a href="${guidePath(guide)}"><span>Guide</span>${small(guide.replace('-', ' '))}</a>
</nav>
<details class="menu start on-phone rail-menu" name="menus"><summary>Settings: ${called}</summary>
<ul class="panel items">
${links.map(
  ([name, { heading: label, address }]) =>
    html`<li><a href="${address(form.id)}"${name === current && html` aria-current="page"`}>${label}</a></li>
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

const small = (sum: Html | string): Html | false => sum !== '' && html`<small>${sum}</small>`
