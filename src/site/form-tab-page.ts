import { atMost } from '../base/short-text.ts'
import { visible } from '../base/visible.ts'
import { formTabPath, qrPath, visitorSettingsPath } from '../config/addresses.ts'
import type { FormTo } from '../forms/access.ts'
import { maxFormFields, parseTypedFields } from '../forms/fields/fields-kind.ts'
import { guessFields } from '../forms/fields/guess-fields.ts'
import { kinds, templates } from '../forms/fields/presets.ts'
import { countChanges, type Draft, type Focus } from '../forms/form-draft.ts'
import { closedError, whyClosed } from '../forms/settings/opening.ts'
import { type TypedPage, wrongTextOf } from '../forms/settings/page.ts'
import { fishingInForm } from '../forms/settings/page-secrets.ts'
import { counted } from '../html/format.ts'
import { livePageHeaders, notice, pageHeaders } from '../html/frame.ts'
import { type Html, html } from '../html/html.ts'
import { hiddenInput, type InputErrors, labelledInput } from '../html/labelled-input.ts'
import { sentence } from '../html/sentence.ts'
import { whatHappened } from '../http/visitor-error.ts'
import type { Texts } from '../languages/texts.ts'
import { inputs } from './draft-inputs.ts'
import { fieldRow, typeOptions } from './field-row.ts'
import type { FormPage } from './form-frame.ts'
import { formFrame } from './form-frame.ts'
import { formPreview } from './form-preview.ts'
import { describedInFile } from './form-settings.ts'

export interface ShownTab extends FormPage<FormTo<'configure'>> {
  readonly status?: number
  /** Whether the operator lets forms have pages. */
  readonly formPages: boolean
  /** The names under which something came in. */
  readonly received: readonly string[]
  /** The address of the page, whether or not there is one. */
  readonly address: string
  /** In the language of the form. */
  readonly texts: Texts
  readonly stored: Draft
  readonly draft: Draft
  /** What tells later whether the form was changed elsewhere. */
  readonly marks: string
  readonly focus?: Focus
  /** The kind of field that was just added, in the menu that stays open. */
  readonly added?: string
  readonly errors?: InputErrors
  readonly isSaved?: boolean
}

export const formTabPage = (shown: ShownTab): Response => {
  const { form, draft, errors = {}, isSaved, marks } = shown
  const changes = countChanges(shown.stored, draft)
  const isEmpty = draft.rows.length === 0
  return formFrame({
    ...shown,
    tab: 'Form',
    headers: livePageHeaders,
    body: html`${isSaved === true && notice('done', 'Saved.')}${form.name !== null && describedInFile(form.name)}${Object.keys(errors).length > 0 && notSaved(shown)}
<form id="fields" method="post" action="${formTabPath(form.id)}" novalidate autocomplete="off" data-draws data-edits="${changes > 0 ? 'unsaved' : 'none'}">
<button hidden name="save" value="on"></button>
<input type="hidden" name="shown" value="${marks}">
${isEmpty ? hiddenPage(shown) : share(shown)}<div class="builder">
${isEmpty ? beginning(shown) : fieldList(shown)}
${beside(shown)}
</div>
${(!isEmpty || changes > 0) && saving(form.id, changes)}</form>`,
  })
}

/** Only what changes while someone types, which a script puts in its place. */
export const typedParts = (shown: ShownTab): Response =>
  new Response(html`${beside(shown)}${saving(shown.form.id, countChanges(shown.stored, shown.draft))}`.markup, {
    headers: pageHeaders,
  })

const notSaved = ({ errors = {}, draft }: ShownTab): Html => {
  const others = [errors.fields, errors.otherFields, wrongText(draft, errors) ? undefined : errors.page]
  return html`<p class="notice failed" role="alert"><span>Not saved. ${others.filter((one) => one !== undefined).join(' ') || 'Look at what is marked.'}</span></p>`
}

/** The text of the page that is wrong, if it is one of them. */
const wrongText = ({ page }: Draft, { page: error }: InputErrors): string | undefined =>
  error === undefined ? undefined : wrongTextOf(page)

const saving = (formId: string, changes: number): Html =>
  html`<div class="save${changes > 0 && ' is-unsaved'}"><button class="primary" name="save" value="on">Save</button>${
    changes > 0 &&
    html`<p>${counted(changes, 'change')}</p><a class="button quiet" href="${formTabPath(formId)}">Discard</a>`
  }</div>
`

const mayHavePage = ({ formPages, draft, stored }: ShownTab): boolean => formPages || draft.page.on || stored.page.on

/** Whether the form has a page, and where. */
const share = (shown: ShownTab): Html => {
  const { address, draft, stored, form } = shown
  if (!mayHavePage(shown)) return notAllowed
  const asked = stored.page.on && fishingInForm(form.settings)
  return html`${
    asked &&
    html`<p class="notice failed">No one sees the page, because it asks for “<bdi>${asked.words}</bdi>”: a page of Formbox asks for no passwords, PINs, codes or numbers of cards, or seed phrases.</p>
`
  }<div class="share">
<label class="choice"><input type="checkbox" name="${inputs.page('on')}"${draft.page.on && html` checked`}><span>Show it at</span></label>
<code id="page-address">${stored.page.on ? html`<a href="${address}" target="_blank" rel="noopener">${shortAddress(address)}</a>` : shortAddress(address)}</code>
<div class="actions"><button type="button" data-copy="page-address" hidden>Copy<span class="visually-hidden"> the address of the page</span></button><span class="visually-hidden" role="status"></span>
<details class="menu" name="menus"><summary>QR code</summary><div class="panel"><img class="qr" src="${qrPath(form.id)}" alt="QR code of the address of the page" loading="lazy"><p><a href="${qrPath(form.id)}" download>Download (SVG)</a></p>
<p class="hint">Print the page of the form, and it has this code too.</p></div></details></div>
</div>
`
}

const notAllowed = html`<p class="hint">The person who runs this server does not allow pages of forms (<code>FORMBOX_FORM_PAGES</code>).</p>
`

/** What the page of the form has, where no input for it is on this page. */
const hiddenPage = (shown: ShownTab): Html => {
  const { page, refusesOthers } = shown.draft
  const typed = Object.entries(page).flatMap(([one, value]) =>
    value === false ? [] : hiddenInput(inputs.page(one as keyof TypedPage), value === true ? 'on' : value),
  )
  return html`${mayHavePage(shown) && typed}${refusesOthers && hiddenInput(inputs.refusesOthers, 'on')}`
}

/** A form without fields: what to begin with. */
const beginning = ({ received }: ShownTab): Html => html`<section aria-labelledby="asks">
<h2 id="asks">What does the form ask?</h2>
<p class="lead">With a list of fields, Formbox checks what is sent, shows the form on a page of its own and writes the HTML for yours.</p>
${cameIn(guessFields(received).map(({ name }) => name))}<h3 id="templates">${received.length > 0 ? 'Or from a template' : 'From a template'}</h3>
<div class="tiles" role="group" aria-labelledby="templates">
${Object.entries(templates).map(
  ([key, { words, about }]) =>
    html`<button class="tile" name="${inputs.action}" value="start ${key}"><strong>${words}</strong><span>${about}</span></button>
`,
)}</div>
<h3>Or field by field</h3>
${addMenu()}<p class="hint">Without a list, every field that your page sends is stored, and nothing is checked.</p>
</section>`

/** Names of the fields that the form has had, to begin with. */
const maxShownNames = 3
const maxNameCharacters = 60

const cameIn = (names: readonly string[]): Html | false => {
  if (names.length === 0) return false
  const rest = names.length - maxShownNames
  const these = names.length === 1 ? 'Start from this one' : `Start from these ${inWords[names.length] ?? names.length}`
  return html`<div class="notice"><p><strong>This form has received</strong> ${names
    .slice(0, maxShownNames)
    .map(
      (name, position) => html`${position > 0 && ', '}<bdi>${visible(atMost(name, maxNameCharacters))}</bdi>`,
    )}${rest > 0 && ` and ${rest} more`}.</p><button class="primary" name="${inputs.action}" value="start came">${these}</button></div>
`
}

const inWords = ['', '', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten']

/** @param added what was just added: the menu is still open, for the next one */
const addMenu = (added?: string): Html => {
  const button = ({ kind, words }: { readonly kind: string; readonly words: string }): Html =>
    html`<button name="${inputs.action}" value="add ${kind}"${kind === added && html` autofocus`}>${words}</button>
`
  return html`<details class="menu start" name="menus"${added !== undefined && html` open`}><summary>Add a field</summary>
<div class="panel">
<p class="group-name" id="usual">Usual ones</p>
<div class="kinds" role="group" aria-labelledby="usual">
${kinds.usual.map(button)}</div>
<p class="group-name" id="by-type">By type</p>
<div class="kinds" role="group" aria-labelledby="by-type">
${kinds.byType.map(button)}</div>
</div>
</details>
`
}

/** The fields, a line each, between the heading of the page and its button. */
const fieldList = (shown: ShownTab): Html => {
  const { draft, errors = {}, focus, received, form } = shown
  const hasPage = mayHavePage(shown)
  const parsed = errors.fields === undefined ? [] : parseTypedFields(draft.rows)
  const names = new Set(received)
  return html`<section aria-labelledby="asks">
<h2 id="asks" class="visually-hidden">Fields</h2>
<template id="types">${typeOptions()}</template>
<ol class="asked">
${hasPage && headingRow(shown)}${draft.rows.map((row, position) =>
  fieldRow(row, {
    position,
    count: draft.rows.length,
    errors: sentencesOf(parsed[position]?.errors),
    focus: focus?.position === position ? focus.on : undefined,
    received: names,
  }),
)}${hasPage && buttonRow(shown)}</ol>
${draft.rows.length < maxFormFields ? addMenu(shown.added) : html`<p class="hint">A form has at most ${maxFormFields} fields.</p>`}
<details class="fold apart"${errors.page !== undefined && draft.page.frame && html` open`}><summary>Rules of the whole form</summary>
<div class="within">
${tick(inputs.refusesOthers, 'Refuse other fields', 'If off, a field that is not in this list is stored like the others.', draft.refusesOthers)}${
  hasPage &&
  tick(
    inputs.page('frame'),
    'Other pages may show it in a frame',
    html`Those that may send, under <a href="${visitorSettingsPath(form.id)}#sites">Visitors</a>.`,
    draft.page.frame,
  )
}</div></details>
</section>`
}

const sentencesOf = (errors: InputErrors = {}): InputErrors =>
  Object.fromEntries(
    Object.entries(errors).map(([one, message = '']) => [
      one,
      `${message.charAt(0).toUpperCase()}${message.slice(1)}.`,
    ]),
  )

const tick = (name: string, label: string, hint: string | Html, isOn: boolean): Html =>
  html`<label class="choice"><input type="checkbox" name="${name}" aria-describedby="${name}-hint"${isOn && html` checked`}><span>${label} <span class="hint" id="${name}-hint">${hint}</span></span></label>
`

const headingRow = ({ draft, form, errors = {} }: ShownTab): Html => {
  const { title, text } = draft.page
  const wrong = wrongText(draft, errors)
  const isWrong = wrong === 'title' || wrong === 'text'
  return html`<li class="edge">
<strong>Heading and text</strong>
<span class="muted cut">${[title || form.title, text].filter(Boolean).map((one, i) => html`${i > 0 && ' · '}<bdi>${visible(atMost(one, 100))}</bdi>`)}</span>
<details class="rest"${isWrong && html` open`}><summary aria-label="More about heading and text"><span aria-hidden="true">⋯</span></summary>
<div class="within">
${labelledInput({ name: inputs.page('title'), label: 'Heading', type: 'text', value: title, error: wrong === 'title' ? errors.page : undefined, hint: 'Leave empty for the title of the form.', isOptional: true })}
${labelledInput({ name: inputs.page('text'), label: 'Text above the form', type: 'lines', value: text, error: wrong === 'text' ? errors.page : undefined, hint: 'An empty line begins a paragraph, and an https://… becomes a link.', isOptional: true })}
</div></details>
</li>
`
}

const buttonRow = ({ draft, errors = {}, texts }: ShownTab): Html => {
  const name = inputs.page('button')
  const error = wrongText(draft, errors) === 'button' ? errors.page : undefined
  return html`<li class="edge">
<strong>Button</strong>
<input class="label" name="${name}" value="${draft.page.button}" placeholder="${texts.fields.send}" aria-label="Word on the button" autocomplete="off" dir="auto"${error && html` autofocus aria-invalid="true" aria-describedby="${name}-error"`}>
${error && html`<p class="error" id="${name}-error">${error}</p>`}</li>
`
}

/** The form as its visitors see it. */
const beside = (shown: ShownTab): Html => {
  const { draft, stored, form, address, texts } = shown
  const isEmpty = draft.rows.length === 0
  return html`<section class="beside" aria-labelledby="seen">
<div class="between"><h2 id="seen">As visitors see it</h2>${
    !isEmpty &&
    html`<div class="actions"><button class="quiet" name="${inputs.action}" value="show">Show changes</button>${stored.page.on && html`<a class="button quiet" href="${address}" target="_blank" rel="noopener">Open</a>`}</div>`
  }</div>
${
  isEmpty
    ? html`<div class="card empty"><p>The page of the form appears here with its first field.</p></div>`
    : html`${closedNotice(shown)}<div class="card seen" inert>
${formPreview(draft, form.title, texts)}</div>`
}
</section>`
}

/** What visitors of a closed form read in its place. */
const closedNotice = ({ form, now, texts }: ShownTab): Html | false => {
  const closed = whyClosed(form, now)
  if (!closed) return false
  const { title, sentences } = whatHappened(texts, closedError(form, closed))
  return html`<p class="notice"><span>Visitors read: <strong>${title}</strong> ${sentences.map((one) => html`${typeof one === 'string' ? sentence(one) : one} `)}</span></p>
`
}

/** Without the scheme, which no one types. */
const shortAddress = (address: string): string => address.replace(/^https?:\/\//, '')
