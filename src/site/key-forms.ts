import { maxKeyForms, parseKeyForms } from '../accounts/keys/key-rules.ts'
import type { Key } from '../accounts/keys/store.ts'
import { invalid } from '../base/errors.ts'
import { visible } from '../base/visible.ts'
import type { Form } from '../forms/form.ts'
import type { FindTitles } from '../forms/form-titles.ts'
import type { FormLists } from '../forms/lists/store.ts'
import { counted } from '../html/format.ts'
import { type Html, html } from '../html/html.ts'
import { radio } from '../html/labelled-input.ts'

/** Forms of each kind that the page offers. Those beyond are named by their identifiers. */
const offeredForms = 100

type Choice = Pick<Form, 'id' | 'title'>

export interface Choices {
  readonly own: readonly Choice[]
  readonly shared: readonly Choice[]
  /** Whether there are more than these. */
  readonly isCut: boolean
}

/** Which forms a new key is for, as typed. */
export interface TypedForms {
  readonly scope: string
  /** Identifiers. */
  readonly ticked: readonly string[]
  /** Identifiers, one a line. */
  readonly others: string
}

export const typedForms = (sent: URLSearchParams): TypedForms => ({
  scope: sent.get('scope') ?? 'all',
  ticked: sent.getAll('form'),
  others: sent.get('others') ?? '',
})

/** The forms that a key can be limited to: the user's own, those with the newest submissions first, and those of others. */
export const formChoices = (lists: Pick<FormLists, 'listFormsByActivity' | 'listShared'>, userId: string): Choices => {
  const page = { page: 1, perPage: offeredForms }
  const own = lists.listFormsByActivity(userId, page)
  const shared = lists.listShared(userId, page, null)
  const isCut = own.total > offeredForms || shared.total > offeredForms
  return { own: own.forms, shared: shared.forms, isCut }
}

/**
 * Identifiers of the forms that a new key is limited to; null for all.
 *
 * @throws AppError `invalid`
 */
export const parseForms = (
  { scope, ticked, others }: TypedForms,
  userId: string,
  findTitles: FindTitles,
): readonly string[] | null => {
  if (scope === 'all') return null
  if (scope !== 'some') throw invalid({ field: 'forms', message: 'must be all or some' })
  return parseKeyForms([...ticked, ...others.split(/\s+/)], (ids) => findTitles(userId, ids))
}

/** The part of the form for a new key that asks which forms it is for. */
export const formsInput = (
  { own, shared, isCut }: Choices,
  typed: TypedForms,
  error: string | undefined,
): Html | false =>
  // Someone who chose forms that are gone by now would get a key for all forms with the next click.
  (own.length + shared.length > 0 || typed.scope !== 'all') &&
  html`<fieldset${error && html` aria-describedby="forms-error"`}>
<legend>Forms</legend>
${radio({ name: 'scope', value: 'all', label: 'All forms', hint: 'Also those that you make later', chosen: typed.scope })}
${radio({ name: 'scope', value: 'some', label: 'Only some', hint: 'It can’t create others', chosen: typed.scope })}
${error && html`<p class="error" id="forms-error">${error}</p>`}
<div class="if-some">
${boxes('Your forms', own, typed)}${boxes('Shared with you', shared, typed)}${isCut && otherForms(typed)}<p class="hint">At most ${maxKeyForms}.</p>
</div>
</fieldset>`

const boxes = (heading: string, forms: readonly Choice[], { ticked }: TypedForms): Html | false =>
  forms.length > 0 &&
  html`<div role="group" aria-label="${heading}">
<p class="hint">${heading}</p>
<div class="boxes">
${forms.map(
  ({ id, title }) =>
    html`<label class="choice"><input type="checkbox" name="form" value="${id}"${ticked.includes(id) && html` checked`}><bdi>${visible(title)}</bdi></label>\n`,
)}</div></div>
`

const otherForms = ({ others }: TypedForms): Html => html`<div class="field">
<label for="others">Others <span class="optional">optional</span></label>
<textarea id="others" name="others" rows="2" autocomplete="off" spellcheck="false" aria-describedby="others-hint">${others}</textarea>
<p class="hint" id="others-hint">You have more forms than are listed here. Their identifiers, one per line: the part after /forms/ in the address of a form.</p>
</div>`

const shownTitles = 3

/**
 * Names the forms that each key is limited to: the first ones of all keys are read at once, and then others of those keys of
 * which some are gone.
 *
 * @returns markup by key, for those that are limited
 */
export const formsOfKeys = (
  keys: readonly Pick<Key, 'id' | 'forms'>[],
  findTitles: (ids: readonly string[]) => ReadonlyMap<string, string>,
): ReadonlyMap<string, Html> => {
  const limited = keys.flatMap(({ id, forms }) => (forms === null ? [] : [{ id, ids: JSON.parse(forms) as string[] }]))
  const first = findTitles(limited.flatMap(({ ids }) => ids.slice(0, shownTitles)))
  const isShort = ({ ids }: { ids: string[] }): boolean => ids.slice(0, shownTitles).some((id) => !first.has(id))
  const others = findTitles(limited.filter(isShort).flatMap(({ ids }) => ids.slice(shownTitles)))
  const titlesOf = (ids: readonly string[]) => ids.flatMap((id) => first.get(id) ?? others.get(id) ?? [])
  return new Map(limited.map(({ id, ids }) => [id, onlyThese(titlesOf(ids).slice(0, shownTitles), ids.length)]))
}

const onlyThese = (shown: readonly string[], all: number): Html => {
  const left = all - shown.length
  const titles = shown.map((title, position) => html`${position > 0 && ', '}<bdi>${visible(title)}</bdi>`)
  const rest = shown.length === 0 ? counted(left, 'form') : ` and ${counted(left, 'other')}`
  return html`${titles}${left > 0 && rest}`
}
