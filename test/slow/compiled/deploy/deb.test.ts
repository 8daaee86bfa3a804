// A Debian package, installed into a root folder of its own by dpkg. The program in it is a stand-in: `make release` makes
// packages with the real ones, and test/release looks into those.
import { describe, expect, test } from 'bun:test'
import { appendFileSync, lstatSync, mkdirSync, readFileSync, readlinkSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { debName, toDeb } from '../../../../deploy/release/deb.ts'
import { version } from '../../../../package.json'
import { temporaryFolder } from '../../../harness.ts'
import { noteSkipped } from '../../../skips.ts'

const whyNot =
  process.getuid?.() !== 0
    ? 'only root may install'
    : ['dpkg', 'deb-systemd-helper', 'useradd'].every((program) => Bun.which(program))
      ? null
      : 'this is not Debian'
if (whyNot !== null) noteSkipped(`The Debian package is not installed: ${whyNot}.`)

const deploy = join(import.meta.dir, '../../../../deploy')
const target = { name: 'linux-arm64', bun: '' }
const made = (program: string): string => {
  const bytes = toDeb({
    target,
    executable: new TextEncoder().encode(program),
    own: 'MIT',
    licenses: '',
    deploy,
    time: 1_763_800_000,
  })
  const path = join(temporaryFolder(), debName(target) as string)
  writeFileSync(path, bytes)
  return path
}

/** An empty system, and dpkg for it. The scripts of packages run outside of it, with DPKG_ROOT. */
const openRoot = () => {
  const root = temporaryFolder()
  for (const folder of ['etc', 'var/lib/dpkg/info', 'var/lib/dpkg/updates', 'var/lib/dpkg/triggers'])
    mkdirSync(join(root, folder), { recursive: true })
  for (const file of ['passwd', 'group', 'shadow', 'gshadow']) writeFileSync(join(root, 'etc', file), '')
  for (const file of ['status', 'available']) writeFileSync(join(root, 'var/lib/dpkg', file), '')
  const forced = ['script-chrootless', 'depends', 'architecture'].map((what) => `--force-${what}`)
  const dpkg = (...words: string[]): string => {
    const { exitCode, stdout, stderr } = Bun.spawnSync([
      'dpkg',
      `--root=${root}`,
      '--log=/dev/null',
      ...forced,
      ...words,
    ])
    expect(exitCode, `${words}: ${stderr}`).toBe(0)
    return `${stdout}`
  }
  const mode = (path: string): string => (statSync(join(root, path)).mode & 0o7777).toString(8)
  const read = (path: string): string => readFileSync(join(root, path), 'utf8')
  return {
    root,
    dpkg,
    mode,
    read,
    has: (path: string) => lstatSync(join(root, path), { throwIfNoEntry: false }) !== undefined,
  }
}

/** The link by which systemd starts it with the system. */
const wanted = 'etc/systemd/system/multi-user.target.wants/formbox.service'

const first = '#!/bin/sh\necho first\n'

describe.skipIf(whyNot !== null)('the Debian package', () => {
  test('brings a user, a unit that starts with the system, a data folder that only it can read, and settings', () => {
    const { root, dpkg, mode, read } = openRoot()
    dpkg('--install', made(first))
    const [, uid = '', gid = ''] =
      /^formbox:x:(\d+):(\d+):.*:\/var\/lib\/formbox:\/usr\/sbin\/nologin$/m.exec(read('etc/passwd')) ?? []
    expect(Number(uid)).toBeGreaterThan(0)
    const data = statSync(join(root, 'var/lib/formbox'))
    expect([mode('var/lib/formbox'), `${data.uid}`, `${data.gid}`]).toEqual(['700', uid, gid])
    expect([mode('etc/formbox.env'), mode('usr/bin/formbox')]).toEqual(['600', '755'])
    const unit = read('usr/lib/systemd/system/formbox.service')
    expect(unit).toContain('ExecStart=/usr/bin/formbox serve\n')
    expect(unit).toContain('User=formbox\n')
    expect(unit).not.toContain('DynamicUser')
    expect(readlinkSync(join(root, wanted))).toBe('/usr/lib/systemd/system/formbox.service')
    expect(dpkg('--verify', 'formbox')).toBe('')
  })

  test('keeps data, settings and the user when it is upgraded or removed, and the data even when it is purged', () => {
    const { root, dpkg, read, has } = openRoot()
    dpkg('--install', made(first))
    appendFileSync(join(root, 'etc/formbox.env'), 'FORMBOX_URL=https://forms.example.com\n')
    writeFileSync(join(root, 'var/lib/formbox/formbox.db'), 'data')
    const passwd = read('etc/passwd')
    dpkg('--install', made('#!/bin/sh\necho second\n'))
    expect(read('usr/bin/formbox')).toContain('second')
    expect(has(wanted)).toBe(true)
    dpkg('--remove', 'formbox')
    expect(has('usr/bin/formbox')).toBe(false)
    expect(read('etc/formbox.env')).toEndWith('FORMBOX_URL=https://forms.example.com\n')
    expect(dpkg('--purge', 'formbox')).toContain('The data of Formbox stays in /var/lib/formbox.')
    expect([has('etc/formbox.env'), has(wanted)]).toEqual([false, false])
    expect(read('var/lib/formbox/formbox.db')).toBe('data')
    expect(read('etc/passwd')).toBe(passwd)
  })

  test('takes the group that is left when its user was deleted while others were in it', () => {
    const { root, dpkg, read } = openRoot()
    appendFileSync(join(root, 'etc/group'), 'formbox:x:990:ada\n')
    appendFileSync(join(root, 'etc/gshadow'), 'formbox:!::ada\n')
    dpkg('--install', made(first))
    expect(read('etc/passwd')).toMatch(/^formbox:x:\d+:990:/m)
    expect(statSync(join(root, 'var/lib/formbox')).gid).toBe(990)
  })

  test('leaves nothing when it is purged before anything was stored', () => {
    const { dpkg, has } = openRoot()
    dpkg('--install', made(first))
    dpkg('--purge', 'formbox')
    expect(has('var/lib/formbox')).toBe(false)
  })

  test('stops nothing before an upgrade: the new version restarts the service', () => {
    const script = (name: string): string => readFileSync(join(deploy, 'debian', name), 'utf8')
    expect(script('prerm')).toContain('if [ "$1" = remove ]')
    expect(script('postinst')).toContain('deb-systemd-invoke restart formbox.service')
  })

  test('stops the unit of an archive first, whose user exists while it runs and would be in the way', () => {
    const script = readFileSync(join(deploy, 'debian/postinst'), 'utf8')
    expect(script).toMatch(/ {4}if .*\n {6}deb-systemd-invoke stop formbox\.service .*\n {4}fi\n[\s\S]* {4}useradd /)
  })

  test('says that it runs, and where the link is, only if it does and there was no data', () => {
    const script = readFileSync(join(deploy, 'debian/postinst'), 'utf8')
    const says = /if \[ -n "\$new" \] && systemctl --quiet is-active formbox\.service; then\n {6}echo 'Formbox runs\./
    expect(script).toMatch(says)
  })

  test('has the same bytes each time', () => {
    const [one = '', other = ''] = [made(first), made(first)]
    expect(readFileSync(one).equals(readFileSync(other))).toBe(true)
    expect(one).toEndWith(`/formbox_${version}_arm64.deb`)
  })
})
