import { foldForSearch } from '../../base/search-fold.ts'
import type { Field } from '../fields.ts'
import { isFile } from '../files/sent-file.ts'
import { fieldsIn, itemsIn } from '../sent-fields.ts'

// A submission as the filter that learns sees it: a set of numbers, each for a word, a host, or what the text looks like.
// Those of marked submissions are stored and compared with what arrives years later, so the hash never changes, and a change
// of what is a word costs owners some of what they taught. All of it depends on the Unicode tables of the runtime:
// it is done before there is a command.

/** Numbers of a submission. */
export const maxTokens = 202

/** Characters of names and JSON that are read from the beginning, and as many from the end. */
const maxCharacters = 4096
/** Characters of a submission in the inbox that are taken apart: of a longer one, these have no end. */
const maxStored = 4 * maxCharacters
const maxWord = 40
const maxHost = 100
/** Characters of a value, as it is compared, whose words count a second time, together with the name of their field. */
const maxNamed = 100

type TokenField = Pick<Field, 'name' | 'json'>

/**
 * A set of unsigned numbers of 32 bits. Those of one word or address stand together in ascending order, and each group begins
 * with a smaller number than the one before it. If all are in ascending order, each is a group.
 */
export type Tokens = Uint32Array

/**
 * It takes about 12 µs for a message of 170 characters, and reads at most 8,192.
 *
 * @param words gets the words of those that mean something to a person
 */
export const tokensOf = (fields: readonly TokenField[], words?: Map<number, string>): Tokens => {
  const found = new Map<number, number>()
  addTokens(fields, (hash, group, word) => {
    if (words && word !== undefined) words.set(hash, word)
    // A word of an address that stands by itself, too, is one.
    if ((found.get(hash) ?? -1) < 0) found.set(hash, group)
    return found.size < maxTokens
  })
  return toTokens(found)
}

/** The tokens, and the words of those that mean something to a person. */
export const tokensWithWords = (
  fields: readonly TokenField[],
): { readonly tokens: Tokens; readonly words: ReadonlyMap<number, string> } => {
  const words = new Map<number, string>()
  return { tokens: tokensOf(fields, words), words }
}

/** @param found tokens with the numbers of the groups that they are of */
export const toTokens = (found: ReadonlyMap<number, number>): Tokens => {
  const firsts = new Map<number, number>()
  for (const [token, group] of found) if (token < (firsts.get(group) ?? 2 ** 32)) firsts.set(group, token)
  // As numbers of 64 bits, whose lower half comes first, they take half the time of lists.
  const sorted = new BigUint64Array(found.size)
  const halves = new Uint32Array(sorted.buffer)
  let filled = 0
  for (const [token, group] of found) {
    halves[filled++] = token
    halves[filled++] = ~(firsts.get(group) as number)
  }
  sorted.sort()
  const tokens = new Uint32Array(found.size)
  for (let at = 0; at < tokens.length; at++) tokens[at] = halves[2 * at] as number
  return tokens
}

/** The number of the word or address that each token is of, from 0 on. */
export const groupsOf = (tokens: Tokens): Uint8Array => {
  const groups = new Uint8Array(tokens.length)
  for (let at = 1; at < tokens.length; at++)
    groups[at] = (groups[at - 1] as number) + ((tokens[at] as number) < (tokens[at - 1] as number) ? 1 : 0)
  return groups.at(-1) === 0 ? groups.map((_, at) => at) : groups
}

/** The tokens of a stored submission that is one of many. @param data may be cut off */
export const tokensOfStored = (data: string): Tokens => tokensOf(sentFieldsIn(data.slice(0, maxStored)))

/** The fields of a stored submission as they arrived: each value of a repeated name by itself. @param data may be cut off */
export const sentFieldsIn = (data: string): readonly TokenField[] =>
  fieldsIn(data).flatMap(({ name, json }) => itemsIn(json).map((item) => ({ name, json: item.json })))

/** FNV-1a over the UTF-16 of a text, to be finished. @param from the hash of what stands before it */
const hashOn = (text: string, from = 0x811c9dc5): number => {
  let hash = from
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash
}

/** The end of MurmurHash3: without it, words that differ in their last letter have numbers that differ in few bits. */
const finish = (hash: number): number => {
  const once = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  const twice = Math.imul(once ^ (once >>> 13), 0xc2b2ae35)
  return (twice ^ (twice >>> 16)) >>> 0
}

export const hashToken = (token: string): number => finish(hashOn(token))

/**
 * Takes a token with the number of its word, or the negative one of its address, and the word itself if that means
 * something. Returns whether it wants more.
 */
type Take = (hash: number, group: number, word?: string) => boolean

const addTokens = (fields: readonly TokenField[], take: Take): void => {
  const { texts, isWhole } = readTexts(fields)
  const looks = looksOf(texts, isWhole).map(hashToken)
  if (!looks.every((look) => take(look, look))) return
  texts.every(({ name, text }) => {
    const folded = fold(text)
    return addHosts(folded, take, (word, group) => {
      const hash = hashToken(word)
      const isWanted = take(hash, group ?? hash, word)
      return name === undefined || folded.length > maxNamed ? isWanted : take(finish(hashOn(word, name)), group ?? hash)
    })
  })
}

interface NamedText {
  /** The hash of its field's name, to go on with a word; undefined if the name looks like an address. */
  readonly name: number | undefined
  readonly text: string
}

/** The texts at the beginning and at the end of what was sent. */
const readTexts = (fields: readonly TokenField[]): { readonly texts: NamedText[]; readonly isWhole: boolean } => {
  const texts: NamedText[] = []
  let next = 0
  let room = maxCharacters
  for (; next < fields.length; next++) {
    const { name, json } = cutName(fields[next] as TokenField)
    if (name.length + json.length > room) break
    room -= name.length + json.length
    texts.push(...namedTexts(name, textsIn(json)))
  }
  if (next === fields.length) return { texts, isWhole: true }
  const cut = cutName(fields[next] as TokenField)
  const begun = cut.json.slice(0, Math.max(0, room - cut.name.length))
  texts.push(...namedTexts(cut.name, [cutEnd(withoutEscapes(begun))]))

  const ends: NamedText[] = []
  let rest = maxCharacters
  let last = fields.length - 1
  for (; last > next; last--) {
    const { name, json } = cutName(fields[last] as TokenField)
    if (name.length + json.length > rest) break
    rest -= name.length + json.length
    ends.unshift(...namedTexts(name, textsIn(json)))
  }
  const { name, json } = cutName(fields[last] as TokenField)
  const end = json.slice(Math.max(last === next ? begun.length : 0, json.length - Math.max(0, rest - name.length)))
  return { texts: [...texts, ...namedTexts(name, [withoutEscapes(end)]), ...ends], isWhole: false }
}

const cutName = ({ name, json }: TokenField): TokenField => ({ name: name.slice(0, maxNamed), json })

const namedTexts = (name: string, texts: readonly string[]): NamedText[] => {
  const folded = fold(name)
  const hash = folded.includes('@') ? undefined : hashOn('=', hashOn(folded))
  return texts.map((text) => ({ name: hash, text }))
}

/** The texts in a value, at any depth, and numbers. Of a file, its name. */
const textsIn = (json: string): string[] => {
  if (json[0] === '"' && !json.includes('\\')) return [json.slice(1, -1)]
  const texts: string[] = []
  const add = (value: unknown): void => {
    if (typeof value === 'string') texts.push(value)
    else if (typeof value === 'number') texts.push(String(value))
    else if (isFile(value)) add(value.filename)
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(add)
  }
  add(JSON.parse(json))
  return texts
}

/** Part of a JSON text, as text. What stands around its texts remains, and is no word. */
const withoutEscapes = (json: string): string =>
  json.replace(/\\(?:u([\da-f]{4})|(.))/gi, (_, code: string | undefined, other: string) =>
    code === undefined ? ` ${/["\\/]/.test(other) ? other : ''}` : String.fromCharCode(Number.parseInt(code, 16)),
  )

/** Leaves out a word that is cut: the @ of an address may come after it. What stands before that has at most 64 characters. */
const cutEnd = (text: string): string => text.slice(0, /\S{0,64}$/.exec(text.slice(-64))?.index ?? 0)

/** The look of a text. It is never shown to a person alone. */
const looksOf = (texts: readonly NamedText[], isWhole: boolean): string[] => {
  let [length, links, upper, lower] = [0, 0, 0, 0]
  let [hasMoney, hasShout, hasHtml] = [false, false, false]
  for (const { text } of texts) {
    length += text.length
    for (let at = text.indexOf('://'); at !== -1; at = text.indexOf('://', at + 3)) links++
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if ((code >= 0x41 && code <= 0x5a) || (code >= 0x391 && code <= 0x42f)) upper++
      else if ((code >= 0x61 && code <= 0x7a) || (code >= 0x3b1 && code <= 0x44f)) lower++
    }
    hasMoney ||= /[$€£¥₽₹]/.test(text)
    hasShout ||= /[!！]{2}/.test(text)
    hasHtml ||= /<a |\[url/i.test(text)
  }
  const looks = [`~length ${isWhole ? Math.floor(Math.log2(length + 1)) : 'long'}`]
  if (links > 0) looks.push(`~links ${Math.min(links, 3)}`)
  if (upper >= 10 && upper > lower) looks.push('~capitals')
  if (hasMoney) looks.push('~money')
  if (hasShout) looks.push('~shout')
  if (hasHtml) looks.push('~html')
  return looks
}

/** The tokens of all looks. */
export const lookTokens: ReadonlySet<number> = new Set(
  [
    ...Array.from({ length: 15 }, (_, i) => `~length ${i}`),
    ...[1, 2, 3].map((count) => `~links ${count}`),
    ...['~length long', '~capitals', '~money', '~shout', '~html'],
  ].map(hashToken),
)

/** Letters as they are compared: no case, accents or invisible characters, wide and bold ones as usual; each digit is a 0. */
const fold = (encoded: string): string => {
  // As in the address of a page.
  const text = encoded.includes('%40') ? encoded.replaceAll('%40', '@') : encoded
  if (!/[^\0-\x7f]/.test(text)) return text.toLowerCase().replace(/\d/g, '0')
  const plain = text
    .replace(/\p{Default_Ignorable_Code_Point}+/gu, '')
    // `normalize` takes the square of the number of marks in a row.
    .replace(/(\p{M}{8})\p{M}+/gu, '$1')
    .normalize('NFKC')
    // One character may become eighteen.
    .slice(0, 2 * maxCharacters)
  return foldForSearch(plain).replace(/\p{Nd}/gu, '0')
}

type TakeWord = (word: string, group?: number) => boolean

/** Takes the hosts in a folded text, and its words. Nothing that stands before an @ is one. */
const addHosts = (text: string, take: Take, takeWord: TakeWord): boolean => {
  const domains: string[] = []
  const rest = text.includes('@') ? withoutAddresses(text, domains) : text
  const links = /\.\S/.test(rest) ? linksIn(rest) : []
  return (
    domains.every((domain) => addHost('@', domain, take)) &&
    links.every(({ host, group }) => addHost('', host, take, group)) &&
    addWords(rest, links, takeWord)
  )
}

/** A host with all that belongs to its address, from one place in a text to another. */
interface Link {
  readonly host: string
  readonly group: number
  readonly start: number
  readonly end: number
}

/** A host in the path of another one's address is of that: each character is looked at a few times. */
const linksIn = (text: string): Link[] => {
  const links: Link[] = []
  let last = 0
  for (const { 0: host, index } of text.matchAll(hosts)) {
    if (!isHost(host)) continue
    const outer = index < last ? links.at(-1) : undefined
    if (!outer) {
      pathAt.lastIndex = index + host.length
      last = pathAt.lastIndex + (pathAt.exec(text)?.[0].length ?? 0)
    }
    const [scheme = ''] = /[a-z]{1,10}:\/\/$/.exec(text.slice(Math.max(0, index - 13), index)) ?? []
    const group = outer?.group ?? groupOf('', host)
    links.push({ host, group, start: index - scheme.length, end: outer ? index : last })
  }
  return links
}

/** Takes the e-mail addresses out of a text, and adds their domains. Each character is looked at twice at most. */
const withoutAddresses = (text: string, domains: string[]): string => {
  const [first = '', ...others] = text.split('@')
  let rest = ''
  let before = first
  for (const after of others) {
    const end = localStart(before)
    const domain = end < before.length ? (after.split(notHost, 1)[0] as string) : ''
    if (isHost(domain)) domains.push(domain)
    rest += `${before.slice(0, end)} `
    before = after.slice(domain.length)
  }
  return rest + before
}

/** Where the part of an address begins that ends this text. In quotes, it may have any characters. */
const localStart = (before: string): number => {
  let start = before.length
  if (before.endsWith('"')) {
    const opening = before.slice(0, -1).lastIndexOf('"')
    return opening === -1 ? start : opening
  }
  while (start > 0 && !notLocal.test(before[start - 1] as string)) start--
  return start
}

const notLocal = /[\s<>()[\],;:"\\]/
const notHost = /[^\p{L}\p{M}\p{N}.-]/u
const hosts = /[\p{L}\p{M}\p{N}.-]+/gu
const pathAt = /[/?#:][^\s<>"'()]*/y

/** Two labels, of which the last has no digits. Two sentences without a space between them look the same. */
const isHost = (text: string): boolean => /[^.-]\.\p{L}{2,}\.?$/u.test(text.slice(-maxHost))

const addHost = (kind: '@' | '', text: string, take: Take, group = groupOf(kind, text)): boolean => {
  const host = nameOf(text)
  const labels = host.split('.')
  const names = new Set([host, labels.slice(-2).join('.'), `.${labels.at(-1)}`])
  return [...names].every((name) => take(hashToken(`//${kind}${name}`), group, kind + name))
}

const nameOf = (host: string): string => host.replace(/\.$/, '').slice(-maxHost)
const groupOf = (kind: '@' | '', host: string): number => -hashToken(`//${kind}${nameOf(host)}`)

const addWords = (text: string, links: readonly Link[], take: TakeWord): boolean => {
  const words = /[^\0-\x7f]/.test(text) ? anyWords : plainWords
  const takeOne = (word: string, group?: number): boolean =>
    unspaced.test(word)
      ? addCharacters(word, take)
      : take((isMixed(word) ? inOneAlphabet(word) : word).slice(0, maxWord), group)
  // In most texts. To find where each word is takes half as long again.
  if (links.length === 0) return (text.match(words) ?? []).every((word) => takeOne(word))
  let next = 0
  for (const { 0: word, index } of text.matchAll(words)) {
    while (index >= (links[next]?.end ?? Number.POSITIVE_INFINITY)) next++
    const link = links[next]
    if (!takeOne(word, link && index >= link.start ? link.group : undefined)) return false
  }
  return true
}

const anyWords = /[\p{L}\p{M}0]+/gu
const plainWords = /[a-z0]+/g

/** Thai, Lao, Tibetan, Burmese, Khmer, Japanese and Chinese put no spaces between words. Fixed here, so that it stays so. */
const unspaced = /[\u0e00-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u9fff\uf900-\ufaff\u{20000}-\u{3ffff}]/u

/** There, single characters and pairs of them stand for words. Two characters are counted as a word. */
const addCharacters = (text: string, take: TakeWord): boolean => {
  let last = ''
  let group = 0
  return (text.match(/[a-z0]+|./gsu) ?? []).every((found, position) => {
    const character = found.slice(0, maxWord)
    const pair = (last + found).slice(0, maxWord)
    const isPair = last !== ''
    last = found
    if (position % 2 === 0) group = hashToken(character)
    return take(character, group) && (!isPair || take(pair, group))
  })
}

const isMixed = (word: string): boolean => /[a-z]/.test(word) && /[\u0370-\u04ff]/.test(word)

/** A word in which letters of another alphabet look like its own, in the alphabet that the others are of. */
const inOneAlphabet = (word: string): string => {
  const letters = [...word]
  const others = letters.filter((letter) => letter > '\x7f')
  const isOther = others.some((letter) => !toLatin.has(letter)) || others.length > letters.length / 2
  const to = isOther && letters.every((letter) => letter > '\x7f' || toCyrillic.has(letter)) ? toCyrillic : toLatin
  return letters.map((letter) => to.get(letter) ?? letter).join('')
}

/** Letters in lower case that look like another one in one case or the other. */
const alike = (pairs: string): ReadonlyMap<string, string> =>
  new Map(pairs.split(' ').map((pair) => [...pair] as [string, string]))

const toLatin = alike(
  'аa вb еe кk мm нh оo рp сc тt уy хx іi ѕs јj һh ԁd ԛq ԝw пn гr αa βb εe ηn ιi κk νv οo ρp τt υu χx',
)
const toCyrillic = alike('aа bв eе kк mм hн oо pр cс tт yу xх nп rг uи 0о')
