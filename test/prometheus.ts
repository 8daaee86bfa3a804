// A strict parser for Prometheus' text format, version 0.0.4. Prometheus can read everything that it accepts.

interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

export interface Family {
  readonly name: string
  readonly type: string
  readonly help: string
  readonly samples: Sample[]
}

/** @throws Error that shows the invalid line */
export const parseMetrics = (text: string): Map<string, Family> => {
  if (!text.endsWith('\n')) throw new Error('the last line has no end')
  const families = new Map<string, Family>()
  const seen = new Set<string>()
  let current: Family | undefined
  let help: [name: string, text: string] | undefined
  for (const line of text.slice(0, -1).split('\n')) {
    const [, comment, name = '', rest = ''] = /^# (HELP|TYPE) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)$/.exec(line) ?? []
    if (comment === 'HELP') {
      if (help || families.has(name)) throw new Error(`a second or misplaced HELP: ${line}`)
      help = [name, rest]
    } else if (comment === 'TYPE') {
      if (help?.[0] !== name || !/^(counter|gauge|histogram)$/.test(rest))
        throw new Error(`a TYPE without HELP: ${line}`)
      if ((rest === 'counter') !== name.endsWith('_total')) throw new Error(`a name that is not of its type: ${line}`)
      current = { name, type: rest, help: help[1], samples: [] }
      families.set(name, current)
      help = undefined
    } else {
      const sample = parseSample(line)
      if (help || !current || !belongs(sample.name, current)) throw new Error(`a sample out of its place: ${line}`)
      const series = line.slice(0, line.lastIndexOf(' '))
      if (seen.has(series)) throw new Error(`a series for the second time: ${line}`)
      seen.add(series)
      current.samples.push(sample)
    }
  }
  for (const family of families.values()) if (family.type === 'histogram') checkHistogram(family)
  return families
}

/** The value of the one series that has exactly these labels. */
export const sampleOf = (
  families: Map<string, Family>,
  name: string,
  labels: Record<string, string> = {},
): number | undefined =>
  [...families.values()]
    .flatMap(({ samples }) => samples)
    .find((sample) => sample.name === name && Bun.deepEquals(sample.labels, labels))?.value

const belongs = (name: string, { name: family, type }: Family): boolean =>
  type === 'histogram' ? ['_bucket', '_sum', '_count'].some((end) => name === family + end) : name === family

const parseSample = (line: string): Sample => {
  const [, name = '', , inner = '', value = ''] =
    /^([a-zA-Z_:][a-zA-Z0-9_:]*)(\{(.*)\})? (\+Inf|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/.exec(line) ?? []
  if (name === '') throw new Error(`no sample: ${line}`)
  const labels: Record<string, string> = {}
  let rest = inner
  while (rest !== '') {
    const [whole, label = '', text = ''] =
      /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(?:,(?!$)|$)/.exec(rest) ?? []
    if (whole === undefined || label in labels) throw new Error(`no labels: ${line}`)
    labels[label] = text.replace(/\\(.)/g, (_, character) => (character === 'n' ? '\n' : character))
    rest = rest.slice(whole.length)
  }
  return { name, labels, value: Number(value) }
}

/** Each series of a histogram must have ascending buckets up to +Inf whose counts never fall; the last is the count. */
const checkHistogram = ({ name, samples }: Family): void => {
  const groups = Map.groupBy(samples, ({ labels: { le: _, ...own } }) => JSON.stringify(own))
  for (const [group, members] of groups) {
    const buckets = members.filter((sample) => sample.name === `${name}_bucket`)
    const bounds = buckets.map(({ labels: { le = '' } }) => (le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le)))
    const values = buckets.map(({ value }) => value)
    const isAscending = (numbers: number[], least: number) =>
      numbers.every((number, i) => i === 0 || number - (numbers[i - 1] as number) >= least)
    const count = members.find((sample) => sample.name === `${name}_count`)?.value
    const sums = members.filter((sample) => sample.name === `${name}_sum`)
    const isGood =
      bounds.at(-1) === Number.POSITIVE_INFINITY &&
      new Set(bounds).size === bounds.length &&
      isAscending(bounds, 0) &&
      isAscending(values, 0) &&
      values.at(-1) === count &&
      sums.length === 1
    if (!isGood) throw new Error(`a histogram that is none: ${name} ${group}`)
  }
}
