import { maxSheets } from '../accounts/sheets/sheet-writes.ts'
import { type Sheet, type SheetStore, sheetDescriptionRule } from '../accounts/sheets/store.ts'
import { invalid } from '../base/errors.ts'
import { creationTime } from '../base/id.ts'
import { isText, textInWords } from '../base/text-rules.ts'
import { deleteSheetPath, sheetName, sheetPath, sheetsPath } from '../config/addresses.ts'
import type { FormAccess } from '../forms/access.ts'
import { copyable } from '../html/copyable.ts'
import { time } from '../html/format.ts'
import { notice } from '../html/frame.ts'
import { type Html, html } from '../html/html.ts'
import { type InputErrors, labelledInput } from '../html/labelled-input.ts'
import { redirect } from '../html/redirect.ts'
import { type FormPage, formFrame } from './form-frame.ts'
import type { PageAccess } from './page-access.ts'
import { parseInputs } from './parse-inputs.ts'
import { openShownOnce } from './shown-once.ts'
import type { FormParams, UserSent, UserVisit } from './visit.ts'

interface Options {
  readonly pages: PageAccess
  readonly access: FormAccess
  readonly sheets: SheetStore
  readonly now: () => number
  /** The address that browsers use for this server, such as `https://forms.example.com`. */
  readonly addressOf: (request: Request) => string
}

type SheetParams = FormParams & { readonly sheetId: string }

/** `/forms/:formId/sheets`: lists the sheets of a form, makes one, shows its address once, and deletes one. */
export const sheetsRoutes = ({
  pages: { navigate, userAction, userPage },
  access,
  sheets,
  now,
  addressOf,
}: Options) => {
  const newAddresses = openShownOnce(now)

  const page = ({ session, params }: UserVisit<FormParams> | UserSent<FormParams>, rest: Partial<Shown>): Response => {
    const { userId, email } = session
    const form = access.findFormTo('sheets', userId, params.formId)
    return sheetsPage({
      email,
      form,
      navigation: navigate(userId, form),
      now: now(),
      sheets: sheets.listSheets(form),
      ...rest,
    })
  }

  const on = {
    show(visit: UserVisit<FormParams>): Response {
      const { session, query } = visit
      return page(visit, { address: newAddresses.take(session.hash, query.created), done: query.done })
    },

    async create(sent: UserSent<FormParams>): Promise<Response> {
      const { request, session, params, form } = sent
      const typed = form.get('description') ?? ''
      const inputs = parseInputs({ description: () => parseDescription(typed) })
      if (inputs.state === 'invalid') return page(sent, { status: 400, typed, errors: inputs.errors })
      const { id, token } = await sheets.createSheet(session.userId, params.formId, inputs.values.description)
      newAddresses.put(session.hash, id, `${addressOf(request)}${sheetPath(sheetName(token))}`)
      return redirect(`${sheetsPath(params.formId)}?created=${id}#created`)
    },

    showUnsaved: (sent: UserSent<FormParams>): Response =>
      page(sent, { typed: sent.form.get('description') ?? '', done: 'unsaved' }),

    async delete({ session, params }: UserSent<SheetParams>): Promise<Response> {
      await sheets.deleteSheet(session.userId, params.formId, params.sheetId)
      return redirect(`${sheetsPath(params.formId)}?done=deleted#notice`)
    },
  }

  return [
    userPage(sheetsPath, on.show),
    userAction(sheetsPath, sheetsPath, on.create, on.showUnsaved),
    userAction(deleteSheetPath, sheetsPath, on.delete),
  ]
}

/** @throws AppError `invalid` */
const parseDescription = (typed: string): string | null => {
  const description = typed.trim()
  if (isText(sheetDescriptionRule, description)) return description || null
  const message = `must be ${textInWords(sheetDescriptionRule)}; got ${[...description].length}`
  throw invalid({ field: 'description', message })
}

interface Shown extends Omit<FormPage, 'role'> {
  readonly status?: number
  readonly sheets: readonly Sheet[]
  /** The address of a sheet that was just made. */
  readonly address?: string | null
  readonly typed?: string
  readonly errors?: InputErrors
  readonly done?: unknown
}

const sheetsPage = ({ status, sheets, address, typed = '', errors = {}, done, ...shown }: Shown): Response =>
  formFrame({
    ...shown,
    ...(status !== undefined && { status }),
    tab: 'Submissions',
    body: html`<section class="card" aria-labelledby="sheets-heading">
<h2 id="sheets-heading">Live spreadsheet</h2>
<p>A spreadsheet that loads the newest submissions by itself, from an address that you paste into it once. Anyone who has the
address can read all submissions of this form and your notes on them. If it gets into the wrong hands, delete it.</p>
${done === 'deleted' && notice('done', 'The address has been deleted and no longer works.')}
${done === 'unsaved' && html`<p class="notice failed" role="alert">Not created yet. What you typed is below.</p>`}
${sheets.length > 0 && sheetList(shown.form.id, sheets)}
${sheets.length < maxSheets ? creationForm(shown.form.id, typed, errors) : html`<p>A form has at most ${maxSheets} addresses.</p>`}
</section>
${address && created(address)}`,
  })

const created = (
  address: string,
): Html => html`<section class="card new" id="created" tabindex="-1" aria-labelledby="created-heading" data-secret>
<h2 id="created-heading">The new address</h2>
<p><strong>Copy it now.</strong> It is shown only once.</p>
${copyable('sheet-address', address, 'Copy address')}
<h3>Google Sheets</h3>
<p>Put this into the first cell of an empty sheet:</p>
${copyable('sheet-google', `=IMPORTDATA("${address}")`, 'Copy formula')}
<h3>Excel</h3>
<p>Data, From Web, and paste the address. Then, in Properties of the query, choose how often it refreshes.</p>
<h3>LibreOffice</h3>
<p>Sheet, External Links, and paste the address. Choose “Update every”.</p>
<h3>Python</h3>
${copyable('sheet-python', `pandas.read_csv("${address}")`, 'Copy code')}
<p class="small muted">It shows the 10,000 newest submissions, or up to 50,000 with <code>?limit=50000</code> after the address.</p>
</section>`

const sheetList = (formId: string, sheets: readonly Sheet[]): Html => html`<ul class="plain">
${sheets.map(
  ({ id, description, lastUsedAt }) => html`<li>
<form class="row" method="post" action="${deleteSheetPath(formId, id)}">
<p><bdi>${description ?? 'Without a description'}</bdi><br>
<span class="small muted">Created ${time(creationTime(id))}, ${lastUsedAt === null ? 'never read' : html`last read ${time(lastUsedAt)}`}</span></p>
<button class="danger" aria-label="Delete ${description ?? 'the address without a description'}">Delete</button>
</form>
</li>`,
)}
</ul>`

const creationForm = (
  formId: string,
  typed: string,
  errors: InputErrors,
): Html => html`<form class="ask" method="post" action="${sheetsPath(formId)}">
${labelledInput({
  name: 'description',
  label: 'Description',
  type: 'text',
  value: typed,
  error: errors.description,
  hint: 'Where you use it, such as “Guest list of the team”.',
  autocomplete: 'off',
})}
<button class="primary">Create address</button>
</form>`
