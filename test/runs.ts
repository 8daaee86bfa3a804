/** How often a property is tried: a tenth of all runs in `make test`, and all in `make check`. */
export const runsOf = (all: number): number => (process.env.TEST_RUNS === 'all' ? all : Math.ceil(all / 10))
