import { dayMilliseconds, hourMilliseconds, minuteMilliseconds } from '../base/durations.ts'
import { sendsList } from '../forms/fields/form-field.ts'
import cakePath from './cake.png' with { type: 'file' }
import cvPath from './cv.pdf' with { type: 'file' }
import type { DemoForms, FormName } from './forms.ts'
import submissionsPath from './submissions.txt' with { type: 'file' }

/** What a visitor sends. */
export interface Sent {
  readonly form: FormName
  /** Whether the owner will mark it as spam. */
  readonly isSpam: boolean
  readonly language: string
  /** The visitor's name. */
  readonly who: string
  readonly body: FormData
  /** Unix milliseconds. */
  readonly at: number
}

/** For how long the forms have been there. */
export const days = 14

/**
 * All that visitors have sent until now, each form's in the order of its lines. A line has a form, or how spam reaches the
 * contact form, then a language, and then values in the order of `names`.
 */
export const readSent = async (forms: DemoForms, present: number): Promise<Sent[]> => {
  const lines = (await Bun.file(submissionsPath).text()).trim().split('\n')
  const rows = lines.map((line) => {
    const [kind = '', language = '', ...values] = line.split('|')
    return { form: kind in forms ? (kind as FormName) : ('contact' as const), kind, language, values }
  })
  // With this seed, orders come soon after the printer broke down: its webhook has given up the first ones by now.
  const random = randomNumbers(30)
  return [...Map.groupBy(rows, ({ form }) => form)].flatMap(([form, ofForm]) => {
    const newest = present - forms[form].idleMinutes * minuteMilliseconds
    return ofForm.map(({ kind, language, values }, position): Sent => {
      const later = ofForm.length - 1 - position
      const even = later === 0 ? 0 : Math.min(1, (later + 2 * random()) / ofForm.length)
      // Some days are busier than others.
      const inWaves = even - Math.sin(27 * even) / 30
      const at = byDay(newest - Math.round(inWaves * days * dayMilliseconds), present)
      const body = toBody(forms, form, values, at)
      if (kind === 'trap') body.append('_gotcha', 'https://example.net')
      return { form, isSpam: kind === 'spam', language, who: values[0] ?? '', body, at }
    })
  })
}

const toBody = (forms: DemoForms, form: FormName, values: readonly string[], at: number): FormData => {
  const { names, settings } = forms[form]
  const body = new FormData()
  for (const [position, name] of names.entries()) {
    const field = settings.fields?.find((one) => one.name === name)
    const text = values[position] ?? ''
    // Days change with the time of the demo.
    if (name === 'day') body.append(name, field?.options?.[Number(text)] ?? '')
    else if (field && sendsList(field.type)) for (const one of text.split(', ').filter(Boolean)) body.append(name, one)
    else body.append(name, text)
  }
  if (form === 'orders') body.append('pickup', new Date(at + 6 * dayMilliseconds).toISOString().slice(0, 10))
  if (values[3]?.startsWith('Like in the photo'))
    body.append('photo', Bun.file(cakePath, { type: 'image/png' }), 'cake.png')
  if (form === 'jobs') body.append('cv', Bun.file(cvPath, { type: 'application/pdf' }), `CV ${values[0]}.pdf`)
  return body
}

/** What would come before seven in the morning comes seven hours later, unless that is still to come. */
const byDay = (at: number, present: number): number => {
  const later = at + 7 * hourMilliseconds
  return new Date(at).getHours() < 7 && later < present ? later : at
}

/** Numbers from 0 to 1 that are the same each time (Numerical Recipes). */
const randomNumbers = (seed: number): (() => number) => {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
