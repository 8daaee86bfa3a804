import { maxSheets } from '../accounts/sheets/sheet-writes.ts'
import { type Sheet, sheetDescriptionRule } from '../accounts/sheets/store.ts'
import { creationTime } from '../base/id.ts'
import { parseText } from '../base/text-rules.ts'
import {
  deleteSheetPath,
  type ParamsOf,
  peopleSettingsPath,
  sheetName,
  sheetPath,
  sheetsPath,
} from '../config/addresses.ts'
import type { FormTo } from '../forms/access.ts'
import { copyable } from '../html/copyable.ts'
import { time } from '../html/format.ts'
import { type Html, html } from '../html/html.ts'
import { labelledInput } from '../html/labelled-input.ts'
import { redirect } from '../html/redirect.ts'
import { type BesideVisit, type ShowPeople, type TypedBeside, typedFor } from './form-settings.ts'
import type { PageOptions } from './page-options.ts'
import { parseInputs } from './parse-inputs.ts'
import { openShownOnce } from './shown-once.ts'
import type { FormParams, UserSent } from './visit.ts'

type SheetParams = ParamsOf<typeof deleteSheetPath.route>

/** The sheets of a form: the part of the page of people and data, and what it sends. */
export const sheetsPart = ({ pages: { userAction }, sheets, now, addressOf }: PageOptions) => {
  const newAddresses = openShownOnce(now)

  const section = ({ session, query, beside }: BesideVisit, form: FormTo<'sheets'>): Html => {
    const address = newAddresses.take(session.hash, query.created)
    const all = sheets.listSheets(form)
    return html`${address && created(address)}<section aria-labelledby="sheets">
<h3 id="sheets">Live spreadsheets</h3>
${all.length > 0 && html`<ul class="things card">\n${all.map((sheet) => sheetItem(form.id, sheet))}</ul>`}
${all.length < maxSheets ? creationForm(form.id, beside) : html`<p>A form has at most ${maxSheets} addresses.</p>`}
<p class="hint">Google Sheets or Excel loads the newest messages by itself. Anyone who has the address can read all of them, and your notes on them.</p>
</section>
`
  }

  const routes = (show: ShowPeople) => {
    const on = {
      async create(sent: UserSent<FormParams>): Promise<Response> {
        const { request, session, params, form } = sent
        const typed = { description: form.get('description') ?? '' }
        const inputs = parseInputs({
          description: () => parseText('description', sheetDescriptionRule, typed.description.trim()) || null,
        })
        if (inputs.state === 'invalid')
          return show(sent, { status: 400, beside: { part: 'sheets', typed, errors: inputs.errors } })
        const { id, token } = await sheets.createSheet(session.userId, params.formId, inputs.values.description)
        newAddresses.put(session.hash, id, `${addressOf(request)}${sheetPath(sheetName(token))}`)
        return redirect(`${peopleSettingsPath(params.formId)}?created=${id}#created`)
      },

      showUnsaved: (sent: UserSent<FormParams>): Promise<Response> =>
        show(sent, {
          status: 200,
          beside: { part: 'sheets', typed: { description: sent.form.get('description') ?? '' }, errors: {} },
        }),

      async delete({ session, params }: UserSent<SheetParams>): Promise<Response> {
        await sheets.deleteSheet(session.userId, params.formId, params.sheetId)
        return redirect(`${peopleSettingsPath(params.formId)}?done=sheet-deleted#notice`)
      },
    }

    return [
      userAction(sheetsPath, peopleSettingsPath, on.create, on.showUnsaved),
      userAction(deleteSheetPath, peopleSettingsPath, on.delete),
    ]
  }

  return { section, routes }
}

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

const sheetItem = (formId: string, { id, description, lastUsedAt }: Sheet): Html => {
  const name = description ?? 'Without a description'
  return html`<li class="is-none"><div class="what"><p><strong><bdi>${name}</bdi></strong></p>
<p class="muted">Since ${time(creationTime(id))}. ${lastUsedAt === null ? 'Never read.' : html`Last read ${time(lastUsedAt)}.`}</p></div>
<div class="does"><details class="menu more quiet" name="menus"><summary><span aria-hidden="true">⋯</span><span class="visually-hidden">More for the spreadsheet: ${name}</span></summary>
<form class="panel items" method="post" action="${deleteSheetPath(formId, id)}"><button class="danger">Delete the address</button></form></details></div></li>
`
}

const creationForm = (formId: string, beside: TypedBeside | undefined): Html => {
  const { typed, errors } = typedFor('sheets', beside)
  return html`<form class="inline" method="post" action="${sheetsPath(formId)}">
${labelledInput({ name: 'description', label: 'Name of a new one', type: 'text', value: typed.description ?? '', error: errors.description, isOptional: true })}
<button>Make an address</button>
</form>`
}
