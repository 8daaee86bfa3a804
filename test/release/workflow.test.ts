// .github/workflows/release.yml cannot run here: what can be read from it, and its own commands for the sums.
import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { Glob } from 'bun'
import { temporaryFolder } from '../harness.ts'
import { noteSkipped } from '../skips.ts'

interface Step {
  readonly name?: string
  readonly uses?: string
  readonly run?: string
  readonly env?: Readonly<Record<string, string>>
}

interface Job {
  readonly permissions: Readonly<Record<string, string>>
  readonly steps: readonly Step[]
}

interface Made {
  readonly arch: string
  readonly archive: string
}

interface Workflow {
  readonly permissions: object
  readonly env?: object
  readonly jobs: Readonly<Record<string, Job>>
}

const text = await Bun.file(join(import.meta.dir, '../../.github/workflows/release.yml')).text()
const dockerfile = await Bun.file(join(import.meta.dir, '../../deploy/Dockerfile')).text()
const workflow = Bun.YAML.parse(text) as Workflow
const jobs = Object.entries(workflow.jobs)
const steps = jobs.flatMap(([, job]) => job.steps)

describe('the workflow of a release', () => {
  test('may write in the one job that runs nothing but the upload, and no program of the release', () => {
    expect(workflow.permissions).toEqual({})
    const writing = jobs.filter(([, { permissions }]) => Object.values(permissions).includes('write'))
    expect(writing.map(([name]) => name)).toEqual(['publish'])
    const writes = writing.flatMap(([, job]) => job.steps)
    for (const { uses } of writes) expect(uses ?? '').toMatch(/^(?:actions\/download-artifact@|$)/)
    // The programs at the beginning of lines and in `$(…)`; `docker run` is not among them.
    const programs = writes.flatMap(({ run = '' }) => run.match(/(?<=^ *|[(;] *)(?:docker )?[a-z][\w-]*(?= )/gm) ?? [])
    const docker = ['load', 'tag', 'inspect', 'create', 'cp', 'login', 'push', 'buildx', 'logout']
    const harmless = [
      'for',
      'test',
      'tar',
      'cmp',
      'echo',
      'sha256sum',
      'cut',
      'gh',
      ...docker.map((each) => `docker ${each}`),
    ]
    expect([...new Set(programs)].sort()).toEqual(harmless.sort())
  })

  test('publishes images with the executables of the archives, for users other than root', () => {
    const run = jobs
      .find(([name]) => name === 'publish')?.[1]
      .steps.find(({ name }) => /^Check that/.test(name ?? ''))?.run
    const made = Bun.YAML.parse(text) as { jobs: { image: { strategy: { matrix: { include: Made[] } } } } }
    const pairs = made.jobs.image.strategy.matrix.include.map(({ arch, archive }) => `${arch}:${archive}`)
    expect(run).toContain(`for pair in ${pairs.join(' ')}; do`)
    expect(dockerfile).toContain(`\nUSER ${/ (\d+:\d+)"$/m.exec(run ?? '')?.[1]}\n`)
  })

  test('publishes files that have a sum, and no other', () => {
    const publish = steps.find(({ name }) => name === 'Publish')?.run ?? ''
    expect(publish.trim().split('\n').at(-1)).toEndWith('SHA256SUMS $(cut -c 67- SHA256SUMS)')
    expect(publish).not.toContain('*')
  })

  test('hands its token to the steps that upload, and to no other', () => {
    expect(workflow.env).toBeUndefined()
    const holders = steps.filter(({ env }) => JSON.stringify(env ?? {}).includes('github.token'))
    expect(holders.map(({ name }) => name)).toEqual(['Publish the images', 'Publish'])
    expect(text.match(/github\.token|secrets\./g)).toHaveLength(2)
  })

  test('names the actions of others by their commit, as every workflow does, and none has rights by default', async () => {
    const folder = join(import.meta.dir, '../../.github/workflows')
    for (const file of new Glob('*.yml').scanSync(folder)) {
      const other = await Bun.file(join(folder, file)).text()
      const used = [...other.matchAll(/^ +(?:- )?uses: (.+)$/gm)].map(([, action]) => action ?? '')
      expect(used, file).not.toBeEmpty()
      for (const action of used) expect(action).toMatch(/^actions\/[\w-]+@[0-9a-f]{40} # v/)
      expect(other).toContain('\npermissions: {}\n')
    }
  })

  const checks = jobs.flatMap(([name, job]) =>
    job.steps.flatMap((step) => (step.name === 'Check the sums' && step.run ? [[name, step.run] as const] : [])),
  )

  test('checks the sums where the files are tried, where the images are built and where they are published', () => {
    expect(checks.map(([name]) => name)).toEqual(['try', 'image', 'publish'])
  })

  const hasTools = Bun.which('bash') !== null && Bun.which('sha256sum') !== null
  if (!hasTools) noteSkipped('The commands that check the sums of a release are skipped: no bash or sha256sum here.')

  test.skipIf(!hasTools).each(checks)(
    'stops in the job %s where a file or its sum is another one',
    async (_, script) => {
      const hashOf = (content: string) => new Bun.CryptoHasher('sha256').update(content).digest('hex')
      const check = async (content: string, listed: string, builtFrom = listed): Promise<number> => {
        const folder = temporaryFolder()
        const lines = (hashed: string): string => `${hashOf(hashed)}  formbox.zip\n`
        await Bun.write(join(folder, 'formbox.zip'), content)
        await Bun.write(join(folder, 'SHA256SUMS'), lines(listed))
        const env = { PATH: process.env.PATH, SUM: hashOf(lines(builtFrom)) }
        return Bun.spawnSync(['bash', '-e', '-o', 'pipefail', '-c', script], { cwd: folder, env }).exitCode
      }
      expect(await check('built', 'built')).toBe(0)
      expect(await check('changed', 'built')).not.toBe(0)
      expect(await check('changed', 'changed', 'built')).not.toBe(0)
    },
  )
})
