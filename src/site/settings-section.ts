import type { peopleSettingsPath, settingsPath, spamSettingsPath, visitorSettingsPath } from '../config/addresses.ts'
import type { FormTo } from '../forms/access.ts'
import type { Form } from '../forms/form.ts'
import type { ownFields } from '../forms/settings/declared.ts'
import type { FormLimits } from '../forms/settings/form-limits.ts'
import type { RecentOrigin } from '../forms/settings/origins.ts'
import type { FormSettings, SettingName } from '../forms/settings/settings.ts'
import type { Html } from '../html/html.ts'
import type { Option } from '../html/labelled-input.ts'
import type { Stores } from '../stores/stores.ts'
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
  /** The mail to visitors that is written on the page, as it is now; null for none. */
  readonly mailPreview: Html | null
  /** The numbers of what the form would learn from marks; null if nothing is known of it. */
  readonly learned: LearnedNumbers | null
}

/** One of the form's own fields, or one of its settings. */
export type Name = SettingName | keyof typeof ownFields

/** Where a setting stands in its section: by itself, or with others in a box or below a line that opens. */
export type Placed =
  | Name
  | { readonly names: readonly Name[]; readonly box: string }
  | {
      readonly names: readonly Name[]
      readonly fold: string
      readonly isOpen: (shown: ShownForm, sent: URLSearchParams | undefined) => boolean
    }

export const namesOf = (placed: readonly Placed[]): readonly Name[] =>
  placed.flatMap((one) => (typeof one === 'string' ? one : one.names))

/** Settings that stand together on a page. */
export interface SettingsSection {
  /** Its id on the page. */
  readonly name: string
  readonly heading: string
  readonly lead?: string
  readonly settings: readonly Placed[]
  /** Markup above the settings. @param sent what was typed and not stored */
  readonly above?: (shown: ShownForm, sent: URLSearchParams | undefined) => Html | false
  /** Whether the settings are left out, because none of them can be changed. */
  readonly isFixed?: (shown: ShownForm) => boolean
  /** What is set, in the line that opens. */
  readonly summary?: (settings: FormSettings) => string
  /** A line that opens; or without a heading that shows, for the only or first section of a page. */
  readonly look?: 'folded' | 'plain'
}

/** What the rail sums up. */
interface Summed extends Pick<Stores, 'members' | 'webhooks'> {
  readonly form: FormTo<'configure'>
  readonly now: number
}

/** A page of settings, which are saved together. */
export interface SettingsGroup {
  readonly name: 'told' | 'visitors' | 'spam' | 'people'
  readonly heading: string
  /** The name of its guide. */
  readonly guide: string
  readonly address:
    | typeof settingsPath
    | typeof visitorSettingsPath
    | typeof spamSettingsPath
    | typeof peopleSettingsPath
  /** In a few words what is set there, for the rail. */
  readonly sum: (summed: Summed) => Html | string
  readonly sections: readonly SettingsSection[]
  /** What a choice for several settings means for each of them. Applied twice, it is as applied once. */
  readonly spread?: (sent: URLSearchParams, form: Form) => URLSearchParams
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
  readonly show: (
    text: string,
    asked: Pick<Asked, 'hint' | 'error'>,
    shown: ShownForm,
    sent: URLSearchParams | undefined,
  ) => Html
}

/** How an input is asked for. */
export interface Asked {
  readonly name: string
  readonly label: string
  readonly hint: string | Html
  readonly error: string | undefined
}
