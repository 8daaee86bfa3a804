import { withLikeExtensions } from '../../base/file-kinds.ts'
import { challengeScriptPath } from '../../config/addresses.ts'
import { type FormField, sendsFiles, sendsList } from '../../forms/fields/form-field.ts'
import { fieldsAsHtml, sampleOf } from '../../forms/fields/write-fields.ts'
import type { FormSettings } from '../../forms/settings/settings.ts'
import { html } from '../../html/html.ts'
import { english } from '../../languages/english.ts'
import type { Texts } from '../../languages/texts.ts'
import { maxFilesOf } from '../../submissions/files/file-rules.ts'
import { otherTools, type Snippet, toolSnippets } from './tool-snippets.ts'

/**
 * Code to copy into a page or a program, so that it sends to this address.
 *
 * @param settings of the form. Whether to use a proof of work may differ from what it asks at the moment.
 * @param texts of its language
 */
export const snippets = (address: string, settings: FormSettings, texts: Texts = english): readonly Snippet[] =>
  // A list of fields has its own inputs for files.
  settings.acceptFiles && settings.fields.length === 0
    ? snippetsFor(address, settings, texts)
    : snippetsFor(address, settings, texts).filter(({ id }) => id !== 'files')

const snippetsFor = (
  address: string,
  { challenge, honeypot, allowedOrigins, fields, ...rest }: FormSettings,
  texts: Texts,
): Snippet[] => {
  const plain = htmlFor(address, honeypot, { challenge, fields, texts })
  return [
    {
      id: 'html',
      name: 'HTML',
      code: plain,
      copy: 'Copy HTML',
      note: challenge
        ? 'The script works out the proof of work while a visitor types. It loads nothing else, and sets no cookie.'
        : html`${fields.length === 0 && 'Name the inputs as you like. '}Visitors do not see <code>${honeypot}</code>, which catches robots; with <code>_idempotency</code>, a double click sends one message.`,
    },
    {
      id: 'files',
      name: 'With files',
      code: htmlFor(address, honeypot, { challenge, fields, texts, files: rest }),
      copy: 'Copy HTML',
      note: `Without “enctype”, browsers send only the names of files. The form accepts ${maxFilesOf(rest) === 1 ? 'one file' : `up to ${maxFilesOf(rest)} files`} at a time.`,
    },
    {
      id: 'fetch',
      name: 'JavaScript',
      code: challenge ? fetchWithChallenge(address, fields) : fetchFor(address, fields),
      copy: 'Copy JavaScript',
      note: `${challenge ? `The page must load ${challengeScript(address)}. ` : ''}${
        allowedOrigins.length === 0
          ? 'Works on every website.'
          : 'Works on the pages that may send, which are in the settings.'
      }`,
    },
    ...toolSnippets(plain),
    {
      id: 'curl',
      name: 'curl',
      code: curlFor(address, fields, allowedOrigins[0]?.replace('*', 'www')),
      copy: 'Copy command',
      note: challenge
        ? 'The response is 400: this form asks for a proof of work, which curl cannot compute.'
        : `The response has the identifier of the submission.${
            allowedOrigins.length === 0 ? '' : ' The request must name the origin of a page that may send.'
          }`,
    },
    otherTools(plain),
  ]
}

interface Parts {
  readonly challenge: boolean
  /** The list of the form; empty for the usual ones. */
  readonly fields: readonly FormField[]
  readonly texts: Texts
  /** The settings for files, if the form has an input for them. */
  readonly files?: Pick<FormSettings, 'fileTypes' | 'maxFiles'>
}

const htmlFor = (address: string, honeypot: string, { challenge, fields, texts, files }: Parts): string => {
  // Where a policy forbids it, or without JavaScript, the field stays empty and has no effect.
  const attributes = challenge ? '' : '\n  oninput="this._idempotency.value = Date.now() + Math.random()"'
  const hasFiles = files !== undefined || fields.some(({ type }) => sendsFiles(type))
  return `<form action="${address}"
  method="post"${hasFiles ? ' enctype="multipart/form-data"' : ''} accept-charset="utf-8"${attributes}>
${fields.length > 0 ? fieldsAsHtml(fields, texts) : usualInputs}${files ? fileInput(files) : ''}
  <input name="${Bun.escapeHTML(honeypot)}" hidden autocomplete="off">
  <input name="_idempotency" type="hidden">${challenge ? withoutScript(texts) : ''}
  <button>${texts.fields.send}</button>
</form>${challenge ? `\n<script src="${challengeScript(address)}" async></script>` : ''}`
}

const usualInputs = `  <label>Name <input name="name" required></label>
  <label>Email <input name="email" type="email" required></label>
  <label>Message <textarea name="message" required></textarea></label>`

/** Takes several files if the owner has said how many. */
const fileInput = ({ fileTypes, maxFiles }: Pick<FormSettings, 'fileTypes' | 'maxFiles'>): string => `
  <label>File <input name="file" type="file"${(maxFiles ?? 1) > 1 ? ' multiple' : ''}${
    fileTypes.length === 0 ? '' : `\n    accept="${Bun.escapeHTML(withLikeExtensions(fileTypes).join(','))}"`
  }></label>`

const withoutScript = ({ challenge: { noScript } }: Texts): string => `
  <noscript><p>${noScript.replaceAll(/(.{40,60}) /g, '$1\n    ')}</p></noscript>`

const challengeScript = (address: string): string => `${new URL(address).origin}${challengeScriptPath()}`

const fetchFor = (address: string, fields: readonly FormField[]): string => `const address = '${address}'
${sending(`{ ${membersOf(fields)} }`)}`

/** The fields as the members of an object that a program sends. */
const membersOf = (fields: readonly FormField[]): string =>
  fields.length === 0 ? "name: 'Ada', message: 'Hello'" : sampleData(fields).slice(1, -1)

const sampleData = (fields: readonly FormField[]): string =>
  JSON.stringify(
    Object.fromEntries(
      fields
        .map((field) => [field.name, sendsList(field.type) ? sampleOf(field) : sampleOf(field)[0]] as const)
        .filter(([, value]) => value !== undefined),
    ),
  )

const fetchWithChallenge = (address: string, fields: readonly FormField[]): string => `const address = '${address}'
// While the visitor still types. It works once, for an hour.
const _challenge = await formboxChallenge(address)
${sending(`{ ${membersOf(fields)}, _challenge }`)}`

const sending = (data: string): string => `const response = await fetch(address, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(${data}),
})
if (!response.ok) throw new Error((await response.json()).message)`

// Not `--json`, which curl has only since 2022.
const curlFor = (address: string, fields: readonly FormField[], origin: string | undefined): string =>
  [
    "curl -H 'content-type: application/json'",
    ...(origin === undefined ? [] : [`-H 'origin: ${origin}'`]),
    `-d '${fields.length === 0 ? '{"name":"Ada","message":"Hello"}' : sampleData(fields).replaceAll("'", "'\\''")}'`,
    address,
  ].join(' \\\n  ')
