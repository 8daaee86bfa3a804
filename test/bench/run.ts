import type { Measurement } from './measurement.ts'
import type { Result } from './report.ts'
import type { Scene } from './scene.ts'
import type { World } from './seed.ts'

interface Options {
  /** Names of cases; empty for all. */
  readonly cases: readonly string[]
  readonly seconds: number
  readonly rounds: number
}

/** The cases of a scene to measure: the chosen ones and, if there are any, the baselines. */
export const chooseCases = (scene: Scene, chosen: readonly string[]): readonly string[] => {
  const cases = chosen.length === 0 ? scene.cases : scene.cases.filter((name) => chosen.includes(name))
  return cases.length === 0 ? [] : [...cases, ...scene.baselines]
}

/** Measures in rounds, so that a disturbance of the machine affects a case and its baseline alike. */
export const runScene = async (scene: Scene, world: World, options: Options): Promise<Result[]> => {
  const names = chooseCases(scene, options.cases)
  const measured = new Map<string, Measurement[]>(names.map((name) => [name, []]))
  const rounds = Math.min(options.rounds, scene.maxRounds ?? options.rounds)
  const stage = await scene.open(world)
  try {
    for (let round = 1; round <= rounds; round++)
      for (const [name, measurements] of measured) {
        const measure = stage.measures[name]
        if (!measure) throw new Error(`there is no way to measure ${name}`)
        const measurement = await measure(options.seconds)
        measurements.push(measurement)
        process.stdout.write(progress(name, round, rounds, measurement))
      }
  } finally {
    await stage.close()
  }
  return [...measured].map(([name, measurements]) => ({ name, rounds: measurements }))
}

const progress = (name: string, round: number, rounds: number, { perSecond, p50, p99, errors }: Measurement): string =>
  `${name} (${round} of ${rounds}): ${Math.round(perSecond)} a second, p50 ${p50.toFixed(3)} ms, ` +
  `p99 ${p99.toFixed(3)} ms${errors > 0 ? `, ${errors} ERRORS` : ''}\n`
