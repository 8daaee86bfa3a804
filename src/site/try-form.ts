import { creationTime } from '../base/id.ts'
import {
  deleteTestPath,
  embedPath,
  formEventsPath,
  formPath,
  submissionPath,
  visitorSettingsPath,
} from '../config/addresses.ts'
import { isEnough, type Role } from '../forms/access.ts'
import { drawFields } from '../forms/fields/draw-fields.ts'
import type { FieldProblem } from '../forms/fields/field-problem.ts'
import { sendsFiles } from '../forms/fields/form-field.ts'
import { sampleOf } from '../forms/fields/write-fields.ts'
import type { Form } from '../forms/form.ts'
import { type FormSettings, parseSettings } from '../forms/settings/settings.ts'
import { time } from '../html/format.ts'
import { notice } from '../html/frame.ts'
import { type Html, html } from '../html/html.ts'
import { labelledInput } from '../html/labelled-input.ts'
import { english } from '../languages/english.ts'
import type { Line } from '../submissions/lines.ts'
import { waitingLine } from './held.ts'

/** The newest submission of a form, in a line. */
export interface Newest extends Line {
  readonly id: string
  /** Whether it is the test that was just sent. */
  readonly isTest: boolean
}

interface Shown {
  readonly form: Form
  readonly role: Role | undefined
  readonly newest: Newest | undefined
  /** See `stateOfForm`. */
  readonly state: string
}

/** Shows by itself what comes in. Without a script, a link does. */
export const newestCard = ({ form, role, newest, state }: Shown): Html =>
  html`<section class="card" aria-labelledby="first" data-live="${formEventsPath(form.id)}" data-state="${state}" data-ask="${embedPath(form.id)}" data-whole>
<h2 id="first">${form.submissionCount > 1 ? 'The newest message' : 'The first message'}</h2>
${waitingLine(form)}${
  newest === undefined
    ? html`<div class="waits"><p>Nothing yet. It appears here as soon as it comes.</p><a class="button" href="${embedPath(form.id)}#first">Look again</a></div>`
    : arrived(form, role, newest)
}
</section>`

const arrived = ({ id: formId }: Form, role: Role | undefined, { id, isTest, who, words }: Newest): Html =>
  html`${isTest && html`<p class="notice done" id="notice" tabindex="-1" role="status"><span><strong>It works.</strong> This is your test.</span></p>`}<ul class="things"><li class="is-ok">
<div class="what"><p><strong><a href="${submissionPath(formId, id)}"><bdi>${who || words}</bdi></a></strong> <span class="muted">${time(creationTime(id))}</span></p>
${who !== '' && html`<p class="muted"><bdi>${words}</bdi></p>`}</div>
</li></ul>
${
  isTest && isEnough(role, 'edit')
    ? html`<form method="post" action="${deleteTestPath(formId)}"><input type="hidden" name="id" value="${id}"><button>Delete the test</button></form>`
    : html`<p><a href="${formPath(formId)}">All messages</a></p>`
}`

interface Tried {
  readonly unsent: URLSearchParams | undefined
  readonly problems: readonly FieldProblem[]
}

/** A form that sends a real submission. */
export const tryCard = (form: Form, fieldNames: readonly string[], { unsent, problems }: Tried): Html =>
  html`<section class="card" aria-labelledby="try">
<h2 id="try">Try it</h2>
${unsent && notice('failed', problems.length > 0 ? 'Not sent: see what is marked.' : 'Not sent yet.')}
<form class="inputs visitor" method="post" action="${embedPath(form.id)}">
${
  ownFields(form, unsent, problems) ??
  testFields(form, fieldNames).map((name, position) =>
    labelledInput({
      id: `test-${position}`,
      name,
      label: html`<bdi>${firstLabels.get(name) ?? name}</bdi>`,
      type: name === 'message' ? 'lines' : 'text',
      value: unsent?.get(name) ?? testValues.get(name) ?? 'Test',
    }),
  )
}
<button>Send a test</button>
<p class="hint">${whatFollows(parseSettings(form.settings))}</p>
</form>
</section>`

export const closedCard = (
  { id }: Form,
  role: Role | undefined,
): Html => html`<section class="card" aria-labelledby="try">
<h2 id="try">This form is closed</h2>
<p class="muted">It tells visitors so and stores nothing.${isEnough(role, 'configure') && html` To send a test, <a href="${visitorSettingsPath(id)}#opening">open it in its settings</a>.`}</p>
</section>`

const whatFollows = ({ challenge, confirm }: FormSettings): string => {
  const unproved = challenge ? 'You are signed in, so it needs no proof of work. ' : ''
  return confirm === null
    ? `A real message, told to everyone. ${unproved}A link to delete it follows.`
    : `A real message. ${unproved}It waits until you open the link in the email to its address.`
}

/** Fields of a test, which is short. */
const maxFields = 5

/** The names of fields that a test fills in: not the trap, which may have had another use before. */
const testFields = ({ settings }: Form, names: readonly string[]): readonly string[] => {
  const { honeypot } = parseSettings(settings)
  const own = names.filter((name) => name !== '' && name !== honeypot).slice(0, maxFields)
  return own.length > 0 ? own : [...firstLabels.keys()]
}

/** The inputs of the form's list as visitors get them, but for files; undefined without a list. */
const ownFields = (
  { settings }: Form,
  unsent: URLSearchParams | undefined,
  problems: readonly FieldProblem[],
): Html[] | undefined => {
  const fields = parseSettings(settings).fields.filter(({ type }) => !sendsFiles(type))
  if (fields.length === 0) return undefined
  const values = new Map(fields.map((field) => [field.name, unsent ? unsent.getAll(field.name) : sampleOf(field)]))
  return drawFields(fields, {
    texts: english,
    values,
    errors: Map.groupBy(problems, ({ name }) => name),
    prefix: 'test',
  })
}

/** The fields of the code for a form that has none yet, as it calls them. */
const firstLabels = new Map([
  ['name', 'Name'],
  ['email', 'Email'],
  ['message', 'Message'],
])

const testValues = new Map([
  ['email', 'ada@example.com'],
  ['message', 'Hello from Formbox'],
])
