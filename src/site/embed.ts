import { isId } from '../base/id.ts'
import { visible } from '../base/visible.ts'
import { frameSnippet } from '../collect/snippets/frame-snippet.ts'
import { snippets } from '../collect/snippets/snippets.ts'
import type { Snippet } from '../collect/snippets/tool-snippets.ts'
import {
  deleteTestPath,
  embedPath,
  formTabPath,
  guidePath,
  qrPath,
  serverPath,
  settingsPath,
  submitPath,
  visitorSettingsPath,
  visitorsPath,
} from '../config/addresses.ts'
import { isLoopback } from '../config/networks.ts'
import { type FormTo, isEnough, type Role } from '../forms/access.ts'
import type { FieldProblem } from '../forms/fields/field-problem.ts'
import { sendsFiles } from '../forms/fields/form-field.ts'
import { type Form, stateOfForm } from '../forms/form.ts'
import { visitedName } from '../forms/form-address.ts'
import { addressOf as mailAddressOf } from '../forms/settings/notify-entries.ts'
import { whyClosed } from '../forms/settings/opening.ts'
import { fishingInForm } from '../forms/settings/page-secrets.ts'
import { parseSettings } from '../forms/settings/settings.ts'
import { copyable, copyButton } from '../html/copyable.ts'
import { livePageHeaders, notice } from '../html/frame.ts'
import { type Html, html } from '../html/html.ts'
import { redirect } from '../html/redirect.ts'
import { attachment } from '../http/attachment.ts'
import { loadTexts, nameOf } from '../languages/languages.ts'
import type { Texts } from '../languages/texts.ts'
import { openAcceptance } from '../submissions/acceptance.ts'
import { RefusedFields } from '../submissions/check-fields.ts'
import { textField, toSentSubmission } from '../submissions/fields.ts'
import { firstWords } from '../submissions/lines.ts'
import { type FormPage, formFrame } from './form-frame.ts'
import { isReadByOperator } from './no-mail.ts'
import type { PageOptions } from './page-options.ts'
import { closedCard, type Newest, newestCard, tryCard } from './try-form.ts'
import type { FormParams, UserSent, UserVisit } from './visit.ts'

/** `/forms/:formId/embed`: shows code to put on a page, a form that sends a real submission, and what has come in. */
export const embedRoutes = (options: PageOptions) => {
  const { formPage, userAction, userPage } = options.pages
  const { formPages, canMail } = options.formLimits
  const { access, readFieldNames, submissions, unreadReads, addressOf, now } = options
  const acceptance = openAcceptance({ now, submissions })

  const newestOf = (form: FormTo<'read'>, sent: unknown): Newest | undefined => {
    const found = form.submissionCount > 0 ? submissions.findNewest(form) : undefined
    const id = found?.submissions[0]?.id
    return found && id !== undefined ? { ...firstWords(found, form.settings), id, isTest: id === sent } : undefined
  }

  const pageAddressOf = (request: Request, form: FormTo<'read'>): string =>
    `${addressOf(request)}${visitorsPath(visitedName(form))}`

  const page = async (
    { request, session, params }: Pick<UserVisit<FormParams>, 'request' | 'session' | 'params'>,
    { sent, ...rest }: Partial<EmbedPage> & { readonly sent?: unknown } = {},
  ): Promise<Response> => {
    const before = access.findFormTo('read', session.userId, params.formId)
    const texts = await loadTexts(parseSettings(before.settings).language ?? 'en')
    const form = access.findFormTo('read', session.userId, params.formId)
    return embedPage({
      ...formPage(session, form),
      texts,
      fieldNames: JSON.parse(readFieldNames(form) ?? '[]'),
      address: `${addressOf(request)}${submitPath(visitedName(form))}`,
      ownAddress: formPages && pageAddressOf(request, form),
      newest: newestOf(form, sent),
      state: stateOfForm(form, unreadReads.countUnread(form, session.userId)),
      canMail,
      ...rest,
    })
  }

  const on = {
    show(visit: UserVisit<FormParams>): Promise<Response> {
      const { sent, done, with: kind } = visit.query
      return page(visit, {
        withChallenge: kind === 'challenge',
        kind,
        sent,
        ...((done === 'created' || done === 'deleted') && { done }),
      })
    },

    async send(visit: UserSent<FormParams>): Promise<Response> {
      const { session, params, form: sent } = visit
      const form = access.findFormTo('edit', session.userId, params.formId)
      const fields = Array.from(sent, ([name, text]) => textField(name, text))
      const submission = toSentSubmission(fields, parseSettings(form.settings).honeypot)
      const problems = await wrongFields(acceptance.check(form, submission))
      if (problems.length > 0) return page(visit, { unsent: sent, problems })
      let id = ''
      const full = await wrongFields(
        submissions.createSubmission(form, submission).then((stored) => {
          id = stored.id
        }),
      )
      if (full.length > 0) return page(visit, { unsent: sent, problems: full })
      return redirect(`${embedPath(params.formId)}?sent=${id}#notice`)
    },

    async deleteTest({ session, params, form: sent }: UserSent<FormParams>): Promise<Response> {
      const { id } = access.findFormTo('edit', session.userId, params.formId)
      const test = sent.get('id') ?? ''
      if (isId(test)) await submissions.deleteSubmissions(session.userId, id, 'inbox', [test])
      return redirect(`${embedPath(id)}?done=deleted#notice`)
    },

    showUnsent: (visit: UserSent<FormParams>): Promise<Response> => page(visit, { unsent: visit.form }),

    async showCode({ request, session, params }: UserVisit<FormParams>): Promise<Response> {
      const form = access.findFormTo('read', session.userId, params.formId)
      const { qrFile } = await import('../html/qr-code.ts')
      return new Response(qrFile(pageAddressOf(request, form)), {
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
    userAction(deleteTestPath, embedPath, on.deleteTest),
  ]
}

/** The problems with the fields of a test. A test has no files, so those that are missing do not count. */
const wrongFields = async (checked: Promise<unknown>): Promise<readonly FieldProblem[]> => {
  try {
    await checked
    return []
  } catch (error) {
    if (!(error instanceof RefusedFields)) throw error
    return error.problems.filter(({ field, rule }) => !(field && sendsFiles(field.type) && rule === 'required'))
  }
}

interface EmbedPage extends FormPage {
  readonly fieldNames: readonly string[]
  /** Of the language of the form, for its snippets. */
  readonly texts: Texts
  /** The address to send the form's submissions to. */
  readonly address: string
  /** Of the page of the form, whether or not there is one; false where the operator allows none. */
  readonly ownAddress: string | false
  readonly newest: Newest | undefined
  /** See `stateOfForm`. */
  readonly state: string
  readonly canMail: boolean
  /** Whether to show snippets with a proof of work before the form asks for it. */
  readonly withChallenge?: boolean
  /** The kind of code that is shown; the first one if there is none such. */
  readonly kind?: unknown
  /** A test that was sent after the session had ended. */
  readonly unsent?: URLSearchParams
  /** The problems of a test that was not sent. */
  readonly problems?: readonly FieldProblem[]
  /** Whether the form was just created, or a test deleted. */
  readonly done?: 'created' | 'deleted'
}

const embedPage = (shown: EmbedPage): Response => {
  const { role, form, fieldNames, address, now, unsent, problems = [] } = shown
  return formFrame({
    ...shown,
    status: problems.length > 0 ? 400 : 200,
    tab: 'Embed',
    headers: livePageHeaders,
    body: html`${doneNotice(shown)}<div class="builder">
<section aria-labelledby="put">
<h2 id="put">Put it on your website</h2>
<h3>Address</h3>
${copyable('address', address, 'Copy address')}
${isLoopback(new URL(address).hostname) && onlyHere()}
<h3>Code</h3>
${codeBox(shown)}
<p class="hint">Code for WordPress, Hugo, React and others is in the <a href="${guidePath('sites')}">guide to sites</a>.</p>
<details class="fold"><summary><strong>More: files, languages, rules</strong></summary>
<dl class="facts within">
${facts(form, role).map(
  ([name, text]) => html`<div><dt>${name}</dt><dd>${text}</dd></div>
`,
)}</dl></details>
${ownPage(shown)}</section>
<div class="beside">
${newestCard(shown)}
${whyClosed(form, now) ? closedCard(form, role) : isEnough(role, 'edit') && tryCard(form, fieldNames, { unsent, problems })}
</div>
</div>
<p class="visually-hidden" id="arrived" role="status"></p>`,
  })
}

const doneNotice = ({ done, form, role, canMail }: EmbedPage): Html | false => {
  if (done === 'deleted') return notice('done', 'The test has been deleted.')
  if (done !== 'created') return false
  const told = parseSettings(form.settings).notify.map(mailAddressOf)
  const who =
    told.length > 0
      ? html`Each message goes to <bdi>${told.join(', ')}</bdi>.`
      : `Nobody is told of new messages${canMail ? '' : ', because this server cannot send email'}: they wait in your inbox.`
  return notice(
    'done',
    html`<span><strong><bdi>${visible(form.title)}</bdi> is ready.</strong> ${who}${isEnough(role, 'configure') && html` <a href="${settingsPath(form.id)}">${told.length > 0 ? 'Change' : 'Get told'}</a>`}</span>`,
  )
}

const onlyHere = (): Html =>
  html`<p class="notice warn"><span>This address works only on this computer. ${isReadByOperator() ? html`Before you put the form on your website, <a href="${serverPath()}">set the address that visitors use</a>.` : html`Before you put the form on your website, the person who runs the server must set <code>FORMBOX_URL</code> to the address that visitors use.`}</span></p>`

/** Where the page of the form is, or how to get one. */
const ownPage = ({ form, role, ownAddress }: EmbedPage): Html | false => {
  if (ownAddress === false) return false
  const mayChange = isEnough(role, 'configure')
  const tab = (words: string): Html => html`<a href="${formTabPath(form.id)}">${words}</a>`
  if (hasPage(form))
    return html`<p class="no-site">The form has <a href="${ownAddress}" target="_blank" rel="noopener">a page of its own</a>${mayChange && html`. Its link and QR code are on the tab ${tab('Form')}`}.</p>
`
  return (
    mayChange &&
    html`<p class="no-site">No website? ${tab('Give the form a page of its own')}, for a link or a QR code.</p>
`
  )
}

/** Whether visitors see a page of the form. */
const hasPage = ({ settings }: Form): boolean => parseSettings(settings).page !== null && !fishingInForm(settings)

/** The kinds of code, and the one that is chosen. */
const codeBox = ({ form, role, address, ownAddress, texts, withChallenge, kind }: EmbedPage): Html => {
  const settings = { ...parseSettings(form.settings), ...(withChallenge && { challenge: true }) }
  const frames =
    ownAddress !== false && hasPage(form) ? frameSnippet(form, ownAddress, isEnough(role, 'configure')) : []
  const all = [...snippets(address, settings, texts), ...frames]
  const { id, name, code, copy, note } = (all.find((one) => one.id === kind) ?? all[0]) as Snippet
  return html`<div class="scrolls"><ul class="segments" aria-label="Kind of code" id="code">
${all.map(
  (
    one,
  ) => html`<li><a href="${embedPath(form.id)}?with=${one.id}#code"${one.id === id && html` aria-current="true"`}>${one.name}</a></li>
`,
)}</ul></div>
<div class="code-box">${copyButton('snippet', copy, 'primary')}<pre id="snippet" tabindex="0" role="region" aria-label="${name} to copy"><code>${code}</code></pre></div>
<p class="hint">${note}</p>`
}

/** What few need to know. */
const facts = ({ id, settings }: Form, role: Role | undefined): (readonly [string, Html | string])[] => {
  const { acceptFiles, language, fields, allowedOrigins } = parseSettings(settings)
  const link = (path: string, text: string) =>
    isEnough(role ?? 'reader', 'configure') && html` <a href="${path}">${text}</a>`
  const visitors = visitorSettingsPath(id)
  return [
    [
      'Files',
      acceptFiles
        ? html`Take the code “With files”: without <code>enctype</code>, browsers send only names.${link(`${visitors}#files`, 'Which files')}`
        : html`This form takes no files.${link(`${visitors}#files`, 'Take files')}`,
    ],
    [
      'Languages',
      html`Thanks and errors are in ${language === null ? 'the visitor’s language' : html`<bdi lang="${language}">${nameOf(language)}</bdi>`}. A page in another one adds <code>&lt;input type="hidden" name="_language" value="${language === 'de' ? 'fr' : 'de'}"&gt;</code>.${link(visitors, 'Choose one')}`,
    ],
    [
      'Rules',
      fields.length > 0
        ? html`The code has the fields of the form and their rules.${link(`${formTabPath(id)}`, 'Change them')}`
        : html`Nothing is checked yet.${link(`${formTabPath(id)}`, 'List the fields')}`,
    ],
    [
      'Sites',
      allowedOrigins.length === 0
        ? html`Every page may send.${link(`${visitors}#sites`, 'Allow only yours')}`
        : html`Pages of ${allowedOrigins.join(', ')} may send.${link(`${visitors}#sites`, 'Change them')}`,
    ],
  ]
}
