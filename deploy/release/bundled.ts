import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import manifest from '../../package.json'

/** A package whose code or files are in the executable. */
export interface Package {
  readonly name: string
  readonly version: string
  /** SPDX expression. */
  readonly license: string
  /** What its licence asks to be passed on: the licence and its notices, word for word. */
  readonly texts: readonly string[]
  /** SHA-512 of what the registry served, in base64, as the lock file has it. */
  readonly integrity: string
  /** Keys, as in the map that holds this. */
  readonly dependencies: readonly string[]
}

/**
 * What Bun bundled, by its folder: `node_modules/elysia`. Packages that are named as `dependencies` count even where
 * the bundler names no file of theirs, since a macro may have read them.
 *
 * @param inputs the files that were bundled, by their path from the root
 * @throws Error for a package without a licence, or without its text
 */
export const findBundled = (root: string, inputs: readonly string[]): ReadonlyMap<string, Package> => {
  const direct = Object.keys(manifest.dependencies).map((name) => `node_modules/${name}`)
  const folders = [...new Set([...direct, ...inputs.flatMap((input) => folderOf(input) ?? [])])].sort()
  const integrities = readIntegrities(root)
  return new Map(folders.map((folder) => [folder, describe(root, folder, folders, integrities)]))
}

/** `node_modules/a/node_modules/@b/c` of a file in there. */
const folderOf = (input: string): string | undefined =>
  /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(input)?.[0]

const describe = (
  root: string,
  folder: string,
  folders: readonly string[],
  integrities: ReadonlyMap<string, string>,
): Package => {
  const { name, version, license, dependencies, peerDependencies } = JSON.parse(
    readFileSync(join(root, folder, 'package.json'), 'utf8'),
  )
  const integrity = integrities.get(`${name}@${version}`)
  if (typeof license !== 'string') throw new Error(`${folder}/package.json: license must be an SPDX expression`)
  if (!integrity) throw new Error(`bun.lock does not have ${name}@${version}`)
  const named = Object.keys({ ...dependencies, ...peerDependencies })
  return {
    name,
    version,
    license,
    integrity,
    texts: readTexts(root, folder, license),
    dependencies: named.flatMap((other) => resolve(folder, other, folders) ?? []).sort(),
  }
}

const readTexts = (root: string, folder: string, license: string): string[] => {
  // A bundle has the licences of its own parts in a file beside it, and other bundles have mostly the same.
  const files = readdirSync(join(root, folder)).filter((file) =>
    /^(licen[cs]e|notice|copying)(\.|$)|\.LICENSE\.txt$/i.test(file),
  )
  const texts = new Set(files.sort().map((file) => readFileSync(join(root, folder, file), 'utf8')))
  if (texts.size > 0) return [...texts]
  const standard = standardTexts[license]
  if (!standard) throw new Error(`${folder} has no text of its licence ${license}`)
  return [readFileSync(join(root, standard), 'utf8')]
}

/** For packages that name a licence and leave out its text, as drizzle-orm does: one that says the same for everyone. */
const standardTexts: Readonly<Record<string, string>> = { 'Apache-2.0': 'node_modules/typescript/LICENSE' }

/** Where a package finds another: in its own folder, or in one above. */
const resolve = (folder: string, name: string, folders: readonly string[]): string | undefined => {
  const steps = folder.split('/node_modules/')
  const places = steps.map((_, count) => `${steps.slice(0, steps.length - count).join('/node_modules/')}/node_modules`)
  return [...places, 'node_modules'].map((place) => `${place}/${name}`).find((candidate) => folders.includes(candidate))
}

const readIntegrities = (root: string): Map<string, string> => {
  // JSON but for the commas behind last members.
  const lock = readFileSync(join(root, 'bun.lock'), 'utf8')
  return new Map([...lock.matchAll(/: \["([^"]+)", .*"sha512-([^"]+)"\],?$/gm)].map(([, id, hash]) => [id!, hash!]))
}
