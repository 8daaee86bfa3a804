import { creationTime } from '../base/id.ts'
import { atMost } from '../base/short-text.ts'
import { visible } from '../base/visible.ts'
import { formPath } from '../config/addresses.ts'
import type { Form } from '../forms/form.ts'
import { parseSettings } from '../forms/settings/settings.ts'
import { dayInWords, time } from '../html/format.ts'
import { type Html, html } from '../html/html.ts'
import { roleOfField } from '../submissions/field-roles.ts'
import { titleOfSummary } from '../submissions/lines.ts'
import { asRead } from '../submissions/sent-as-read.ts'
import { type SubmittedField, textIn } from '../submissions/sent-fields.ts'
import { bodyOf, type Summary, summaryOf } from '../submissions/summary.ts'
import { mailTo } from './reply-link.ts'
import type { SubmissionFiles } from './sent-files.ts'
import { bareNames, fieldView, longText, sentFiles, submittedField, type WholePath } from './submission-fields.ts'

interface Letter {
  readonly form: Form
  readonly id: string
  readonly fields: readonly SubmittedField[]
  readonly files: SubmissionFiles
  readonly toWhole: WholePath
  /** After what it is about, such as who has done it. */
  readonly state: Html | false
}

/** A submission as a letter: who sent it, its text, its files, and whatever else was sent. */
export const letter = ({ form, id, fields, files, toWhole, state }: Letter): Html => {
  const summary = summaryOf(fields, form.settings)
  const body = bodyOf(fields, form.settings, summary)
  const labelled = asRead(fields, form.settings)
  const types = new Map(parseSettings(form.settings).fields.map((field) => [field.name, field]))
  const view = fieldView(files, toWhole)
  const text = body === undefined ? false : bodyText(labelled[body] as SubmittedField, longText(fields, body, view))
  const filed = sentFiles(labelled, view)
  const said = saidAbove(fields, form.settings, summary, body)
  const facts = fields.flatMap((field, position) => {
    if (said.has(position)) return []
    const shown = labelled[position] as SubmittedField
    return submittedField(shown, position, types.get(field.name), view) || []
  })
  return html`<article class="card" aria-label="What was sent">
<header>
<h1><bdi>${titleOfSummary(summary)}</bdi></h1>
<p class="where"><a href="${formPath(form.id)}"><bdi>${visible(form.title)}</bdi></a>, ${time(creationTime(id))}</p>
${fromLine(fields, summary, state)}
</header>
${text}
${filed}
${
  fields.length === 0
    ? html`<p class="muted">No fields were sent.</p>`
    : facts.length > 0 &&
      html`<dl class="facts">
${facts}</dl>`
}
${bareNames(form, fields)}
</article>`
}

/** The address, as a link, and what it is about; nothing if neither says more than the title. */
const fromLine = (fields: readonly SubmittedField[], summary: Summary, state: Html | false): Html | false => {
  const { address: at } = summary.from
  const sent = at === undefined ? '' : (textIn((fields[at] as SubmittedField).json) ?? '').trim()
  const address = sent === summary.sender ? '' : sent
  const about = summary.sender === '' ? '' : summary.about
  if (address === '' && about === '' && !state) return false
  return html`<p class="from">${address !== '' && html`<a href="${mailTo(address)}">${visible(address)}</a>`}${address !== '' && about !== '' && ' · '}${about !== '' && html`<bdi>${dayInWords(about)}</bdi>`}${state && html` ${state}`}</p>`
}

/** The text, and above it what it answers, if its name does not say that it is the text. */
const bodyText = ({ name }: SubmittedField, text: Html): Html =>
  html`${
    roleOfField(null)(name) !== 'lines' &&
    html`<p class="muted small asked"><bdi>${visible(atMost(name, 300))}</bdi></p>
`
  }<p class="text" dir="auto">${text}</p>`

/** The positions of what the top of the page shows, but for those whose name says more than that. */
const saidAbove = (
  fields: readonly SubmittedField[],
  settings: string | null,
  { from, sender }: Summary,
  body: number | undefined,
): ReadonlySet<number> => {
  const roleOf = roleOfField(settings)
  const isPlain = (position: number | undefined): position is number =>
    position !== undefined && obvious.has(roleOf((fields[position] as SubmittedField).name))
  const about = sender === '' ? undefined : from.about
  const said = [...from.sender, from.address, about].filter(isPlain)
  return new Set(body === undefined ? said : [...said, body])
}

const obvious: ReadonlySet<string> = new Set(['name', 'givenName', 'familyName', 'organization', 'email', 'subject'])
