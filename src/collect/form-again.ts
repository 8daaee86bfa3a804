import { AppError } from '../base/errors.ts'
import { shownLine } from '../base/short-text.ts'
import { challengeScriptPath, submitPath } from '../config/addresses.ts'
import type { Config } from '../config/config.ts'
import { challengeField, idempotencyField } from '../forms/control-fields.ts'
import { type DrawnForm, drawFields, fieldId, hiddenInputs, sendButton } from '../forms/fields/draw-fields.ts'
import { type FieldProblem, toIssue } from '../forms/fields/field-problem.ts'
import { problemInWords } from '../forms/fields/field-words.ts'
import { fishingIn } from '../forms/fields/fishing-words.ts'
import { type FormField, isSeen, labelOf, sendsFiles } from '../forms/fields/form-field.ts'
import type { Form } from '../forms/form.ts'
import { visitedName } from '../forms/form-address.ts'
import { fishingInForm } from '../forms/settings/page-secrets.ts'
import { parseSettings, titleForVisitors } from '../forms/settings/settings.ts'
import { type Html, html } from '../html/html.ts'
import { sentence } from '../html/sentence.ts'
import type { Exchange } from '../http/exchange.ts'
import { ownAddress } from '../http/host.ts'
import { about, textsFor, visitorMessage, visitorPage } from '../http/visitor-page.ts'
import { foreign } from '../languages/foreign.ts'
import type { Texts } from '../languages/texts.ts'
import type { RefusedFields } from '../submissions/check-fields.ts'
import type { Field } from '../submissions/fields.ts'
import type { PlacesLeft } from '../submissions/limits/limit-reads.ts'
import { textIn } from '../submissions/sent-fields.ts'
import type { SubmissionStore } from '../submissions/store.ts'
import type { LongPages } from './long-pages.ts'

type Shown = Pick<Form, 'id' | 'title' | 'settings' | 'userId'>

interface Options {
  readonly config: Pick<Config, 'publicUrl' | 'abuseContact' | 'formPages'>
  readonly isDisabled: (userId: string) => boolean
  readonly longPages: LongPages
  readonly placesLeft: SubmissionStore['placesLeft']
}

/** Bytes of all names and values that are shown again. Of more, only what is wrong is told. */
const maxTypedBytes = 64 * 1024
const maxPageBytes = 400_000

/** The error with its problems in the visitor's language, for a script. */
export const withTexts = async (exchange: Exchange, { problems, message }: RefusedFields): Promise<AppError> => {
  const texts = await textsFor(exchange)
  const issues = problems.map((problem) => ({ ...toIssue(problem), text: plainText(problemInWords(texts, problem)) }))
  return new AppError('invalid', message, { issues })
}

/** Without the characters that separate what is ours from what is not. */
const plainText = (text: string): string => text.replaceAll(/[\u2068\u2069]/g, '')

/**
 * A function that answers a browser whose submission breaks rules of its form: with the form again, as the visitor has filled
 * it in, and what is wrong. It sends to the same address as before.
 */
export const openFormAgain = ({
  config: { publicUrl, abuseContact, formPages },
  isDisabled,
  longPages: { send, hasRoom },
  placesLeft,
}: Options) => {
  // To make a page that cannot be sent would take time and memory.
  const bytesOfForm = new WeakMap<readonly FormField[], number>()

  return async (exchange: Exchange, form: Shown, error: RefusedFields): Promise<Response | string> => {
    const texts = await textsFor(exchange)
    const typed = typedIn([...error.sent.fields, ...error.sent.controlFields])
    if (typed.bytes > maxTypedBytes) return problemsOnly(exchange, texts, error.problems)
    const { fields } = parseSettings(form.settings)
    const expected = (bytesOfForm.get(fields) ?? 0) + typed.bytes
    // Any site can lead its visitors to it, also where the form has no page.
    const isTakenDown = !formPages || (form.userId !== null && isDisabled(form.userId))
    if (isTakenDown || fishingInForm(form.settings) || asksBesides(error, fields) || !hasRoom(expected))
      return problemsOnly(exchange, texts, error.problems)
    const below = about({ texts, address: ownAddress(exchange.request, publicUrl), abuseContact })
    const bytes = Buffer.from(formPage(exchange, texts, { form, error, below, left: placesLeft(form.id) }))
    // Escaped, what was typed may be longer.
    bytesOfForm.set(fields, Math.min(bytesOfForm.get(fields) ?? maxPageBytes, bytes.length - typed.bytes))
    const sent = bytes.length <= maxPageBytes && send(exchange, [bytes])
    return sent || problemsOnly(exchange, texts, error.problems)
  }
}

/** The page where the form is not shown again: the browser still has what was typed. */
const problemsOnly = (exchange: Exchange, texts: Texts, problems: readonly FieldProblem[]): string =>
  visitorMessage(exchange, texts, {
    title: texts.titles.notSent,
    sentences: [...problems.map((problem) => inWords(texts, problem)), texts.next.change],
  })

const inWords = (texts: Texts, problem: FieldProblem): string =>
  problem.field === undefined
    ? problemInWords(texts, problem)
    : texts.labelled(foreign(labelOf(problem.field).replace(/\s*[:：]\s*$/, '')), problemInWords(texts, problem))

interface Typed {
  readonly values: Map<string, string[]>
  /** Names of the files that were sent. */
  readonly files: Map<string, string[]>
  readonly bytes: number
}

const typedIn = (sent: readonly Field[]): Typed => {
  const typed = { values: new Map<string, string[]>(), files: new Map<string, string[]>(), bytes: 0 }
  for (const { name, json, sameAs } of sent) {
    const list = sameAs === undefined ? typed.values : typed.files
    const text = sameAs === undefined ? (textIn(json) ?? json) : String(JSON.parse(sameAs).filename)
    list.set(name, [...(list.get(name) ?? []), text])
    typed.bytes += Buffer.byteLength(name) + Buffer.byteLength(text)
  }
  return typed
}

/**
 * Whether a name that the sender made up asks for a secret, as far as it is shown: anyone can send their own visitors with such
 * names. Of 60 kB, nothing else is read: accents in a row would take the square of their number.
 */
const asksBesides = ({ problems, sent }: RefusedFields, fields: readonly FormField[]): boolean => {
  const names = new Set(fields.map(({ name }) => name))
  const files = sent.fields.filter(({ name, sameAs }) => sameAs !== undefined && !names.has(name))
  const others = new Set([...files, ...problems.filter(({ field }) => !field)].map(({ name }) => name))
  return [...others].some((name) => fishingIn(shownLine(name, 100)) !== undefined)
}

interface Again {
  readonly form: Shown
  readonly error: RefusedFields
  /** What is below the form. */
  readonly below: Html
  readonly left: PlacesLeft | undefined
}

const formPage = (
  exchange: Exchange,
  texts: Texts,
  { form, error: { problems, sent }, below, left }: Again,
): string => {
  const settings = parseSettings(form.settings)
  const title = titleForVisitors(form)
  const { values, files } = typedIn(sent.fields)
  const names = new Set(settings.fields.map(({ name }) => name))
  // A file that no field asks for can be chosen again as well. Its name is the sender's, and says nothing to the reader.
  const besides = settings.otherFields === 'refuse' ? [] : [...files.keys()].filter((name) => !names.has(name))
  const fields: readonly FormField[] = [
    ...settings.fields,
    ...besides.map((name): FormField => ({ name, type: 'file', label: texts.fields.chooseFile })),
  ]
  const refused = problems
    .filter(({ field }) => field === undefined)
    .map(({ name }): FormField => ({ name, type: 'lines' }))
  const refusedNames = new Set(refused.map(({ name }) => name))
  const shown = fields.filter(({ name }) => !refusedNames.has(name))
  const others = [...values].filter(([name]) => !names.has(name))
  const drawn: DrawnForm = {
    texts,
    values,
    lostFiles: files,
    left,
    errors: Map.groupBy(problems, ({ name }) => name),
  }
  return visitorPage(exchange, texts, {
    title: texts.fields.error(foreign(title)),
    hasForm: true,
    body: html`<div class="card">
<h1><bdi lang="">${title}</bdi></h1>
${problemList(texts, problems, [...shown, ...refused])}
<form class="visitor" method="post" action="${submitPath(visitedName(form))}" accept-charset="utf-8"${shown.some(({ type }) => sendsFiles(type)) && html` enctype="multipart/form-data"`}>
${others.flatMap(([name, all]) => (refusedNames.has(name) ? [] : hiddenInputs(name, all)))}${controlInputs(sent.controlFields)}${drawFields(shown, drawn)}${refused.map(({ name }, position) => refusedText(drawn, name, fieldId(shown.length + position)))}${sendButton(texts, settings.page?.button)}
</form>
${settings.challenge && html`<script src="${challengeScriptPath()}" defer></script>`}</div>
${below}`,
  })
}

/** The focus is on it, so a screen reader reads it first, and the next Tab leads to its links. */
const problemList = (texts: Texts, problems: readonly FieldProblem[], fields: readonly FormField[]): Html => {
  const items = problems.map((problem) => {
    const position = fields.findIndex(({ name, type }) => name === problem.name && isSeen(type))
    const text = sentence(inWords(texts, problem))
    return position === -1 ? html`<li>${text}</li>\n` : html`<li><a href="#${fieldId(position)}">${text}</a></li>\n`
  })
  return html`<div class="notice failed problems" role="alert" tabindex="-1" autofocus>
<h2>${texts.titles.notSent}</h2>
<p>${texts.fields.correct}</p>
<ul>
${items}</ul>
</div>`
}

/** The control fields that were sent, and a name for this try if it has none, so that a double click is stored once. */
const controlInputs = (sent: readonly Field[]): Html[] => {
  const { values } = typedIn(sent)
  if (!values.get(idempotencyField)?.some((key) => key !== '')) values.set(idempotencyField, [crypto.randomUUID()])
  return [...values].map(([name, all]) => {
    const inputs = hiddenInputs(name, all)
    // The script of the page computes another one.
    return name === challengeField ? html`<noscript>${inputs}</noscript>\n` : html`${inputs}`
  })
}

/** A text for which the form has no field. It can be copied. Its name is in the sentence alone, which shortens it. */
const refusedText = ({ texts, values, lostFiles }: DrawnForm, name: string, id: string): Html => {
  const typed = [...(values?.get(name) ?? []), ...(lostFiles?.get(name) ?? [])].join('\n')
  return html`<div class="field">
<p class="error" id="${id}-error">${sentence(texts.fields.unknown(foreign(shownLine(name, 100))))}</p>
<textarea id="${id}" readonly aria-labelledby="${id}-error" dir="auto">\n${typed}</textarea>
</div>
`
}
