import { entriesAsText, entriesInText, groupsOf, type TypedEntry } from '../forms/settings/notify.ts'
import { maxAddresses } from '../forms/settings/settings.ts'
import { type Html, html } from '../html/html.ts'
import { labelledInput } from '../html/labelled-input.ts'
import { conditionInSentence } from '../outbox/condition.ts'
import type { OwnInputs } from './settings-section.ts'

// Addresses that get their mails in the same way are asked for together: most forms have one such group. The last one is
// empty, for addresses that get theirs in another way.

type Ways = Omit<TypedEntry, 'address'>

const usual: Ways = { digest: '', field: '', equals: '' }

const names = ['notify', 'notify-when', 'notify-field', 'notify-equals'] as const

/** Addresses a line, also as a mail program copies them: `Bob <bob@example.com>, "Lovelace, Ada" <ada@example.com>`. */
const addressesIn = (text: string): string[] =>
  [...text.matchAll(/(?:"[^"\r\n]*"|[^\r\n,;])+/g)]
    .map(([part]) => part.replace(/^[^<>]*<([^<>]+)>\s*$/, '$1').trim())
    .filter(Boolean)

export const notifyInputs: OwnInputs = {
  names,

  read(sent) {
    const [lines, ...ways] = names.map((name) => sent.getAll(name))
    return entriesAsText(
      (lines ?? []).flatMap((text, position) => {
        const [digest = '', field = '', equals = ''] = ways.map((all) => (all[position] ?? '').trim())
        return addressesIn(text).map((address) => ({ address, digest, field, equals }))
      }),
    )
  },

  show(text, { error, hint }) {
    const groups = [...groupsOf(entriesInText(text)).values()].map(([first = { address: '', ...usual }, ...others]) => {
      const { address, ...ways } = first
      return { ways, lines: [address, ...others.map((one) => one.address)] }
    })
    const [first = { ways: usual, lines: [] }, ...others] = groups
    return html`${group(first, '', hint, error)}
${others.map((one, position) => group(one, `-${position + 2}`))}${
  groups.length > 0 &&
  html`<details class="fold more"><summary>More addresses, in another way</summary>
${group({ ways: usual, lines: [] }, `-${groups.length + 1}`)}
</details>
`
}`
  },
}

interface Group {
  readonly ways: Ways
  readonly lines: readonly string[]
}

/** @param ending makes the identifiers of its inputs different from those of the first group */
const group = ({ ways, lines }: Group, ending: string, hint?: string | Html, error?: string): Html => {
  const { digest: often, field: name, equals } = ways
  const hasCondition = name !== '' || equals !== ''
  return html`<fieldset>
<legend>${ending === '' ? 'Send to' : 'And to'}</legend>
${labelledInput({
  name: 'notify',
  id: `notify${ending}`,
  label: 'Addresses',
  type: 'lines',
  value: lines.join('\n'),
  hint: hint ?? `One per line. ${maxAddresses} in total.`,
  error,
  autocomplete: 'off',
  isOptional: true,
})}
<div class="field">
<label for="notify-when${ending}">How often</label>
<select id="notify-when${ending}" name="notify-when" autocomplete="off">${[
    ['', 'For each submission'],
    ['day', 'Once a day, at 07:00'],
    ['week', 'Once a week, on Monday at 07:00'],
  ].map(
    ([value, words]) => html`<option value="${value}"${often === value && html` selected`}>${words}</option>`,
  )}</select>
</div>
<details class="fold more"${hasCondition && html` open`}><summary>${hasCondition ? conditionInSentence({ field: name, equals }) : 'Only some submissions'}</summary>
<div class="ask">
${labelledInput({
  name: 'notify-field',
  id: `notify-field${ending}`,
  label: 'If the field',
  type: 'text',
  value: name,
  hint: 'Its name in your HTML, such as topic. Leave empty to send all submissions.',
  autocomplete: 'off',
  isOptional: true,
})}
${labelledInput({
  name: 'notify-equals',
  id: `notify-equals${ending}`,
  label: 'Has the value',
  type: 'text',
  value: equals,
  hint: 'Case and accents are ignored.',
  autocomplete: 'off',
  isOptional: true,
})}
</div>
</details>
</fieldset>`
}
