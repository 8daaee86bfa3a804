// `make release`: the files of a release, in dist/release. They depend on the commit, on Bun's version and on the name of the
// repository (GITHUB_REPOSITORY) alone.
//
//   bun deploy/release/main.ts FLAGS-OF-BUN-BUILD...
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { name, packageManager, version } from '../../package.json'
import { toTarGz, toZip } from './archive.ts'
import { findBundled } from './bundled.ts'
import { readCommit } from './commit.ts'
import { debName, toDeb } from './deb.ts'
import { toLicenses } from './licenses.ts'
import { readLinked } from './linked.ts'
import { toPublished } from './published.ts'
import { toSbom } from './sbom.ts'
import { archiveName, executableName, type Target, targets } from './targets.ts'

const root = join(import.meta.dir, '../..')
const built = join(root, 'dist/executables')
const release = join(root, 'dist/release')

const main = async (flags: readonly string[]): Promise<void> => {
  if (packageManager !== `bun@${Bun.version}`) throw new Error(`a release is built with ${packageManager}`)
  const commit = readCommit(root)
  for (const folder of [built, release]) {
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
  }
  const inputs = await compileAll(flags)
  const own = readFileSync(join(root, 'LICENSE'), 'utf8')
  const packages = findBundled(root, inputs)
  const { text, libraries } = readLinked(root)
  const licenses = toLicenses({ own, packages: packages.values(), bun: text })

  const stem = `${name}-${version}`
  const files = new Map<string, Uint8Array | string>([
    [`${stem}-licenses.txt`, licenses],
    [`${stem}-sbom.cdx.json`, `${JSON.stringify(toSbom({ commit, packages, linked: libraries }), null, 2)}\n`],
  ])
  for (const target of targets) {
    files.set(archiveName(target, version), await pack(target, own, licenses, commit.time))
    const deb = debName(target)
    if (deb === undefined) continue
    const executable = await Bun.file(join(built, target.name, executableName(target))).bytes()
    files.set(deb, toDeb({ target, executable, own, licenses, deploy: join(root, 'deploy'), time: commit.time }))
  }
  files.set('install.sh', published('release/install.sh'))
  files.set('compose.yaml', published('compose.yaml'))
  const names = [...files.keys()].sort()
  for (const each of names) writeFileSync(join(release, each), files.get(each)!)
  const sums = names.map(
    (each) => `${new Bun.CryptoHasher('sha256').update(files.get(each)!).digest('hex')}  ${each}\n`,
  )
  writeFileSync(join(release, 'SHA256SUMS'), sums.join(''))
  process.stdout.write(sums.join(''))
}

/** Compiles for each kind of machine, and returns what was bundled, by path: the same files for all of them. */
const compileAll = async (flags: readonly string[]): Promise<string[]> => {
  const inputs = new Set<string>()
  for (const target of targets) {
    const folder = join(built, target.name)
    const metafile = join(folder, 'meta.json')
    mkdirSync(folder)
    const output = ['--outfile', join(folder, executableName(target)), `--metafile=${metafile}`]
    const words = ['build', ...flags, `--target=bun-${target.bun}`, ...output]
    const child = Bun.spawn([process.execPath, ...words], { cwd: root, stdout: 'ignore' })
    if ((await child.exited) !== 0) throw new Error(`cannot compile for ${target.name}`)
    for (const input of Object.keys((await Bun.file(metafile).json()).inputs)) inputs.add(input)
  }
  return [...inputs].sort()
}

/**
 * One folder, named as the archive: the executable, the licences, which may not be parted from it, and for Linux what
 * installs it: a download needs nothing from the repository.
 */
const pack = async (target: Target, own: string, licenses: string, time: number): Promise<Uint8Array> => {
  const folder = `${name}-${version}-${target.name}`
  const executable = await Bun.file(join(built, target.name, executableName(target))).bytes()
  const encoder = new TextEncoder()
  const toArchive = archiveName(target, version).endsWith('.zip') ? toZip : toTarGz
  const texts = new Map([
    ['LICENSE', own],
    ['THIRD-PARTY-LICENSES.txt', licenses],
  ])
  if (target.name.startsWith('linux')) for (const file of installing()) texts.set(file, published(file))
  return toArchive(
    [
      ...[...texts].map(([file, text]) => ({
        name: `${folder}/${file}`,
        bytes: encoder.encode(text),
        isExecutable: false,
      })),
      { name: `${folder}/${executableName(target)}`, bytes: executable, isExecutable: true },
    ],
    time,
  )
}

const published = (file: string): string =>
  toPublished(basename(file), readFileSync(join(root, 'deploy', file), 'utf8'), process.env.GITHUB_REPOSITORY)

const installing = (): string[] =>
  readdirSync(join(root, 'deploy'), { withFileTypes: true })
    .flatMap((entry) => (entry.isFile() ? [entry.name] : []))
    .sort()

try {
  await main(process.argv.slice(2))
} catch (error) {
  process.stderr.write(`release: ${(error as Error).message}\n`)
  process.exitCode = 1
}
