// Repeats the figures of docs/collecting.md on collections that others have published. It fetches nothing:
//   bun test/submissions/spam-corpora.ts FOLDER
// The folder has files such as sms.ndjson, with a line for each message: {"spam":true,"data":{"message":"…"}}. Those of the
// guide are the SMS Spam Collection, the YouTube comments of UCI (with `name`), and the groups in tizhproger/spamfilter and
// MarkIvory2973/tg-spam on GitHub, without messages that differ in case, spaces and punctuation alone.
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

const [folder] = process.argv.slice(2)
if (folder === undefined) throw new Error('Name a folder with files such as sms.ndjson')
for (const file of readdirSync(folder).filter((name) => name.endsWith('.ndjson'))) {
  const lines = readFileSync(join(folder, file), 'utf8').trim().split('\n')
  const all = lines.map((line) => JSON.parse(line) as { spam: boolean; data: object })
  const tokensFor = (isSpam: boolean) =>
    all.filter(({ spam }) => spam === isSpam).map(({ data }) => tokensOf(sentFieldsIn(JSON.stringify(data))))
  const [bad, good] = [tokensFor(true), tokensFor(false)]
  console.log(`${basename(file, '.ndjson')}: ${bad.length} spam, ${good.length} others`)
  for (const marks of [5, 10, 20, 50, 100, 300]) console.log(`  ${measure(bad, good, marks)}`)
}
