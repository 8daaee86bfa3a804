/** How often a property is tried: a tenth of all runs in `make test`, and all in `make check`. */
export const runsOf = (all: number): number => (process.env.TEST_RUNS === 'all' ? all : Math.ceil(all / 10))

/** Cases of a long list: every third in `make test`, and all in `make check`. */
export const someOf = <T>(list: readonly T[]): T[] =>
  list.filter((_, i) => process.env.TEST_RUNS === 'all' || i % 3 === 0)
