import { expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import { settings } from '../../src/config/settings.ts'
import { temporaryFolder } from '../harness.ts'
import { noteSkipped } from '../skips.ts'

setDefaultTimeout(20_000)

const hasTool = Bun.which('systemd-analyze') !== null
if (!hasTool) noteSkipped('The tests of deploy/formbox.service are skipped: there is no systemd-analyze here.')

const unit = await Bun.file(join(import.meta.dir, '../../deploy/formbox.service')).text()

/** Runs systemd-analyze on the unit, with an executable that is there, so that it is not what is found wrong. */
const analyze = async (...words: string[]) => {
  const path = join(temporaryFolder(), 'formbox.service')
  await Bun.write(path, unit.replaceAll('/usr/local/bin/formbox', process.execPath))
  const { exitCode, stdout, stderr } = Bun.spawnSync(['systemd-analyze', ...words, path])
  return { exitCode, output: stdout.toString() + stderr.toString() }
}

test.skipIf(!hasTool)('the systemd unit has no line that systemd does not understand', async () => {
  expect(await analyze('verify')).toEqual({ exitCode: 0, output: '' })
})

test.skipIf(!hasTool)(
  'the systemd unit is exposed to little: 1.5 at most, where 10 is a unit without protection',
  async () => {
    const { exitCode, output } = await analyze('security', '--offline=true', '--no-pager', '--threshold=15')
    expect(exitCode, output).toBe(0)
  },
)

test('the systemd unit lets Formbox connect to other hosts, as webhooks, mail and backups need', () => {
  expect(unit).not.toMatch(/^(IPAddressDeny|PrivateNetwork)=/m)
})

test('the systemd unit keeps the data where it may write, and sets only what there is', () => {
  const [, data] = /^Environment=FORMBOX_DATA=\/var\/lib\/(\w+)$/m.exec(unit) ?? []
  expect(unit).toContain(`\nStateDirectory=${data}\n`)
  const names: string[] = settings.map(({ name }) => name)
  for (const [name] of unit.matchAll(/FORMBOX_\w+/g)) expect(names).toContain(name)
})
