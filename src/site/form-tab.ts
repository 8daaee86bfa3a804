import { expecting, tooManyRequests } from '../base/errors.ts'
import { sha256 } from '../base/hash.ts'
import { formTabPath, visitorsPath } from '../config/addresses.ts'
import type { FormTo } from '../forms/access.ts'
import { formFields } from '../forms/fields/fields-kind.ts'
import { visitedName } from '../forms/form-address.ts'
import { type Changed, type Draft, storedDraft, withoutEmpty } from '../forms/form-draft.ts'
import { parseTyped } from '../forms/settings/kind.ts'
import { page as pageKind } from '../forms/settings/page.ts'
import { parseSettings, type SettingsChanges } from '../forms/settings/settings.ts'
import { redirect } from '../html/redirect.ts'
import { createRateLimiter, secondsUntil } from '../http/rate-limit.ts'
import { loadTexts } from '../languages/languages.ts'
import { afterButton, inputs, sentDraft } from './draft-inputs.ts'
import { formTabPage, type ShownTab, typedParts } from './form-tab-page.ts'
import type { PageOptions } from './page-options.ts'
import { errorsOf, parseInputs } from './parse-inputs.ts'
import type { FormParams, UserSent, UserVisit } from './visit.ts'

/** How often a user's script may have drawn what is typed: more often than it asks while someone types without a break. */
const drawnEachMinute = 150

type Visit = Pick<UserVisit<FormParams>, 'request' | 'session' | 'params'>

/** `/forms/:formId/form`: what the form asks for, and its page. Every button sends all of it, and one saves it. */
export const formTabRoutes = (options: PageOptions) => {
  const { pages, access, readFieldNames, formLimits, forms, addressOf, now } = options
  const { formPage, userAction, userPage } = pages

  const find = ({ session, params }: Visit): FormTo<'configure'> =>
    access.findFormTo('configure', session.userId, params.formId)
  const receivedBy = (form: FormTo<'configure'>): readonly string[] => JSON.parse(readFieldNames(form) ?? '[]')

  const drawing = createRateLimiter(drawnEachMinute, now)

  const page = async (
    visit: Visit,
    rest: Partial<ShownTab>,
    draw: (shown: ShownTab) => Response = formTabPage,
  ): Promise<Response> => {
    const before = find(visit)
    const address = `${addressOf(visit.request)}${visitorsPath(visitedName(before))}`
    const texts = await loadTexts(parseSettings(before.settings).language ?? 'en')
    // It may have been changed meanwhile.
    const form = find(visit)
    const stored = storedDraft(parseSettings(form.settings))
    return draw({
      ...formPage(visit.session, form),
      formPages: formLimits.formPages,
      received: receivedBy(form),
      address,
      texts,
      stored,
      draft: stored,
      marks: marksOf(stored),
      ...rest,
    })
  }

  const on = {
    show: (visit: UserVisit<FormParams>): Promise<Response> => page(visit, { isSaved: visit.query.saved === 'form' }),

    async send(visit: UserSent<FormParams>): Promise<Response> {
      const { session, form: sent } = visit
      const form = find(visit)
      const shown = sent.get('shown')
      if (sent.get(inputs.action) === 'draw') {
        const { allowed, resetsAt } = drawing.take(session.userId)
        if (!allowed) throw tooManyRequests(secondsUntil(resetsAt, now()))
        return page(visit, afterAction(sent, form), typedParts)
      }
      if (sent.has(inputs.action))
        return page(visit, { ...afterAction(sent, form), ...(shown !== null && { marks: shown }) })
      const { draft, changes, conflicts } = readSent(sent, form, receivedBy(form))
      const parsed = parseInputs(changes)
      const wrong = parsed.state === 'invalid' ? { ...parsed.errors, ...conflicts } : conflicts
      if (parsed.state === 'invalid' || Object.keys(wrong).length > 0)
        return page(visit, { status: 400, draft, errors: wrong })
      const saved = await expecting(['invalid'], () => forms.saveForm(session.userId, form.id, parsed.values))
      if (saved.state === 'invalid') return page(visit, { status: 400, draft, errors: errorsOf(saved.error) })
      return redirect(`${formTabPath(form.id)}?saved=form#notice`)
    },

    showUnsaved(visit: UserSent<FormParams>): Promise<Response> {
      const form = find(visit)
      const shown = visit.form.get('shown')
      return page(visit, {
        draft: readSent(visit.form, form, receivedBy(form)).draft,
        ...(shown !== null && { marks: shown }),
      })
    },
  }

  const afterAction = (sent: URLSearchParams, form: FormTo<'configure'>): Changed => {
    const settings = parseSettings(form.settings)
    const received = receivedBy(form)
    const draft = sentDraft(sent, storedDraft(settings), new Set(received), settings.honeypot)
    return afterButton(draft, sent, { received, trap: settings.honeypot, mayHavePage: formLimits.formPages })
  }

  return [userPage(formTabPath, on.show), userAction(formTabPath, formTabPath, on.send, on.showUnsaved)]
}

// A page may be sent long after it was opened. Meanwhile, the form may have been changed elsewhere. So it comes with a mark of
// each part, a hash of what it showed, and only what differs from that is a change.

type Part = 'fields' | 'otherFields' | 'page'

const textOf: { readonly [One in Part]: (draft: Draft) => string } = {
  fields: ({ rows }) => JSON.stringify(rows),
  otherFields: ({ refusesOthers }) => String(refusesOthers),
  page: ({ page }) => JSON.stringify(page),
}
const parts = Object.keys(textOf) as Part[]

const markOf = (text: string): string => sha256(text, 'base64url').slice(0, 16)
const marksOf = (draft: Draft): string => parts.map((part) => markOf(textOf[part](draft))).join('.')

/** The draft that was sent, and how to parse each part that was changed. */
const readSent = (sent: URLSearchParams, form: FormTo<'configure'>, received: readonly string[]) => {
  const settings = parseSettings(form.settings)
  const stored = storedDraft(settings)
  const typed = withoutEmpty(sentDraft(sent, stored, new Set(received), settings.honeypot))
  const shown = (sent.get('shown') ?? '').split('.')
  const isChanged = (part: Part, position: number): boolean => {
    const text = textOf[part](typed)
    return shown.length === parts.length && text !== textOf[part](stored) && markOf(text) !== shown[position]
  }
  const changed = parts.filter(isChanged)
  const draft: Draft = {
    rows: changed.includes('fields') ? typed.rows : stored.rows,
    refusesOthers: (changed.includes('otherFields') ? typed : stored).refusesOthers,
    page: (changed.includes('page') ? typed : stored).page,
  }
  const parsers = {
    fields: () => parseTyped('fields', formFields.fromText(textOf.fields(draft))),
    otherFields: () => (draft.refusesOthers ? 'refuse' : 'keep') as 'refuse' | 'keep',
    page: () => parseTyped('page', pageKind.fromText(textOf.page(draft))),
  }
  const conflicts = changed.filter((part) => shown[parts.indexOf(part)] !== markOf(textOf[part](stored)))
  return {
    draft,
    changes: Object.fromEntries(changed.map((part) => [part, parsers[part]])) as {
      readonly [One in Part]?: () => SettingsChanges[One]
    },
    conflicts: Object.fromEntries(conflicts.map((part) => [part, changedElsewhere])),
  }
}

const changedElsewhere = 'This was changed elsewhere after you opened the page; save again to overwrite it.'
