// A model of the contract in memory, for two users' forms and submissions: what each call must answer and change.
import type { FormSettings } from '../../src/forms/settings/settings.ts'
import { defaultSettings } from '../default-settings.ts'

interface ModelSubmission {
  readonly id: string
  readonly data: Data
}

export interface ModelForm {
  readonly id: string
  readonly owner: number
  title: string
  description: string | null
  returnUrl: string | null
  keys: string[]
  submissions: ModelSubmission[]
  spam: (ModelSubmission & { reason: string })[]
  /** By their identifiers, in the order in which they were added. */
  webhooks: Map<string, ModelWebhook>
  /** A webhook and the identifier of a submission that it was told of. */
  deliveries: Set<string>
  /** A webhook was switched off or deleted. What it was not told of yet fails at some later time. */
  hasGivenUp: boolean
  isUpdated: boolean
  settings: Settings
}
export interface ModelWebhook {
  readonly description: string | null
  readonly enabled: boolean
}
export type Settings = FormSettings
export type Data = Record<string, unknown>
export type Changes = { title?: string; description?: string | null; returnUrl?: string | null }

/** What a duplicate has of its form, besides what one creates a form with. */
type Copied = Pick<ModelForm, 'keys' | 'settings'>

/** The status of the answer that must come, or what the operation works on. */
type Verdict<T> = { readonly status: 400 | 403 | 404 } | { readonly status: 200; readonly on: T }

export class Model {
  readonly forms = new Map<string, ModelForm>()
  /** Every identifier there ever was, also of what is deleted. */
  readonly formIds: string[] = ['01zzzzzzzzzzzzzzzzzzzzzzzzzz']
  readonly submissionIds: string[] = ['01zzzzzzzzzzzzzzzzzzzzzzzzzz']

  add(
    id: string,
    owner: number,
    from: Changes,
    { keys, settings }: Copied = { keys: [], settings: { ...defaultSettings } },
  ) {
    const { title = '', description = null, returnUrl = null } = from
    const copied = { keys: [...keys], settings: { ...settings } }
    this.forms.set(id, {
      id,
      owner,
      title,
      description,
      returnUrl,
      ...copied,
      submissions: [],
      spam: [],
      webhooks: new Map(),
      deliveries: new Set(),
      hasGivenUp: false,
      isUpdated: false,
    })
    this.formIds.push(id)
  }

  find(user: number, id: string): Verdict<ModelForm> {
    const found = this.findAll(user, [id])
    return found.status === 200 ? { status: 200, on: found.on[0] as ModelForm } : found
  }

  findAll(user: number, ids: readonly string[]): Verdict<ModelForm[]> {
    const found = ids.map((id) => this.forms.get(id))
    if (found.some((form) => form === undefined)) return { status: 404 }
    if (found.some((form) => form?.owner !== user)) return { status: 403 }
    return { status: 200, on: found as ModelForm[] }
  }

  /** Newest first, which is the order of the identifiers turned round. */
  list(user: number): ModelForm[] {
    return [...this.forms.values()].filter(({ owner }) => owner === user).sort((a, b) => (a.id < b.id ? 1 : -1))
  }

  update(form: ModelForm, changes: Changes): void {
    const { title, description, returnUrl } = changes
    if (title === undefined && description === undefined && returnUrl === undefined) return
    Object.assign(
      form,
      Object.fromEntries(Object.entries({ title, description, returnUrl }).filter(([, v]) => v !== undefined)),
    )
    form.isUpdated = true
  }

  submit(form: ModelForm, id: string, sent: Data): void {
    const { data, isSpam } = received(form, sent)
    this.submissionIds.push(id)
    if (isSpam) form.spam.push({ id, data, reason: 'honeypot' })
    else this.enlist(form, { id, data })
  }

  markSpam(form: ModelForm, submission: ModelSubmission): void {
    form.submissions = form.submissions.filter(({ id }) => id !== submission.id)
    form.spam.push({ ...submission, reason: 'marked' })
    this.forget(form, [submission.id])
  }

  acceptSpam(form: ModelForm, { id, data }: ModelSubmission): void {
    form.spam = form.spam.filter((one) => one.id !== id)
    this.enlist(form, { id, data })
  }

  /** What was told of these submissions is deleted with them. */
  forget(form: ModelForm, ids: readonly string[]): void {
    for (const told of form.deliveries) if (ids.some((id) => told.endsWith(id))) form.deliveries.delete(told)
  }

  private enlist(form: ModelForm, submission: ModelSubmission): void {
    for (const [id, { enabled }] of form.webhooks) if (enabled) form.deliveries.add(`${id} ${submission.id}`)
    form.submissions.push(submission)
    form.keys.push(...Object.keys(submission.data).filter((name) => !form.keys.includes(name)))
  }
}

/** What a form makes of what is sent to it. Of what the tests send, only the empty text leaves the trap field empty. */
export const received = ({ settings: { honeypot } }: ModelForm, sent: Data) => {
  const { [honeypot]: trap, _next, ...data } = sent
  return { data, isSpam: Object.hasOwn(sent, honeypot) && trap !== '' }
}

/** A form as the API must show it, but for its times. */
export const shown = ({ id, title, description, returnUrl, keys, submissions, isUpdated }: ModelForm) => ({
  form: { id, title, description, returnUrl, keys, submissionCount: submissions.length },
  isUpdated,
})

export const pageOf = <T>(all: readonly T[], page: number, perPage: number) => ({
  items: all.slice((page - 1) * perPage, page * perPage),
  pagination: { page, perPage, total: all.length, totalPages: Math.ceil(all.length / perPage) },
})
