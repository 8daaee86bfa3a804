import {
  embedPath,
  qrPath,
  settingsPath,
  submissionPath,
  submitPath,
  visitorSettingsPath,
  visitorsPath,
} from '../config/addresses.ts'
import { isLoopback } from '../config/networks.ts'
import { type FormAccess, type FormTo, isEnough, type Role } from '../forms/access.ts'
import type { ReadFieldNames } from '../forms/field-names.ts'
import { drawFields } from '../forms/fields/draw-fields.ts'
import type { FieldProblem } from '../forms/fields/field-problem.ts'
import { withLabels } from '../forms/fields/labels.ts'
import { sampleOf } from '../forms/fields/write-fields.ts'
import type { Form } from '../forms/form.ts'
import { visitedName } from '../forms/form-address.ts'
import { whyClosed } from '../forms/settings/opening.ts'
import { type FormLimits, parseSettings } from '../forms/settings/settings.ts'
import { copyable, copyButton } from '../html/copyable.ts'
import { notice } from '../html/frame.ts'
import { type Html, html } from '../html/html.ts'
import { labelledInput } from '../html/labelled-input.ts'
import { redirect } from '../html/redirect.ts'
import { attachment } from '../http/attachment.ts'
import { english } from '../languages/english.ts'
import { loadTexts, nameOf } from '../languages/languages.ts'
import type { Texts } from '../languages/texts.ts'
import { openAcceptance } from '../submissions/acceptance.ts'
import { RefusedFields } from '../submissions/check-fields.ts'
import { textField, toSentSubmission } from '../submissions/fields.ts'
import type { SubmittedField } from '../submissions/sent-fields.ts'
import type { SubmissionStore } from '../submissions/store.ts'
import { pageSection, qrFile } from './embed-page.ts'
import { formFrame } from './form-frame.ts'
import type { Navigation } from './jump-menu.ts'
import type { PageAccess } from './page-access.ts'
import { type Snippet, snippets } from './snippets.ts'
import { cellText, emptyValue, firstFields } from './summary.ts'
import type { FormParams, UserSent, UserVisit } from './visit.ts'

interface Options {
  readonly pages: PageAccess
  readonly access: FormAccess
  readonly readFieldNames: ReadFieldNames
  readonly submissions: SubmissionStore
  readonly formLimits: Pick<FormLimits, 'formPages'>
  /** The address that browsers use for this server, such as `https://forms.example.com`. */
  readonly addressOf: (request: Request) => string
  readonly now: () => number
}

/** `/forms/:formId/embed`: shows snippets to put on a page, and a form that sends a real submission. */
export const embedRoutes = ({
  pages: { navigate, userAction, userPage },
  access,
  readFieldNames,
  submissions,
  formLimits: { formPages },
  addressOf,
  now,
}: Options) => {
  const acceptance = openAcceptance({ now })

  /** Returns undefined if the test was taken for spam, or deleted. */
  const findTest = (form: FormTo<'read'>, id: string): StoredTest | undefined => {
    const found = submissions.findSubmissions(form, 'inbox', [id])
    return found.submissions.length === 0 ? undefined : { id, fields: firstFields(found).fields }
  }

  const pageAddressOf = (request: Request, form: FormTo<'read'>): string =>
    `${addressOf(request)}${visitorsPath(visitedName(form))}`

  const page = async (
    { request, session, params }: Pick<UserVisit<FormParams>, 'request' | 'session' | 'params'>,
    rest: Partial<EmbedPage>,
  ): Promise<Response> => {
    const before = access.findFormTo('read', session.userId, params.formId)
    const texts = await loadTexts(parseSettings(before.settings).language ?? 'en')
    const address = pageAddressOf(request, before)
    const role = access.roleOf(session.userId, before)
    const ownPage = await pageSection({ form: before, address, role, formPages })
    const form = access.findFormTo('read', session.userId, params.formId)
    return embedPage({
      texts,
      email: session.email,
      role: access.roleOf(session.userId, form),
      form,
      navigation: navigate(session.userId, form),
      fieldNames: JSON.parse(readFieldNames(form) ?? '[]'),
      address: `${addressOf(request)}${submitPath(visitedName(form))}`,
      ownPage,
      now: now(),
      ...rest,
    })
  }

  const on = {
    show(visit: UserVisit<FormParams>): Promise<Response> {
      const { session, params, query } = visit
      const { sent } = query
      const form = access.findFormTo('read', session.userId, params.formId)
      return page(visit, {
        withChallenge: query.with === 'challenge',
        first: query.with === 'files' ? 'files' : 'html',
        sent: typeof sent === 'string' ? findTest(form, sent) : undefined,
        isNew: query.done === 'created',
      })
    },

    async send(visit: UserSent<FormParams>): Promise<Response> {
      const { session, params, form: sent } = visit
      const form = access.findFormTo('edit', session.userId, params.formId)
      const fields = Array.from(sent, ([name, text]) => textField(name, text))
      const submission = toSentSubmission(fields, parseSettings(form.settings).honeypot)
      const problems = await wrongFields(acceptance.check(form, submission))
      if (problems.length > 0) return page(visit, { unsent: sent, problems })
      const { id } = await submissions.createSubmission(form, submission)
      return redirect(`${embedPath(params.formId)}?sent=${id}#notice`)
    },

    showUnsent: (visit: UserSent<FormParams>): Promise<Response> => page(visit, { unsent: visit.form }),

    async showCode({ request, session, params }: UserVisit<FormParams>): Promise<Response> {
      const form = access.findFormTo('read', session.userId, params.formId)
      return new Response(await qrFile(pageAddressOf(request, form)), {
        headers: {
          'content-type': 'image/svg+xml',
          'content-disposition': attachment(form.title, '.svg'),
          'cache-control': 'no-store',
        },
      })
    },
  }

  return [
    userPage(embedPath, on.show),
    userPage(qrPath, on.showCode),
    userAction(embedPath, embedPath, on.send, on.showUnsent),
  ]
}

/** The problems with the fields of a test. A test has no files, so those that are missing do not count. */
const wrongFields = async (checked: Promise<unknown>): Promise<readonly FieldProblem[]> => {
  try {
    await checked
    return []
  } catch (error) {
    if (!(error instanceof RefusedFields)) throw error
    return error.problems.filter(({ field, rule }) => !(field?.type === 'file' && rule === 'required'))
  }
}

interface StoredTest {
  readonly id: string
  readonly fields: readonly SubmittedField[]
}

interface EmbedPage {
  /** The role of the person who sees the page. */
  readonly role: Role | undefined
  readonly email: string
  readonly form: Form
  readonly navigation: Navigation
  readonly fieldNames: readonly string[]
  /** Of the language of the form, for its snippets. */
  readonly texts: Texts
  /** The address to send the form's submissions to. */
  readonly address: string
  /** The part about the page of the form. */
  readonly ownPage: Html | false
  readonly now: number
  /** Whether to show snippets with a proof of work before the form asks for it. */
  readonly withChallenge?: boolean
  /** The kind of snippet that is chosen at first. */
  readonly first?: Snippet['id']
  /** The test that was just sent. */
  readonly sent?: StoredTest | undefined
  /** A test that was sent after the session had ended. */
  readonly unsent?: URLSearchParams
  /** The problems of a test that was not sent. */
  readonly problems?: readonly FieldProblem[]
  /** Whether the form was just created. */
  readonly isNew?: boolean
}

const embedPage = ({
  email,
  role,
  form,
  navigation,
  fieldNames,
  texts,
  address,
  ownPage,
  now,
  withChallenge,
  first,
  sent,
  unsent,
  problems = [],
  isNew,
}: EmbedPage): Response =>
  formFrame({
    status: problems.length > 0 ? 400 : 200,
    form,
    email,
    navigation,
    tab: 'Embed',
    role,
    now,
    body: html`${isNew && notice('done', 'The form is ready. Put its snippet on your page, or send a test first.')}
<div class="two">
<div>
<h2>Put it on your page</h2>
${isLoopback(new URL(address).hostname) && onlyHere}
<p class="muted">Every field with a name is stored. ${aboutFiles(form, role)}${isEnough(role ?? 'reader', 'configure') && aboutFields(form)}</p>
<p class="muted">${aboutLanguage(form, role)}</p>
${switchable(snippets(address, { ...parseSettings(form.settings), ...(withChallenge && { challenge: true }) }, texts), first)}
<h2>Address</h2>
${copyable('address', address, 'Copy address')}
${ownPage}</div>
${whyClosed(form, now) ? closed(form, role) : isEnough(role, 'edit') && tryIt(form, fieldNames, { sent, unsent, problems })}
</div>`,
  })

const onlyHere = html`<p class="notice">This address works only on this computer. Before you put the form on your website, the person who runs the server must set <code>FORMBOX_URL</code> to the address that visitors use.</p>`

const aboutFiles = ({ id, settings }: Form, role: Role | undefined): Html | string =>
  parseSettings(settings).acceptFiles
    ? html`For files, the form needs <code>enctype="multipart/form-data"</code>: without it, browsers send only their names.${isEnough(role, 'configure') && html` <a href="${visitorSettingsPath(id)}#files">Which files it accepts</a>.`}`
    : 'This form accepts no files.'

/** Whether anything is checked, and where to say what. */
const aboutFields = ({ id, settings }: Form): Html =>
  parseSettings(settings).fields.length > 0
    ? html` The snippets have the <a href="${settingsPath(id)}#checks">fields of the form</a>, which are checked.`
    : html` These fields are not checked. <a href="${settingsPath(id)}#checks">Set rules</a>.`

/** In which language visitors read what is not the owner's, and how a page asks for its own. */
const aboutLanguage = ({ id, settings }: Form, role: Role | undefined): Html => {
  const { language } = parseSettings(settings)
  const choose = language === null ? 'Choose one' : 'Change it'
  return html`The thank-you page and errors are in ${language === null ? 'the language of each visitor’s browser' : html`<bdi lang="${language}">${nameOf(language)}</bdi>`}.${
    isEnough(role ?? 'reader', 'configure') && html` <a href="${visitorSettingsPath(id)}">${choose}</a>.`
  } A page in another language adds <code>&lt;input type="hidden" name="_language" value="${language === 'de' ? 'fr' : 'de'}"&gt;</code>.`
}

// The style sheet shows the snippet that is chosen. A browser that cannot do that shows all.
const switchable = (shown: readonly Snippet[], first: Snippet['id'] | undefined): Html => {
  const chosen = shown.find(({ id }) => id === first) ?? shown[0]
  return html`<div class="snippets">
<fieldset class="switch">
<legend class="visually-hidden">Kind of snippet</legend>
${shown.map(
  ({
    id,
    name,
  }) => html`<label><input type="radio" name="kind" id="as-${id}"${id === chosen?.id && html` checked`}>${name}</label>
`,
)}</fieldset>
${shown.map(
  ({ id, name, code, copy, note }) => html`<div class="pane" id="${id}">
<pre id="code-${id}" tabindex="0" role="group" aria-label="${name}"><code>${code}</code></pre>
<div class="under">
<p class="small muted">${note}</p>
${copyButton(`code-${id}`, copy)}
</div>
</div>
`,
)}</div>`
}

/** Fields of a test, which is short. */
const maxFields = 5

/** The names of fields that a test fills in: not the trap, which may have had another use before. */
const testFields = ({ settings }: Form, names: readonly string[]): readonly string[] => {
  const { honeypot } = parseSettings(settings)
  const own = names.filter((name) => name !== '' && name !== honeypot).slice(0, maxFields)
  return own.length > 0 ? own : ['name', 'email', 'message']
}

interface Tried {
  readonly sent: StoredTest | undefined
  readonly unsent: URLSearchParams | undefined
  readonly problems: readonly FieldProblem[]
}

const tryIt = (
  form: Form,
  fieldNames: readonly string[],
  { sent, unsent, problems }: Tried,
): Html => html`<section class="card" id="try" aria-labelledby="try-heading">
<h2 id="try-heading">Try it</h2>
<p class="muted">Sends a real submission. Delete it when you have seen it.${parseSettings(form.settings).challenge && ' You are signed in, so it needs no proof of work.'}</p>
${
  sent &&
  html`<p class="notice done" id="notice" tabindex="-1" role="status"><strong>It works.</strong> The submission is stored.
<a href="${submissionPath(form.id, sent.id)}">See the submission</a></p>
${stored(form, sent)}`
}
${unsent && notice('failed', problems.length > 0 ? 'Not sent: see what is marked.' : 'Not sent yet.')}
<form class="spaced visitor" method="post" action="${embedPath(form.id)}">
${
  ownFields(form, unsent, problems) ??
  testFields(form, fieldNames).map((name, position) =>
    labelledInput({
      id: `test-${position}`,
      name,
      label: html`<bdi>${name}</bdi>`,
      type: name === 'message' ? 'lines' : 'text',
      value: unsent?.get(name) ?? testValues.get(name) ?? 'Test',
      autocomplete: 'off',
    }),
  )
}
<button class="primary full">Send a test</button>
</form>
</section>`

/** The inputs of the form's list as visitors get them, but for files; undefined without a list. */
const ownFields = (
  { settings }: Form,
  unsent: URLSearchParams | undefined,
  problems: readonly FieldProblem[],
): Html[] | undefined => {
  const fields = parseSettings(settings).fields.filter(({ type }) => type !== 'file')
  if (fields.length === 0) return undefined
  const values = new Map(fields.map((field) => [field.name, unsent ? unsent.getAll(field.name) : sampleOf(field)]))
  return drawFields(fields, {
    texts: english,
    values,
    errors: Map.groupBy(problems, ({ name }) => name),
    prefix: 'test',
  })
}

const stored = (
  { settings }: Form,
  { fields }: StoredTest,
): Html => html`<dl class="fields stored" aria-label="What was stored">
${withLabels(fields.slice(0, maxFields), settings).map(
  ({
    name,
    json,
  }) => html`<div><dt><bdi>${cellText(name)}</bdi></dt><dd dir="auto">${cellText(JSON.parse(json)) || emptyValue}</dd></div>
`,
)}</dl>`

const closed = (
  { id }: Form,
  role: Role | undefined,
): Html => html`<section class="card" id="try" aria-labelledby="try-heading">
<h2 id="try-heading">This form is closed</h2>
<p class="muted">It tells visitors so and stores nothing.${isEnough(role, 'configure') && html` To send a test, <a href="${visitorSettingsPath(id)}#opening">open it in its settings</a>.`}</p>
</section>`

const testValues = new Map([
  ['email', 'ada@example.com'],
  ['message', 'Hello from Formbox'],
])
