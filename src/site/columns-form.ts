import { columnsPath } from '../config/addresses.ts'
import type { Form } from '../forms/form.ts'
import { maxColumns } from '../forms/settings/settings.ts'
import { type Html, html } from '../html/html.ts'
import { cellText } from '../submissions/lines.ts'
import { hiddenInputs, type ListQuery, listPath } from './list-query.ts'

interface Choice {
  readonly form: Pick<Form, 'id'>
  readonly listQuery: ListQuery
  readonly columns: readonly string[]
  readonly fieldNames: readonly string[]
  /** Columns that were chosen and not saved. */
  readonly tooMany: readonly string[] | undefined
}

/** Names of fields that are offered. A robot may have sent any number. */
const maxOffered = 60

/** Above a list: which fields have a column in it. */
export const columnsForm = ({ form, listQuery, columns, fieldNames, tooMany }: Choice): Html => {
  const chosen = tooMany ?? columns
  const others = fieldNames.filter((name) => !columns.includes(name)).slice(0, maxOffered)
  const box = (name: string): Html =>
    html`<label class="choice"><input type="checkbox" name="columns" value="${name}" autocomplete="off"${chosen.includes(name) && html` checked`}><span><bdi>${cellText(name)}</bdi></span></label>
`
  return html`<form class="card" method="post" action="${columnsPath(form.id)}">
${hiddenInputs(listQuery)}<fieldset class="boxes">
<legend>Columns, at most ${maxColumns}; none for who sent it and what</legend>
${[...columns, ...others].map(box)}</fieldset>
<div class="actions"><button class="primary">Show</button><a class="button" href="${listPath(form.id, 'inbox', listQuery)}">Cancel</a></div>
</form>
`
}
