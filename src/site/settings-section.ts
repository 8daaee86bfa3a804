import type { FormTo } from '../forms/access.ts'
import type { ownFields } from '../forms/settings/declared.ts'
import type { RecentOrigin } from '../forms/settings/origins.ts'
import type { FormLimits, SettingName } from '../forms/settings/settings.ts'
import type { Html } from '../html/html.ts'
import type { Option } from '../html/labelled-input.ts'
import type { LearnedNumbers } from '../submissions/spam/learning.ts'

/** The form on the page of its settings, and what the operator allows. */
export interface ShownForm extends FormLimits {
  readonly form: FormTo<'configure'>
  /** The fields that the form has had so far. */
  readonly fieldNames: readonly string[]
  /** Pages that may not send to the form. */
  readonly refused: readonly RecentOrigin[]
  /** Pages whose messages were lost. */
  readonly lost: readonly RecentOrigin[]
  /** Pages to which the form's `_next` may not lead. */
  readonly ignored: readonly RecentOrigin[]
  /** Names of the senders that the form's owner may choose. */
  readonly senderNames: readonly string[]
  /** The automatic reply as it is now; null for none. */
  readonly replyPreview: Html | null
  /** The numbers of what the form would learn from marks; null if nothing is known of it. */
  readonly learned: LearnedNumbers | null
}

/** One of the form's own fields, or one of its settings. */
export type Name = SettingName | keyof typeof ownFields

/** A section of that page, which is saved by itself. */
export interface SettingsSection {
  /** The value of `section` that its button sends, and the section's id on the page. */
  readonly name: string
  readonly heading: string
  readonly lead: string
  readonly settings: readonly Name[]
  /** Markup above the settings. */
  readonly above?: (shown: ShownForm) => Html | false
  /** Whether the settings are left out, because none of them can be changed. */
  readonly isFixed?: (shown: ShownForm) => boolean
}

/** The words of a setting that only a page has, and the input if it is not that of its kind. */
export interface Extra {
  /** After the hint. */
  readonly remark?: (shown: ShownForm) => Html | string | false
  readonly choices?: Choices
  /** Of which one can be chosen. */
  readonly options?: (shown: ShownForm) => readonly Option[]
  /** Whether it is not asked for, because there is nothing to choose. */
  readonly isLeftOut?: (shown: ShownForm) => boolean
  readonly own?: OwnInputs
}

/** Words that a person can choose from, as check boxes, and how to ask for others. */
export interface Choices {
  readonly offered: readonly {
    /** Chosen together. */
    readonly words: readonly string[]
    readonly label: string
    readonly hint?: string
  }[]
  readonly others: { readonly label: string; readonly hint: string }
}

/** Several inputs for one setting. */
export interface OwnInputs {
  readonly names: readonly string[]
  /** Their contents as one text. */
  readonly read: (sent: URLSearchParams) => string
  /** The inputs with the contents of such a text. */
  readonly show: (text: string, asked: Pick<Asked, 'hint' | 'error'>, shown: ShownForm) => Html
}

/** How an input is asked for. */
export interface Asked {
  readonly name: string
  readonly label: string
  readonly hint: string | Html
  readonly error: string | undefined
}
