import type { FormSettings } from './settings.ts'

type Levelled = Pick<FormSettings, 'maxLinks' | 'learnSpam' | 'challenge'>

/** How much of what comes in is held back: what the page of the settings offers as one choice. The trap is always there. */
export const spamLevels = {
  light: { maxLinks: null, learnSpam: false, challenge: false },
  usual: { maxLinks: 3, learnSpam: true, challenge: false },
  strict: { maxLinks: 0, learnSpam: true, challenge: true },
} as const satisfies Readonly<Record<string, Levelled>>

export type SpamLevel = keyof typeof spamLevels

export const spamLevelNames = Object.keys(spamLevels) as readonly SpamLevel[]
export const levelled = ['maxLinks', 'learnSpam', 'challenge'] as const satisfies readonly (keyof Levelled)[]

/** Undefined for settings that someone has chosen one by one. */
export const levelOf = (settings: FormSettings): SpamLevel | undefined =>
  spamLevelNames.find((level) => levelled.every((name) => settings[name] === spamLevels[level][name]))
