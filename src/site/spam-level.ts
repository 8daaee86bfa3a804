import { embedPath, spamPath } from '../config/addresses.ts'
import type { Form } from '../forms/form.ts'
import { parseSettings } from '../forms/settings/settings.ts'
import { levelled, levelOf, type SpamLevel, spamLevelNames, spamLevels } from '../forms/settings/spam-levels.ts'
import { type Html, html } from '../html/html.ts'
import { isChanged, putText } from './setting.ts'
import type { ShownForm } from './settings-section.ts'

/** The name of the radio inputs, and of the hidden one that says which of them was shown as chosen. */
const name = 'level'
const shownName = 'shown-level'

const words: { readonly [Level in SpamLevel | 'own']: { readonly label: string; readonly does: string } } = {
  light: { label: 'Light', does: 'What fills in the trap, a field that people do not see.' },
  usual: {
    label: 'Usual',
    does: `Also more than ${spamLevels.usual.maxLinks} links, and what looks like the spam you have marked.`,
  },
  strict: {
    label: 'Strict',
    does: 'Also any link. Browsers work for a second before they send, which needs JavaScript.',
  },
  own: { label: 'Own', does: 'What you have chosen one by one.' },
}

/** What the choice is called. */
export const levelLabel = ({ settings }: Pick<Form, 'settings'>): string =>
  words[levelOf(parseSettings(settings)) ?? 'own'].label

const storedIn = ({ form }: ShownForm): SpamLevel | 'own' => levelOf(parseSettings(form.settings)) ?? 'own'

/** The level that someone chose and that is not stored; undefined if none was. */
const typedIn = (sent: URLSearchParams | undefined): string | undefined => {
  const level = sent?.get(name) ?? undefined
  return level === sent?.get(shownName) ? undefined : level
}

/** Whether the settings are chosen one by one. */
export const isOwnLevel = (shown: ShownForm, sent: URLSearchParams | undefined): boolean =>
  (typedIn(sent) ?? storedIn(shown)) === 'own'

/** The choice of a level. “Own” is offered where it is chosen. */
export const levelTiles = (shown: ShownForm, sent: URLSearchParams | undefined): Html => {
  const { form } = shown
  const stored = storedIn(shown)
  const chosen = typedIn(sent) ?? stored
  const offered = stored === 'own' ? [...spamLevelNames, 'own' as const] : spamLevelNames
  return html`<fieldset><legend>How much is held back?</legend>
<input type="hidden" name="${shownName}" value="${stored}">
<div class="tiles">
${offered.map(
  (level) =>
    html`<label class="choice tile"><input type="radio" name="${name}" value="${level}"${level === chosen && html` checked`}><strong>${words[level].label}</strong><span>${words[level].does}</span></label>
`,
)}</div>
<p class="hint">Held back is not lost: it stays under <a href="${spamPath(form.id)}">Spam</a>, and one click brings it back. Before you choose Strict, put the <a href="${embedPath(form.id)}?with=challenge">code with the script</a> on your page: without it, messages are refused.</p>
</fieldset>
`
}

/** The settings that a level stands for, but for those that were changed by themselves. */
export const spreadLevel = (sent: URLSearchParams, form: Form): URLSearchParams => {
  const level = spamLevelNames.find((one) => one === typedIn(sent))
  if (level === undefined) return sent
  const spread = new URLSearchParams(sent)
  for (const one of levelled) if (!isChanged([one], sent, form)) putText(spread, one, spamLevels[level][one])
  return spread
}
