// `make bench`: which cases, in which order, and what comes of them.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describeMachine, requireProgram } from './machine.ts'
import { parseOptions, sizesUpTo } from './options.ts'
import { drawGrowth, type Line } from './plot.ts'
import { toAnswers } from './questions.ts'
import { record } from './record.ts'
import { judge, type Result, summarise, toSummary, toTable, toVerdicts } from './report.ts'
import { chooseCases, runScene } from './run.ts'
import type { Scene } from './scene.ts'
import { clusterScene } from './scenes/cluster.ts'
import { deletionScene } from './scenes/deletion.ts'
import { inboxScene } from './scenes/inbox.ts'
import { memoryScene } from './scenes/memory.ts'
import { mixedScene } from './scenes/mixed.ts'
import { pageScene } from './scenes/pages.ts'
import { growthCase, growthKinds, growthScene, readScenes } from './scenes/reads.ts'
import { retentionScene } from './scenes/retention.ts'
import { searchScene } from './scenes/search.ts'
import { signalScene } from './scenes/signals.ts'
import { spamScene } from './scenes/spam.ts'
import { startScene } from './scenes/start.ts'
import { submitWaysScene } from './scenes/submit-ways.ts'
import { uploadScene } from './scenes/uploads.ts'
import { visitorScene } from './scenes/visitors.ts'
import { wholeFormScene } from './scenes/whole-forms.ts'
import { writeScene } from './scenes/write.ts'
import { seed } from './seed.ts'

const dist = join(import.meta.dir, '../../dist')

const bench = async (): Promise<number> => {
  const options = parseOptions(process.env)
  const sizes = sizesUpTo(options.submissions)
  const all: readonly Scene[] = [
    writeScene(false),
    writeScene(true),
    pageScene,
    memoryScene(options.submissions),
    startScene,
    ...readScenes,
    growthScene(sizes),
    inboxScene,
    wholeFormScene,
    signalScene,
    visitorScene,
    submitWaysScene,
    spamScene,
    uploadScene,
    searchScene,
    mixedScene(false),
    mixedScene(true),
    deletionScene,
    retentionScene,
    clusterScene(options.logRows),
  ]
  const known = all.flatMap((scene) => scene.cases)
  for (const name of options.cases)
    if (!known.includes(name)) throw new Error(`CASE: there is no ${name}; there are ${known.join(' ')}`)
  const scenes = all.filter((scene) => chooseCases(scene, options.cases).length > 0)
  requireProgram('wrk')
  if (scenes.some((scene) => scene.isSlow)) requireProgram('strace')

  mkdirSync(dist, { recursive: true })
  const scratch = options.seedFolder ?? mkdtempSync(join(dist, 'bench-'))
  mkdirSync(scratch, { recursive: true })
  const clean = () => {
    if (options.seedFolder === undefined) rmSync(scratch, { recursive: true, force: true })
  }
  process.once('SIGINT', () => {
    clean()
    process.exit(130)
  })
  const results: Result[] = []
  try {
    process.stdout.write(`seeding ${sizes.join(', ')} submissions\n`)
    const world = await seed(scratch, sizes)
    for (const scene of scenes) results.push(...(await runScene(scene, world, options)))
  } finally {
    clean()
  }

  const verdicts = judge(
    scenes.flatMap((scene) => scene.goals),
    results,
  )
  const machine = describeMachine()
  const lines = toLines(sizes, results)
  const texts = { answers: toAnswers(results), verdicts: toVerdicts(verdicts), table: toTable(results) }
  process.stdout.write(`\n${[texts.table, texts.verdicts, texts.answers].join('\n\n').trimEnd()}\n`)
  writeFileSync(join(dist, 'bench.json'), `${JSON.stringify({ machine, options, verdicts, results }, null, 2)}\n`)
  if (lines.length > 0) writeFileSync(join(dist, 'bench.svg'), drawGrowth(lines))
  if (options.isRecorded) record({ ...texts, summary: toSummary(verdicts), machine, svg: drawGrowth(lines) })

  const failed = results.filter((result) => summarise(result).errors > 0)
  for (const { name } of failed) process.stderr.write(`bench: ${name}: not every answer was a success\n`)
  return failed.length > 0 ? 1 : 0
}

const toLines = (sizes: readonly number[], results: readonly Result[]): Line[] =>
  Object.keys(growthKinds).flatMap((kind) => {
    const points = sizes.flatMap((size) => {
      const found = results.find((result) => result.name === growthCase(kind as keyof typeof growthKinds, size))
      return found ? [[size, summarise(found).p50] as const] : []
    })
    return points.length > 0 ? [{ label: labels[kind] ?? kind, points }] : []
  })

const labels: Record<string, string> = {
  first: 'first page',
  middle: 'middle page',
  last: 'last page',
  range: '90 % by date',
}

try {
  process.exitCode = await bench()
} catch (error) {
  process.stderr.write(`bench: ${(error as Error).message}\n`)
  // Servers that a scene has started and not closed would keep it waiting.
  process.exit(1)
}
