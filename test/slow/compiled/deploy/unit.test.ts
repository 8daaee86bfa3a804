import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { variables } from '../../../../src/config/variables.ts'
import { formbox } from '../../../commands/formbox.ts'
import { afterThisTest, temporaryFolder } from '../../../harness.ts'
import { noteSkipped } from '../../../skips.ts'

const hasTool = Bun.which('systemd-analyze') !== null
if (!hasTool) noteSkipped('The tests of deploy/formbox.service are skipped: there is no systemd-analyze here.')

const unit = await Bun.file(join(import.meta.dir, '../../../../deploy/formbox.service')).text()

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
  const names: string[] = variables.map(({ name }) => name)
  for (const [name] of unit.matchAll(/FORMBOX_\w+/g)) expect(names).toContain(name)
})

test('systemd starts Formbox again after what may pass, for ever, and not after a wrong setting', async () => {
  expect(unit).toMatch(/^Restart=on-failure$/m)
  expect(unit).toMatch(/^StartLimitIntervalSec=0$/m)
  const [, prevented = ''] = /^RestartPreventExitStatus=(.+)$/m.exec(unit) ?? []
  const taken = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: () => {} } })
  afterThisTest(() => taken.stop(true))
  const codeOf = async (environment: Readonly<Record<string, string>>) =>
    String((await formbox(['serve'], { environment: { FORMBOX_PORT: '0', ...environment } })).exitCode)
  expect(await codeOf({ FORMBOX_RATE_LIMIT: 'many' })).toBe(prevented)
  expect(await codeOf({ FORMBOX_UNKNOWN: '1' })).toBe(prevented)
  expect(await codeOf({ FORMBOX_PORT: String(taken.port) })).toBe('1')
  // On a disk that is not mounted yet.
  const missing = join(temporaryFolder(), 'missing')
  expect(await codeOf({ FORMBOX_METRICS_TOKEN_FILE: missing })).toBe('1')
  expect(await codeOf({ FORMBOX_DATA: '/dev/null/formbox' })).toBe('1')
})
