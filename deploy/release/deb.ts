import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { description, version } from '../../package.json'
import { type TarEntry, toGzip, toTarGz } from './archive.ts'
import type { Target } from './targets.ts'

/** The kinds of machine that have a package, by Debian's names. Debian's amd64 has processors without AVX2. */
const architectures: Readonly<Record<string, string>> = { 'linux-x64-baseline': 'amd64', 'linux-arm64': 'arm64' }

export const debName = ({ name }: Target): string | undefined =>
  architectures[name] && `formbox_${version}_${architectures[name]}.deb`

interface Deb {
  readonly target: Target
  readonly executable: Uint8Array<ArrayBuffer>
  readonly own: string
  readonly licenses: string
  /** The folder `deploy`. */
  readonly deploy: string
  /** Of the commit, in Unix seconds. */
  readonly time: number
}

/**
 * A Debian package (deb(5), Debian Policy 4.6). Written here like the archives, because dpkg-deb is on no other system, and its
 * bytes differ from one version to the next.
 */
export const toDeb = ({ target, executable, own, licenses, deploy, time }: Deb): Uint8Array => {
  const text = (file: string) => readFileSync(join(deploy, file), 'utf8')
  const files: readonly TarEntry[] = [
    file('etc/formbox.env', text('debian/formbox.env'), 0o600),
    { name: './usr/bin/formbox', bytes: executable, isExecutable: true },
    file('usr/lib/systemd/system/formbox.service', toUnit(text('formbox.service'))),
    ...['Caddyfile', 'nginx.conf', 'traefik.yaml'].map((each) =>
      file(`usr/share/doc/formbox/examples/${each}`, text(each)),
    ),
    { ...file('usr/share/doc/formbox/changelog.gz', ''), bytes: toGzip(encode(toChangelog(time))) },
    file('usr/share/doc/formbox/copyright', `${own.trim()}\n\n${licenses}`),
    file('usr/share/lintian/overrides/formbox', text('debian/lintian-overrides')),
  ]
  const data = toTarGz(withFolders(files), time)
  const installed = files.reduce((sum, { bytes }) => sum + bytes.length, 0)
  const control = toTarGz(
    withFolders([
      file('conffiles', '/etc/formbox.env\n'),
      file('control', toControl(architectures[target.name] as string, installed)),
      file('md5sums', files.flatMap(toSum).join('')),
      ...['postinst', 'postrm', 'prerm'].map((each) => file(each, text(`debian/${each}`), 0o755)),
    ]),
    time,
  )
  const members = [
    ['debian-binary', encode('2.0\n')],
    ['control.tar.gz', control],
    ['data.tar.gz', data],
  ] as const
  return Buffer.concat([Buffer.from('!<arch>\n'), ...members.flatMap(([name, bytes]) => toMember(name, bytes, time))])
}

const file = (name: string, text: string, mode?: number): TarEntry => ({
  name: `./${name}`,
  bytes: encode(text),
  isExecutable: false,
  ...(mode !== undefined && { mode }),
})

const encode = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)

/** With the folders above them, which dpkg does not make by itself. */
const withFolders = (files: readonly TarEntry[]): TarEntry[] => {
  const folders = new Set(['./'])
  for (const { name } of files)
    for (let at = name.indexOf('/', 2); at > 0; at = name.indexOf('/', at + 1)) folders.add(name.slice(0, at + 1))
  return [
    ...[...folders].sort().map((name) => ({ name, bytes: new Uint8Array(), isExecutable: true })),
    ...files.toSorted((one, other) => (one.name < other.name ? -1 : 1)),
  ]
}

/** That of `deploy`, with the executable of the package and a user that owns the data while it does not run, too. */
const toUnit = (unit: string): string => {
  const own = unit
    .replace(/^# Formbox with systemd: [\s\S]*?(?=^\[Unit\])/m, '')
    .replace('/usr/local/bin/formbox', '/usr/bin/formbox')
    .replace(/^# A user that exists only[^\n]*\nDynamicUser=yes$/m, 'User=formbox\nGroup=formbox')
  if (!own.includes('ExecStart=/usr/bin/formbox') || !own.includes('User=formbox\n') || own.includes('DynamicUser'))
    throw new Error('deploy/formbox.service has other lines than deb.ts replaces')
  return own
}

const maintainer = 'Formbox <formbox@users.noreply.github.com>'

const toControl = (architecture: string, installed: number): string => `Package: formbox
Version: ${version}
Architecture: ${architecture}
Maintainer: ${maintainer}
Installed-Size: ${Math.ceil(installed / 1024)}
Depends: libc6 (>= 2.17), passwd
Section: web
Priority: optional
Description: ${description.replace(/^An? /, '')}
 Every HTML form on your sites has somewhere to post to. What comes in is read,
 filtered, exported and deleted in a browser or through a REST API. All data is
 in one SQLite file; no database server or runtime is needed.
`

const toChangelog = (time: number): string => `formbox (${version}) stable; urgency=medium

  * CHANGELOG.md of the release lists the changes.

 -- ${maintainer}  ${new Date(time * 1000).toUTCString().replace('GMT', '+0000')}
`

const toSum = ({ name, bytes }: TarEntry): string[] =>
  name === './etc/formbox.env' ? [] : [`${new Bun.CryptoHasher('md5').update(bytes).digest('hex')}  ${name.slice(2)}\n`]

/** ar(5): a header of 60 characters before each member, and an even length. */
const toMember = (name: string, bytes: Uint8Array, time: number): Uint8Array[] => {
  const fields = [name.padEnd(16), `${time}`.padEnd(12), '0     ', '0     ', '100644  ', `${bytes.length}`.padEnd(10)]
  return [Buffer.from(`${fields.join('')}\`\n`), bytes, Buffer.alloc(bytes.length & 1, '\n')]
}
