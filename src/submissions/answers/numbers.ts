/** Different numbers up to which everything is exact. */
const maxExact = 10_000
export const binCount = 12

/** What earlier pages found. */
export interface CarriedNumbers {
  /** The ends of the bins. */
  readonly from: number
  readonly to: number
  readonly sum: number
  readonly count: number
  /** Numbers in each bin. */
  readonly bins: readonly number[]
}

export interface NumberAnswers {
  readonly count: number
  readonly sum: number
  readonly least: number | null
  readonly most: number | null
  /** Of all pages; null until the last one. */
  readonly median: number | null
  readonly mean: number | null
  readonly isAbout: boolean
  readonly bins: readonly { readonly from: number; readonly to: number; readonly count: number }[]
}

/** Adds up numbers. Above `maxExact` different ones, neighbours are taken together. */
export const numberTally = (carried: CarriedNumbers | undefined) => {
  let counts = new Map<number, number>()
  let [count, sum] = [0, 0]
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  let isAbout = carried !== undefined

  const thin = (): void => {
    isAbout = true
    const thinned = new Map<number, number>()
    const all = sorted(counts)
    for (let i = 0; i < all.length; i += 2) {
      const [[low, lowTimes], [high, highTimes]] = [all[i] as Counted, all[i + 1] ?? ([0, 0] as const)]
      // What many are taken together in stays where it is.
      thinned.set(lowTimes >= highTimes ? low : high, lowTimes + highTimes)
    }
    counts = thinned
  }

  return {
    add(value: number): void {
      count++
      sum += value
      least = Math.min(least, value)
      most = Math.max(most, value)
      counts.set(value, (counts.get(value) ?? 0) + 1)
      if (counts.size > maxExact) thin()
    },

    /** @param isLast whether no page follows */
    end(isLast: boolean): { readonly answers: NumberAnswers; readonly carried: CarriedNumbers | undefined } {
      const { from, to } = carried ?? endsFor(least, most, isLast)
      const bins = from > to ? [] : binsOf(counts, from, to)
      const allBins = bins.map((bin, i) => bin + (carried?.bins[i] ?? 0))
      const allCount = count + (carried?.count ?? 0)
      const allSum = sum + (carried?.sum ?? 0)
      const ends = (i: number): number => (i === bins.length ? to : from + ((to - from) * i) / bins.length)
      const medianOf = (): number =>
        carried ? medianOfBins(allBins, ends, allCount) : exactMedian(sorted(counts), allCount)
      const answers = {
        count,
        sum,
        least: count === 0 ? null : least,
        most: count === 0 ? null : most,
        median: isLast && allCount > 0 ? medianOf() : null,
        mean: isLast && allCount > 0 ? allSum / allCount : null,
        isAbout,
        bins: bins.map((one, i) => ({ from: ends(i), to: ends(i + 1), count: one })),
      }
      return {
        answers,
        carried: allCount === 0 ? undefined : { from, to, sum: allSum, count: allCount, bins: allBins },
      }
    },
  }
}

/** With a single number, other pages may have others. */
const endsFor = (least: number, most: number, isLast: boolean) => ({
  from: least,
  to: least === most && !isLast ? least + Math.max(1, Math.abs(least)) : most,
})

type Counted = readonly [value: number, times: number]

const sorted = (counts: ReadonlyMap<number, number>): Counted[] => [...counts].sort(([a], [b]) => a - b)

/** One bin if all numbers are the same. What lies outside goes into the first or the last one. */
const binsOf = (counts: ReadonlyMap<number, number>, from: number, to: number): number[] => {
  const bins = Array.from({ length: from === to ? 1 : binCount }, () => 0)
  for (const [value, times] of counts) {
    const place = from === to ? 0 : Math.floor(((value - from) / (to - from)) * binCount)
    const bin = Math.max(0, Math.min(bins.length - 1, place))
    bins[bin] = (bins[bin] as number) + times
  }
  return bins
}

const exactMedian = (all: readonly (readonly [number, number])[], total: number): number => {
  const at = (position: number): number => {
    let seen = 0
    for (const [value, times] of all) {
      seen += times
      if (seen > position) return value
    }
    return Number.NaN
  }
  return total % 2 === 1 ? at((total - 1) / 2) : (at(total / 2 - 1) + at(total / 2)) / 2
}

/** Within its bin, numbers are taken for evenly spread. */
const medianOfBins = (bins: readonly number[], ends: (bin: number) => number, total: number): number => {
  let seen = 0
  for (const [bin, times] of bins.entries()) {
    if (seen + times >= total / 2 && times > 0)
      return ends(bin) + ((ends(bin + 1) - ends(bin)) * (total / 2 - seen)) / times
    seen += times
  }
  return ends(bins.length)
}
