import { parseExpiry, parseKeyName } from '../accounts/keys/key-rules.ts'
import type { Key } from '../accounts/keys/store.ts'
import type { Session } from '../accounts/sessions/store.ts'
import { invalid } from '../base/errors.ts'
import { creationTime } from '../base/id.ts'
import { formsApiPath, guidePath, keysPath, type ParamsOf, referencePath, revokeKeyPath } from '../config/addresses.ts'
import { copyable } from '../html/copyable.ts'
import { time } from '../html/format.ts'
import { frame, notice, ownPage } from '../html/frame.ts'
import { type Html, html } from '../html/html.ts'
import { type InputErrors, labelledInput } from '../html/labelled-input.ts'
import { questionPage } from '../html/message-page.ts'
import { redirect } from '../html/redirect.ts'
import { type Choices, formChoices, formsInput, formsOfKeys, parseForms, typedForms } from './key-forms.ts'
import type { PageOptions } from './page-options.ts'
import { parseInputs } from './parse-inputs.ts'
import { openShownOnce } from './shown-once.ts'
import type { UserSent, UserVisit } from './visit.ts'

type KeyParams = ParamsOf<typeof revokeKeyPath.route>

/** `/settings/keys`: lists the keys of a user, creates one, and asks before it revokes one. */
export const keysRoutes = (options: PageOptions) => {
  const { userAction, userPage } = options.pages
  const { keys, formLists, findTitles, now, addressOf } = options
  const newValues = openShownOnce(now)

  const page = (request: Request, { userId, email }: Session, rest: Partial<KeysPage>): Response => {
    const newestFirst = keys.listKeys(userId).toReversed()
    const limits = formsOfKeys(newestFirst, (ids) => findTitles(userId, ids))
    return keysPage({
      email,
      keys: newestFirst.map((key) => ({ ...key, limit: limits.get(key.id) ?? false })),
      choices: formChoices(formLists, userId),
      now: now(),
      address: addressOf(request),
      ...rest,
    })
  }

  const on = {
    show({ request, session, query }: UserVisit): Response {
      const value = newValues.take(session.hash, query.created)
      return page(request, session, { value, done: query.done })
    },

    async create({ request, session, form }: UserSent): Promise<Response> {
      const typed = typedIn(form)
      const inputs = parseInputs({
        name: () => parseKeyName(typed.name),
        expires: () => (typed.expires === '' ? null : parseExpiry(typed.expires, now())),
        permission: () => parsePermission(typed.permission),
        forms: () => parseForms(typed.forms, session.userId, findTitles),
      })
      if (inputs.state === 'invalid') return page(request, session, { status: 400, typed, errors: inputs.errors })
      const { expires: expiresAt, permission, ...rest } = inputs.values
      const key = { ...rest, expiresAt, isReadOnly: permission === 'read-only' }
      const { id, value } = await keys.createKey(session.userId, session.hash, key)
      newValues.put(session.hash, id, value)
      return redirect(`${keysPath()}?created=${id}#created`)
    },

    showUnsaved: ({ request, session, form }: UserSent): Response =>
      page(request, session, { typed: typedIn(form), isUnsaved: true }),

    showRevoke: ({ session, params }: UserVisit<KeyParams>): Response =>
      revokePage(session.email, keys.findKey(session.userId, params.keyId)),

    async revoke({ session, params }: UserSent<KeyParams>): Promise<Response> {
      await keys.revokeKey(session.userId, params.keyId)
      return redirect(`${keysPath()}?done=revoked#notice`)
    },
  }

  return [
    userPage(keysPath, on.show),
    userAction(keysPath, keysPath, on.create, on.showUnsaved),
    userPage(revokeKeyPath, on.showRevoke),
    userAction(revokeKeyPath, keysPath, on.revoke),
  ]
}

const typedIn = (sent: URLSearchParams) => ({
  name: sent.get('name') ?? '',
  expires: sent.get('expires') ?? '',
  permission: sent.get('permission') ?? 'full',
  forms: typedForms(sent),
})

const parsePermission = (text: string): 'full' | 'read-only' => {
  if (text === 'full' || text === 'read-only') return text
  throw invalid({ field: 'permission', message: 'must be full or read-only' })
}

/** A key, and in words which forms it is limited to. */
interface ListedKey extends Key {
  readonly limit: Html | false
}

interface KeysPage {
  readonly status?: number
  readonly email: string
  readonly keys: readonly ListedKey[]
  readonly choices: Choices
  readonly now: number
  readonly address: string
  /** The value of a key that was just created. */
  readonly value?: string | null
  readonly typed?: Typed
  readonly errors?: InputErrors
  /** Whether `typed` was sent after the session had ended. */
  readonly isUnsaved?: true
  readonly done?: unknown
}

type Typed = ReturnType<typeof typedIn>

const nothingTyped = typedIn(new URLSearchParams())

const keysPage = (shown: KeysPage): Response => {
  const { status = 200, email, keys, now, address, value, typed = nothingTyped, errors = {}, isUnsaved, done } = shown
  return frame({
    ...ownPage('API keys', keysPath, email, status),
    body: html`<div class="head"><h1>API keys</h1><p class="end"><a href="${guidePath('api')}">Guide to the API</a> · <a href="${referencePath()}">API reference</a></p></div>
${done === 'revoked' && notice('done', 'The key has been revoked.')}
${isUnsaved && html`<p class="notice failed" role="alert">Not created yet. What you typed is under <a href="#create-heading">Create a key</a>.</p>`}
${value && created(value, address)}
${keys.length > 0 && html`<ul class="things card" aria-label="Your keys">\n${keys.map((key) => keyItem(key, now))}</ul>`}
${creationForm(typed, errors, shown)}`,
  })
}

const created = (
  value: string,
  address: string,
): Html => html`<section class="card new" id="created" tabindex="-1" aria-labelledby="new-heading" data-secret>
<h2 id="new-heading">Your new key: copy it now</h2>
<p>It is shown only once. Treat it like a password.</p>
${copyable('new-key', value, 'Copy key')}
<p>Use it to list your forms:</p>
${copyable('new-command', `curl -H "Authorization: Bearer ${value}" ${address}${formsApiPath()}`, 'Copy command')}
</section>`

const creationForm = (
  typed: Typed,
  errors: InputErrors,
  { now, choices, keys }: Pick<KeysPage, 'now' | 'choices' | 'keys'>,
): Html => html`<section class="card" aria-labelledby="create-heading">
<h2 id="create-heading">Create a key</h2>
${keys.length === 0 && html`<p class="lead">With a key, a program can read and manage your forms and what people send to them.</p>`}
<form class="inputs" method="post" action="${keysPath()}">
${labelledInput({
  name: 'name',
  label: 'Name',
  type: 'text',
  value: typed.name,
  error: errors.name,
  hint: 'What it is for',
})}
<fieldset${errors.permission && html` aria-describedby="permission-error"`}>
<legend>It may</legend>
<div><div class="segments">${permissions.map(
  ([permission, words]) =>
    html`<label><input type="radio" name="permission" value="${permission}"${permission === typed.permission && html` checked`}>${words}</label>`,
)}</div></div>
${errors.permission && html`<p class="error" id="permission-error">${errors.permission}</p>`}
</fieldset>
${formsInput(choices, typed.forms, errors.forms)}
${labelledInput({
  name: 'expires',
  label: 'Valid until',
  type: 'date',
  value: typed.expires,
  error: errors.expires,
  hint: 'The last day, in UTC',
  min: new Date(now).toISOString().slice(0, 10),
  isOptional: true,
})}
<div class="actions"><button class="primary">Create key</button></div>
</form>
</section>`

const permissions = [
  ['full', 'Read and change'],
  ['read-only', 'Only read'],
] as const

const keyItem = (key: ListedKey, now: number): Html => {
  const { id, name, start, isReadOnly, limit, lastUsedAt, expiresAt } = key
  // The last millisecond at which it works, which is on the day that was chosen.
  const lastAt = expiresAt === null ? null : time(expiresAt - 1)
  const isExpired = expiresAt !== null && expiresAt <= now
  return html`<li class="is-none">
<div class="what"><p><strong><bdi>${name}</bdi></strong>${isExpired && html` <span class="chip">Ended ${lastAt}</span>`}</p>
<p class="muted">${isReadOnly ? 'Only reads' : 'Reads and changes'} ${limit || 'all forms'}. ${lastUsedAt === null ? 'Not used yet.' : html`Last used ${time(lastUsedAt)}.`}${!isExpired && html` Valid ${lastAt ? html`until ${lastAt}` : 'for ever'}.`}</p>
<p class="muted small"><code>${start}…</code>, made ${time(creationTime(id))}</p></div>
<div class="does"><a class="button quiet danger" href="${revokeKeyPath(id)}" aria-label="Revoke ${name}">Revoke</a></div></li>
`
}

const revokePage = (email: string, { id, name, start }: Key): Response =>
  questionPage({
    email,
    section: keysPath,
    title: 'Revoke this key?',
    subject: html`<p><bdi>${name}</bdi> <code>${start}…</code></p>`,
    text: 'Every request with this key will be refused. This can’t be undone.',
    action: revokeKeyPath(id),
    answers: html`<button class="primary dangerous">Revoke key</button>
<a class="button" href="${keysPath()}">Keep key</a>`,
  })
