import { dependencies, license, name, version } from '../../package.json'
import type { Package } from './bundled.ts'
import type { Commit } from './commit.ts'
import type { Linked } from './linked.ts'

interface Options {
  readonly commit: Commit
  readonly packages: ReadonlyMap<string, Package>
  readonly linked: readonly Linked[]
}

/**
 * The software bill of materials in CycloneDX 1.6 (https://cyclonedx.org/docs/1.6/json/): Formbox, the packages that it
 * bundles, and Bun with the libraries that Bun's documentation names, which gives no versions of them.
 */
export const toSbom = ({ commit, packages, linked }: Options): object => {
  const own = `pkg:generic/${name}@${version}`
  const bun = `pkg:npm/bun@${Bun.version}`
  const purlsOf = (folders: readonly string[]): string[] => folders.flatMap((folder) => toPurl(packages.get(folder)!))
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${toUuid(`${own} ${commit.hash}`)}`,
    version: 1,
    metadata: {
      timestamp: new Date(commit.time * 1000).toISOString(),
      component: {
        type: 'application',
        'bom-ref': own,
        name,
        version,
        purl: own,
        licenses: [{ license: { id: license } }],
        properties: [{ name: 'formbox:commit', value: commit.hash }],
      },
    },
    components: [
      ...[...packages.values()].map(toComponent),
      {
        type: 'platform',
        'bom-ref': bun,
        name: 'bun',
        version: Bun.version,
        purl: bun,
        licenses: [{ license: { id: 'MIT' } }],
      },
      ...linked.map((library) => toLibrary(bun, library)),
    ],
    dependencies: [
      { ref: own, dependsOn: [...purlsOf(Object.keys(dependencies).map((each) => `node_modules/${each}`)), bun] },
      ...[...packages.values()].map((each) => ({
        ref: toPurl(each),
        dependsOn: purlsOf(each.dependencies),
      })),
      { ref: bun, dependsOn: linked.map((library) => linkedRef(bun, library)) },
    ],
  }
}

const toComponent = (each: Package): object => ({
  type: 'library',
  'bom-ref': toPurl(each),
  name: each.name,
  version: each.version,
  purl: toPurl(each),
  hashes: [{ alg: 'SHA-512', content: Buffer.from(each.integrity, 'base64').toString('hex') }],
  licenses: [/^[\w.+-]+$/.test(each.license) ? { license: { id: each.license } } : { expression: each.license }],
})

const toLibrary = (bun: string, library: Linked): object => ({
  type: 'library',
  'bom-ref': linkedRef(bun, library),
  name: library.name,
  licenses: [{ license: { name: library.license } }],
  externalReferences: [{ type: 'website', url: library.url }],
})

const linkedRef = (bun: string, { name }: Linked): string => `${bun}#${encodeURIComponent(name)}`

/** https://github.com/package-url/purl-spec: the @ of a scope is encoded, its slash is not. */
const toPurl = ({ name, version }: Package): string => `pkg:npm/${name.replace('@', '%40')}@${version}`

/** A name-based UUID (RFC 9562, version 8): the same commit has the same one. */
const toUuid = (name: string): string => {
  const hex = new Bun.CryptoHasher('sha256').update(name).digest('hex')
  const variant = (Number.parseInt(hex.charAt(16), 16) & 3) | 8
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant.toString(16)}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-')
}
