import { describe, expect, test } from 'bun:test'
import { english } from '../../src/languages/english.ts'
import { foreign } from '../../src/languages/foreign.ts'
import { languages, loadTexts } from '../../src/languages/languages.ts'
import type { Texts } from '../../src/languages/texts.ts'

const marked = foreign('XYZZY')
const megabytes = 10 * 1024 * 1024

/** What a text is given here: in the order of its arguments. */
const given: Readonly<Record<string, readonly unknown[]>> = {
  early: [Date.UTC(2026, 11, 1, 8)],
  over: [Date.UTC(2026, 11, 1, 8)],
  textTooLong: [megabytes],
  filesTooLarge: [megabytes],
  fileTooLarge: [marked, megabytes],
  wrongKind: [marked, ['image/*', 'PDF', 'Word'], 'program', null],
  tooManyFiles: [12_345],
  ...Object.fromEntries(
    ['atLeast', 'atMost', 'fewest', 'shortest', 'longest', 'mostFiles', 'placesLeft', 'waiting'].map((name) => [
      name,
      [12_345],
    ]),
  ),
  most: [12_345],
  earliest: ['2026-12-31'],
  latest: ['2026-12-31'],
  why: [['one.example', 'two.example']],
  size: [megabytes],
  file: ['PDF', megabytes],
  moreFields: [12_345],
  more: [12_345],
  shortened: [12_345],
  formStopped: [marked, marked],
}

/** All texts, by their path. */
const textsIn = (value: object, path = ''): [string, string][] =>
  Object.entries(value).flatMap(([name, text]): [string, string][] => {
    const at = `${path}${name}`
    if (typeof text === 'string') return [[at, text]]
    return typeof text === 'function'
      ? [[at, text(...(given[name] ?? Array(text.length).fill(marked)))]]
      : textsIn(text as object, `${at}.`)
  })

const own = new Map(textsIn(english))

describe.each(languages)('the texts in %s', (language) => {
  test('say their language, and what they were given', async () => {
    expect((await loadTexts(language)).tag).toBe(language)
    for (const [path, text] of textsIn(await loadTexts(language))) {
      if (path === 'space') continue
      expect(text.trim(), path).toBe(text)
      expect(text, path).not.toMatch(/undefined|NaN|\[object|[{}<>]|image\/| {2}/)
      expect(text.split('XYZZY').length, path).toBe(own.get(path)?.split('XYZZY').length as number)
      expect(text.includes('one.example'), path).toBe(own.get(path)?.includes('one.example') as boolean)
    }
  })
})

test.each(languages.filter((language) => language !== 'en'))('the texts in %s are not English', async (language) => {
  const all = textsIn(await loadTexts(language))
  const same = all.filter(
    ([path, text]) => own.get(path) === text && !/^(dir|space|labelled|mail\.(size|file))$/.test(path),
  )
  // What is an English word in other languages too.
  expect(same.filter(([path]) => !/^fields\.(error|optional)$/.test(path))).toEqual([])
  const english = / (?:the|your|this|and|with|please) /i
  expect(all.filter(([, text]) => english.test(` ${text.replaceAll('JavaScript', '')} `))).toEqual([])
})

test('kinds of files share one word for files', async () => {
  const said: Record<string, string> = {}
  for (const language of ['en', 'de', 'fr', 'ar'] as const) {
    const { reasons } = await loadTexts(language)
    const text = reasons.wrongKind(foreign('a'), ['PNG', 'image/*', 'ODT'], 'image', 'AVIF')
    said[language] = text.replaceAll(/[\u2068\u2069]/g, '')
  }
  expect(said).toEqual({
    en: 'This form takes only images, PNG, and ODT files, and “a” is an AVIF file with the wrong extension.',
    de: 'Dieses Formular nimmt nur Bilder, PNG- und ODT-Dateien an, aber „a“ ist eine AVIF-Datei mit falscher Dateiendung.',
    fr: 'Ce formulaire n’accepte que les images, les fichiers PNG et ODT, or «\u202fa\u202f» est un fichier AVIF dont l’extension est incorrecte.',
    ar: 'لا يقبل هذا النموذج سوى الصور وملفات PNG وODT، أما الملف «a» فهو ملف AVIF امتداده غير صحيح.',
  })
})

test('the words around an hour are those for this hour', async () => {
  const opening = async (language: 'es' | 'pl' | 'cs' | 'uk', hour: number) =>
    (await loadTexts(language)).reasons.early(Date.UTC(2026, 2, 1, hour, 5))
  expect(await opening('es', 1)).toBe('Se abre el 1 de marzo de 2026 a la 1:05 UTC.')
  expect(await opening('es', 11)).toBe('Se abre el 1 de marzo de 2026 a las 11:05 UTC.')
  expect(await opening('pl', 8)).toBe('Data otwarcia: 1 marca 2026, godz. 08:05 UTC.')
  expect(await opening('cs', 1)).toBe('Otevře se 1. března 2026 v 1:05 UTC.')
  expect(await opening('cs', 20)).toBe('Otevře se 1. března 2026 ve 20:05 UTC.')
  expect(await opening('uk', 11)).toBe('Її буде відкрито 1 березня 2026 р. об 11:05 UTC.')
  expect(await opening('uk', 12)).toBe('Її буде відкрито 1 березня 2026 р. о 12:05 UTC.')
})

test('a sentence with a day ends with one full stop', async () => {
  for (const language of languages) {
    const { fields } = await loadTexts(language)
    expect(fields.earliest('2026-01-01')).toMatch(/[^.][.。]$/)
    expect(fields.latest('2026-01-01')).toMatch(/[^.][.。]$/)
  }
})

test('numbers, sizes and times are written as the language does', async () => {
  const said = async (toText: (texts: Texts) => string) =>
    Object.fromEntries(
      await Promise.all((['de', 'fr', 'ar', 'ja'] as const).map(async (one) => [one, toText(await loadTexts(one))])),
    )
  expect(await said(({ reasons }) => reasons.early(Date.UTC(2026, 11, 1, 8)))).toEqual({
    de: 'Es öffnet am 1. Dezember 2026 um 08:00 UTC.',
    fr: 'Il ouvrira le 1er décembre 2026 à 08:00 UTC.',
    ar: 'سيُفتح يوم 1 ديسمبر 2026 في 8:00 ص UTC.',
    ja: '受付開始：2026年12月1日 8:00 UTC',
  })
  expect(await said(({ fields }) => fields.atLeast(-1000.5))).toEqual({
    de: 'Geben Sie eine Zahl von mindestens -1000,5 ein.',
    fr: 'Saisissez un nombre supérieur ou égal à -1000,5.',
    ar: 'يُرجى إدخال \u200e-1000.5 أو أكثر.',
    ja: '-1000.5以上の数値を入力してください。',
  })
  // After Arabic letters, a day would be read from its other end.
  const { fields } = await loadTexts('ar')
  expect(fields.date).toContain('\u200e2026-12-31')
  expect(await said(({ fields }) => fields.latest('2027-01-01'))).toEqual({
    de: 'Geben Sie ein Datum bis zum 1. Januar 2027 ein.',
    fr: 'La date ne peut pas être postérieure au 1er janvier 2027.',
    ar: 'يُرجى إدخال 1 يناير 2027 أو تاريخ قبله.',
    ja: '2027年1月1日以前の日付を入力してください。',
  })
  expect(await said(({ fields }) => fields.longest(100_000))).toEqual({
    de: 'Geben Sie höchstens 100.000 Zeichen ein.',
    fr: 'Nombre maximal de caractères\u202f: 100\u202f000.',
    ar: 'الحد الأقصى لعدد الأحرف: 100,000.',
    ja: '100,000文字以内で入力してください。',
  })
  expect(await said(({ labelled }) => labelled('A', 'B'))).toEqual({
    de: 'A: B',
    fr: 'A\u202f: B',
    ar: 'A: B',
    ja: 'A：B',
  })
  expect(await said(({ mail }) => mail.size(4.79 * 1024 * 1024))).toEqual({
    de: '4,7 MB',
    fr: '4,7\u202fMo',
    ar: '4.7 ميغابايت',
    ja: '4.7 MB',
  })
})
