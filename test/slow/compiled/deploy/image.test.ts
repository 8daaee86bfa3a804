// deploy/Dockerfile and compose.yaml without Docker: its own commands fill a folder, and what it starts runs with that folder as its root,
// read-only, as the image's user.
import { expect, test } from 'bun:test'
import { chmodSync, copyFileSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { toPublished } from '../../../../deploy/release/published.ts'
import { version } from '../../../../package.json'
import { parseNetworks } from '../../../../src/config/networks.ts'
import { variables } from '../../../../src/config/variables.ts'
import { clientAddress } from '../../../../src/http/client-address.ts'
import { addUser, filesIn } from '../../../commands/formbox.ts'
import { afterThisTest, startServer, temporaryFolder } from '../../../harness.ts'
import { noteSkipped } from '../../../skips.ts'

const executable = process.env.TEST_EXECUTABLE
const missing = [
  ...(executable ? [] : ['executable named in TEST_EXECUTABLE']),
  ...['bash', 'unshare', 'mount', 'chroot', 'ldd'].filter((tool) => Bun.which(tool) === null),
  ...(process.geteuid?.() === 0 ? [] : ['right to change the root folder']),
]
if (missing.length > 0)
  noteSkipped(`The test of deploy/Dockerfile is skipped: there is no ${missing.join(', no ')} here.`)

const deploy = join(import.meta.dir, '../../../../deploy')
const source = await Bun.file(join(deploy, 'Dockerfile')).text()
/** What follows the first instruction of this name. */
const lineOf = (instruction: string): string =>
  new RegExp(`^${instruction} (.*)$`, 'm').exec(source.replaceAll('\\\n', ' '))?.[1] ?? ''

const user = lineOf('USER')
const environment = Object.fromEntries(
  lineOf('ENV')
    .split(' ')
    .map((pair) => pair.split('=') as [string, string]),
)
const [, check] = /CMD (\[.*\])$/.exec(lineOf('HEALTHCHECK')) ?? []
const serve = [...JSON.parse(lineOf('ENTRYPOINT')), ...JSON.parse(lineOf('CMD'))]

/** Of an archive. */
const licenses = ['LICENSE', 'THIRD-PARTY-LICENSES.txt']

/** The folder that becomes the image. */
const buildImage = async () => {
  // What Docker builds with.
  const mask = process.umask(0o022)
  afterThisTest(() => process.umask(mask))
  const folder = temporaryFolder()
  chmodSync(folder, 0o755)
  const image = join(folder, 'image')
  const files = join(folder, 'files')
  mkdirSync(files)
  copyFileSync(executable as string, join(files, 'formbox'))
  for (const name of licenses) writeFileSync(join(files, name), '')
  const shell = JSON.parse(lineOf('SHELL'))
  // A shell complains of a locale that the machine does not have.
  const env = { ...process.env, LC_ALL: 'C' }
  const { exitCode, stderr } = Bun.spawnSync(
    [...shell, lineOf('RUN').replace(/\/(?:image|files)\b/g, (path) => `${folder}${path}`)],
    { env },
  )
  expect({ exitCode, stderr: stderr.toString() }).toEqual({ exitCode: 0, stderr: '' })
  return image
}

const inImage = (image: string, words: readonly string[], more: Readonly<Record<string, string>> = {}) => {
  // Docker gives every container these two; Bun starts without neither.
  for (const name of ['proc', 'dev']) mkdirSync(join(image, name), { recursive: true })
  const script = `
    mount --bind "$0" "$0" && mount --bind "$0/data" "$0/data" && mount -o remount,bind,ro "$0" &&
    mount --bind /proc "$0/proc" && mount --bind /dev "$0/dev" &&
    cd / && exec chroot --userspec=${user} "$0" "$@"`
  const child = Bun.spawn(['unshare', '--mount', 'bash', '-c', script, image, ...words], {
    env: { ...environment, PATH: `${environment.PATH}:/usr/sbin:/usr/bin:/sbin:/bin`, ...more },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  afterThisTest(() => child.kill('SIGKILL'))
  return child
}

test.skipIf(missing.length > 0)(
  'the image has all that Formbox needs, for a user who can write its data only',
  async () => {
    const image = await buildImage()
    const libraries = filesIn(image).filter((file) => /\.so\b/.test(file))
    expect(libraries).not.toBeEmpty()
    expect(filesIn(image).filter((file) => statSync(join(image, file)).isFile())).toEqual(
      [
        ...libraries,
        ...licenses.map((name) => `usr/share/doc/formbox/${name}`),
        'usr/local/bin/formbox',
        'usr/share/doc/libc6/copyright',
      ].sort(),
    )
    addUser(join(image, 'data'), 'ada@example.com')

    const server = inImage(image, serve, { FORMBOX_PORT: '0' })
    const { value } = await server.stdout.getReader().read()
    const [, port = ''] = /http:\/\/(?:\[::\]|0\.0\.0\.0):(\d+)/.exec(new TextDecoder().decode(value)) ?? []
    expect(port, await (port === '' ? new Response(server.stderr).text() : port)).not.toBe('')
    expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200)

    const healthy = inImage(image, JSON.parse(check as string), { FORMBOX_PORT: port })
    expect([await healthy.exited, await new Response(healthy.stderr).text()]).toEqual([0, ''])
    const outside = inImage(image, ['formbox', 'backup', '/backup.db'])
    expect([await outside.exited, await new Response(outside.stderr).text()]).toEqual([
      1,
      expect.stringContaining('read-only'),
    ])
    const inside = inImage(image, ['formbox', 'backup', '/data/backup.db'])
    expect([await inside.exited, await new Response(inside.stderr).text()]).toEqual([0, ''])
    expect(`${statSync(join(image, 'data/backup.db')).uid}:${statSync(join(image, 'data/backup.db')).gid}`).toBe(user)

    // Webhooks and mail servers have certificates, and digests and closing times a time zone: there are files of neither.
    const known =
      "require('tls').rootCertificates.length > 100, new Date(0).toLocaleTimeString('sv', { timeZone: 'Asia/Tokyo' })"
    const asked = inImage(image, ['formbox', '--print', `[${known}].join()`], { BUN_BE_BUN: '1' })
    expect(await new Response(asked.stdout).text()).toBe('true,09:00:00\n')

    server.kill('SIGTERM')
    expect(await server.exited).toBe(0)
  },
)

interface Compose {
  readonly services: {
    readonly formbox: {
      readonly image?: string
      readonly build?: string
      readonly pull_policy?: string
      readonly environment: { readonly FORMBOX_TRUST_PROXY: string }
      readonly ports: readonly string[]
      readonly volumes: readonly string[]
    }
  }
  readonly networks: {
    readonly default: { readonly ipam: { readonly config: readonly [{ subnet: string; gateway: string }] } }
  }
}

const composeText = await Bun.file(join(deploy, 'compose.yaml')).text()
const manifestText = await Bun.file(join(deploy, 'kubernetes.yaml')).text()
const compose = Bun.YAML.parse(composeText) as Compose
const { formbox } = compose.services

test('the compose file and the image agree on the folder of the data', () => {
  const folder = lineOf('VOLUME')
  expect(formbox.volumes).toEqual([`data:${folder}`])
  expect(environment.FORMBOX_DATA).toBe(folder)
  expect(lineOf('WORKDIR')).toBe(folder)
  expect(formbox.ports).toEqual([`127.0.0.1:8080:${lineOf('EXPOSE')}`])
})

test('a release names its own image in the compose file and the manifests, and nothing else changes', () => {
  const image = `ghcr.io/ada-l/formbox:${version}`
  const published = Bun.YAML.parse(toPublished('compose.yaml', composeText, 'Ada-L/Formbox')) as Compose
  const { build, pull_policy, ...kept } = formbox
  expect(published).toEqual({ ...compose, services: { formbox: { ...kept, image } } })
  expect(toPublished('kubernetes.yaml', manifestText, 'Ada-L/Formbox')).toBe(
    manifestText.replace('image: formbox\n', `image: ${image}\n`),
  )
  expect(toPublished('compose.yaml', composeText, undefined)).toBe(composeText)
  expect(() => toPublished('compose.yaml', 'image: other', 'ada/formbox')).toThrow('compose.yaml must have this once')
  expect(() => toPublished('compose.yaml', composeText, 'ada')).toThrow('GITHUB_REPOSITORY must be OWNER/NAME: ada')
})

test('the container trusts only the gateway of its network, which the compose file fixes', () => {
  const [{ subnet, gateway }] = compose.networks.default.ipam.config
  const trusted = parseNetworks('FORMBOX_TRUST_PROXY', formbox.environment.FORMBOX_TRUST_PROXY)
  expect(formbox.environment.FORMBOX_TRUST_PROXY).toBe(gateway)
  expect(parseNetworks('subnet', subnet).contains(gateway)).toBe(true)
  for (const visitor of ['192.168.1.20', '172.20.0.7', '10.0.0.9', gateway.replace(/\d+$/, '2')])
    expect(clientAddress(gateway, `203.0.113.1, ${visitor}`, trusted)).toBe(visitor)
})

interface Manifest {
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly spec: {
    readonly serviceName?: string
    readonly template?: { readonly spec: PodSpec }
    readonly volumeClaimTemplates?: readonly { readonly metadata: { readonly name: string } }[]
  }
}

interface PodSpec {
  readonly enableServiceLinks: boolean
  readonly terminationGracePeriodSeconds: number
  readonly securityContext: { readonly runAsUser: number; readonly runAsGroup: number; readonly fsGroup: number }
  readonly containers: readonly {
    readonly env: readonly { readonly name: string; readonly value?: string }[]
    readonly ports: readonly { readonly containerPort: number }[]
    readonly securityContext: { readonly readOnlyRootFilesystem: boolean }
    readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[]
    readonly [probe: `${string}Probe`]: { readonly httpGet: { readonly path: string } }
  }[]
}

test('the manifests for Kubernetes agree with the image, and with the settings and paths of the server', async () => {
  const manifests = Bun.YAML.parse(manifestText) as readonly Manifest[]
  const stateful = manifests.find(({ kind }) => kind === 'StatefulSet') as Manifest
  const pod = stateful.spec.template?.spec as PodSpec
  const [container] = pod.containers
  const { runAsUser, runAsGroup, fsGroup } = pod.securityContext
  expect(`${runAsUser}:${runAsGroup}`).toBe(user)
  expect(fsGroup).toBe(runAsGroup)
  expect(pod.enableServiceLinks).toBe(false)
  expect(container?.securityContext.readOnlyRootFilesystem).toBe(true)
  expect(container?.ports).toEqual([expect.objectContaining({ containerPort: Number(lineOf('EXPOSE')) })])
  expect(container?.volumeMounts.map(({ mountPath }) => mountPath)).toEqual([lineOf('VOLUME'), '/tmp'])
  expect(stateful.spec.volumeClaimTemplates?.map(({ metadata }) => metadata.name)).toEqual(['data'])
  expect(manifests.map(({ metadata }) => metadata.name)).toContain(stateful.spec.serviceName ?? '')

  const given = Object.fromEntries(container?.env.map(({ name, value = '' }) => [name, value]) ?? [])
  const server = await startServer({ settings: { ...given, FORMBOX_URL: '' } })
  for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe'] as const) {
    const path = container?.[probe]?.httpGet.path ?? ''
    expect((await fetch(`${server.url}${path}`)).status, path).toBe(200)
  }
})

test('what the manifests have for a cluster, in comments, are settings of the server', () => {
  const named = [...manifestText.matchAll(/FORMBOX_[A-Z_]+/g)].map(([name]) => name)
  expect([...new Set(named)].filter((name) => !variables.some((variable) => variable.name === name))).toEqual([])
})

const hasTar = process.platform === 'linux' && Bun.which('tar') !== null
if (!hasTar)
  noteSkipped('The command of docs/backup.md for a copy into the volume is skipped: there is no GNU tar here.')

test.skipIf(!hasTar)(
  'a copy that goes into the volume as docs/backup.md says is for the user of the image alone',
  async () => {
    const guide = await Bun.file(join(import.meta.dir, '../../../../docs/backup.md')).text()
    const [, command = ''] = /^(tar .*) \| docker compose cp - formbox:\/data$/m.exec(guide) ?? []
    const folder = temporaryFolder()
    await Bun.write(join(folder, 'backup.db'), 'a backup')
    const list = ['bash', '-c', `${command} | tar --list --verbose --numeric-owner`]
    const { stdout } = Bun.spawnSync(list, { cwd: folder })
    expect(stdout.toString()).toMatch(new RegExp(`^-rw------- ${user.replace(':', '/')} .* backup\\.db\n$`))
    expect(guide).not.toContain('chmod')
  },
)

const hasCompose = Bun.which('docker') !== null && Bun.spawnSync(['docker', 'compose', 'version']).exitCode === 0
if (!hasCompose) noteSkipped('deploy/compose.yaml is not read by Docker Compose: there is none here.')

test.skipIf(!hasCompose)('Docker Compose understands the compose file, also that of a release', async () => {
  const released = join(temporaryFolder(), 'compose.yaml')
  await Bun.write(released, toPublished('compose.yaml', composeText, 'ada/formbox'))
  for (const file of [join(deploy, 'compose.yaml'), released]) {
    const { exitCode, stderr } = Bun.spawnSync(['docker', 'compose', '--file', file, 'config', '-q'])
    expect({ exitCode, stderr: stderr.toString() }).toEqual({ exitCode: 0, stderr: '' })
  }
})
