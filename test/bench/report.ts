import { type Measurement, median } from './measurement.ts'
import type { Goal } from './scene.ts'

/** A case with what each round showed. */
export interface Result {
  readonly name: string
  readonly rounds: readonly Measurement[]
}

interface Verdict {
  readonly goal: Goal
  readonly value: number
  readonly isMet: boolean
}

/** What the table shows: the middle of the rounds, the errors of all of them. */
export const summarise = ({ rounds }: Result): Measurement => {
  const middle = (figure: 'perSecond' | 'p50' | 'p99') => median(rounds.map((round) => round[figure]))
  const known = (figure: 'cpu' | 'memory' | 'anonymous') => {
    const values = rounds.flatMap((round) => round[figure] ?? [])
    return values.length > 0 ? median(values) : null
  }
  return {
    perSecond: middle('perSecond'),
    p50: middle('p50'),
    p99: middle('p99'),
    errors: rounds.reduce((sum, round) => sum + round.errors, 0),
    cpu: known('cpu'),
    memory: known('memory'),
    anonymous: known('anonymous'),
  }
}

/** Goals whose cases were not all measured are left out. A ratio or difference is taken within each round, then the middle one. */
export const judge = (goals: readonly Goal[], results: readonly Result[]): Verdict[] =>
  goals.flatMap((goal) => {
    const rounds = (name: string) => results.find((result) => result.name === name)?.rounds
    const own = rounds(goal.of)
    const baseline = goal.to ?? goal.above
    const other = baseline === undefined ? [] : rounds(baseline)
    if (!own || !other) return []
    const value = median(
      own.map((round, position) => {
        const figure = round[goal.figure] ?? Number.NaN
        if (baseline === undefined) return figure
        const beside = other[position]?.[goal.figure] ?? Number.NaN
        return goal.above === undefined ? figure / beside : figure - beside
      }),
    )
    const { atLeast = Number.NEGATIVE_INFINITY, atMost = Number.POSITIVE_INFINITY } = goal
    return [{ goal, value, isMet: value >= atLeast && value <= atMost }]
  })

/** Markdown, which reads well in a terminal too. */
export const toTable = (results: readonly Result[]): string =>
  align(
    ['case', 'a second', 'p50 ms', 'p99 ms', 'errors', 'CPU µs', 'memory MB', 'anonymous MB'],
    results.map((result) => {
      const { perSecond, p50, p99, errors, cpu, memory, anonymous } = summarise(result)
      const figures = [short(perSecond), short(p50), short(p99), String(errors)]
      return [result.name, ...figures, ...[cpu, memory, anonymous].map((figure) => short(figure ?? Number.NaN))]
    }),
  )

export const toVerdicts = (verdicts: readonly Verdict[]): string =>
  align(
    ['goal', 'measured', ''],
    verdicts.map(({ goal, value, isMet }) => [goal.says, short(value), isMet ? 'ok' : 'NOT']),
  )

/** One sentence for those who do not read the table. */
export const toSummary = (verdicts: readonly Verdict[]): string => {
  const missed = verdicts.filter(({ isMet }) => !isMet)
  if (missed.length === 0) return `All ${verdicts.length} goals are met.`
  const says = missed.map(({ goal, value }) => `${goal.says} (${short(value)})`)
  return `${verdicts.length - missed.length} of ${verdicts.length} goals are met. Not met: ${says.join('; ')}.`
}

/** Three digits, or a whole number with separators; nothing for what is no number. */
export const short = (value: number): string => {
  if (Number.isNaN(value)) return ''
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3)
}

export const align = (head: readonly string[], rows: readonly (readonly string[])[]): string => {
  const widths = head.map((title, column) => Math.max(3, title.length, ...rows.map((row) => row[column]?.length ?? 0)))
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join(' | ')} |`
  const rule = `| ${widths.map((width, i) => (i === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`
  return [line(head), rule, ...rows.map(line)].join('\n')
}
