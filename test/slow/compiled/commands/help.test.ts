import { describe, expect, test } from 'bun:test'
import { version } from '../../../../package.json'
import type { Command } from '../../../../src/commands/command.ts'
import { commands } from '../../../../src/commands/commands.ts'
import { variables } from '../../../../src/config/variables.ts'
import { filesIn, formbox, oneLine } from '../../../commands/formbox.ts'
import { temporaryFolder } from '../../../harness.ts'

const usageOf = ({ words, operands = [] }: Command): string => [...words, ...operands].join(' ')

describe('formbox --help', () => {
  test.each(['--help', '-h', 'help'])('%s tells every command and every setting, and does nothing', async (word) => {
    const folder = temporaryFolder()
    const { exitCode, stdout, stderr } = await formbox([word], { folder })
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    for (const command of commands) expect(stdout).toMatch(new RegExp(`^  ${usageOf(command)} +\\S`, 'm'))
    for (const { name, help, default: preset } of variables) {
      expect(stdout).toMatch(new RegExp(`^  ${name} `, 'm'))
      expect(stdout).toContain(preset === '' ? help : `${help} (${preset})`)
    }
    expect(stdout.split('\n').filter((line) => line.length > 100)).toEqual([])
    expect(filesIn(folder)).toEqual([])
  })

  const data = ['--data DIR']
  const flags: [usage: string, words: string[], flags: string[]][] = [
    ['serve', ['serve'], ['--host HOST', '--port PORT', ...data]],
    ['demo', ['demo'], []],
    [
      'user create EMAIL',
      ['user', 'create'],
      ['--password-stdin', '--no-password', '--operator', '--if-missing', ...data],
    ],
    ['user list', ['user', 'list'], ['--json', ...data]],
    ['user password EMAIL', ['user', 'password'], ['--password-stdin', ...data]],
    ['user reset-2fa EMAIL', ['user', 'reset-2fa'], data],
    ['user disable EMAIL', ['user', 'disable'], data],
    ['user enable EMAIL', ['user', 'enable'], data],
    ['user allow EMAIL', ['user', 'allow'], data],
    ['user email EMAIL NEW', ['user', 'email'], data],
    ['user operator EMAIL', ['user', 'operator'], ['--off', ...data]],
    ['user delete EMAIL', ['user', 'delete'], ['--yes', '--shared-to EMAIL', '--delete-shared', ...data]],
    [
      'key create',
      ['key', 'create'],
      ['--user EMAIL', '--name NAME', '--expires DATE', '--read-only', '--form ID', ...data],
    ],
    ['key list', ['key', 'list'], ['--user EMAIL', '--json', ...data]],
    ['form list', ['form', 'list'], ['--user EMAIL', '--group NAME', '--json', ...data]],
    ['answers FORM_ID', ['answers'], ['--search WORDS', '--start-date DATE', '--end-date DATE', '--json', ...data]],
    ['key revoke ID', ['key', 'revoke'], data],
    [
      'export FORM_ID',
      ['export'],
      [
        '--format FORMAT',
        '--start-date DATE',
        '--end-date DATE',
        '--raw',
        '--bom',
        '--zone ZONE',
        '--output FILE',
        '--force',
        ...data,
      ],
    ],
    [
      'import FORM_ID FILE',
      ['import'],
      [
        '--format FORMAT',
        '--dry-run',
        '--date COLUMN',
        '--time-zone ZONE',
        '--date-format FORMAT',
        '--no-dates',
        '--raw',
        '--undo ID',
        ...data,
      ],
    ],
    ['apply FILE', ['apply'], ['--user EMAIL', '--check', ...data]],
    ['describe FORM_ID', ['describe'], data],
    ['backup FILE', ['backup'], ['--force', '--from BACKUP', '--keep COUNT', ...data]],
    ['restore FILE', ['restore'], data],
    ['config', ['config'], ['--json', '--host HOST', '--port PORT', ...data]],
    ['mail test ADDRESS', ['mail', 'test'], ['--sender NAME']],
    ['cluster status', ['cluster', 'status'], ['--json', '--managed']],
    ['cluster forget MACHINE', ['cluster', 'forget'], []],
    ['cluster leave', ['cluster', 'leave'], data],
    ['completions SHELL', ['completions'], []],
    ['healthcheck', ['healthcheck'], ['--host HOST', '--port PORT']],
  ]

  test('has its flags written down here for every command', () => {
    expect(flags.map(([usage]) => usage).toSorted()).toEqual(commands.map(usageOf).toSorted())
  })

  test.each(flags)('of %s tells its flags and no others, also behind other words', async (usage, words, flags) => {
    const folder = temporaryFolder()
    for (const rest of [['--help'], ['-h'], ['--data', 'x', '--help'], ['--nonsense', '--help']]) {
      const { exitCode, stdout, stderr } = await formbox([...words, ...rest], { folder })
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
      expect(stdout).toStartWith(`Usage: formbox ${usage} [FLAGS]\n\n`)
      const told = [...stdout.matchAll(/^ {2}(--\S+(?: [A-Z]+)?) {2,}\S/gm)].map(([, flag]) => flag)
      expect(told).toEqual([...flags, '--help'])
    }
    expect(filesIn(folder)).toEqual([])
  })
})

describe('the help of half a command', () => {
  test.each([
    ['user', ['user', '--help']],
    ['user', ['user', '-h']],
    ['user', ['help', 'user']],
    ['key', ['key', '--help']],
  ])('tells what can follow %s: formbox %j', async (group, words) => {
    const { exitCode, stdout, stderr } = await formbox(words)
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    expect(stdout).toStartWith(`Usage: formbox ${group} COMMAND [FLAGS]\n\n`)
    const told = stdout.split('\n').filter((line) => line.startsWith(`  ${group} `))
    expect(told).toHaveLength(commands.filter((command) => command.words[0] === group).length)
  })

  test('of a whole one is the same as behind --help', async () => {
    expect(await formbox(['help', 'key', 'create'])).toEqual(await formbox(['key', 'create', '--help']))
  })
})

describe('formbox --version', () => {
  test('prints the version and nothing else, whatever the environment holds', async () => {
    const folder = temporaryFolder()
    expect(await formbox(['--version'], { folder })).toEqual({ exitCode: 0, stdout: `${version}\n`, stderr: '' })
    const environment = { FORMBOX_PORT: 'nonsense', FORMBOX_NONSENSE: '1' }
    expect(await formbox(['--version'], { folder, environment })).toMatchObject({ exitCode: 0, stdout: `${version}\n` })
    expect(filesIn(folder)).toEqual([])
  })
})

describe('a command line that cannot be understood', () => {
  test.each<[string, string[], string]>([
    ['an unknown command', ['nonsense'], '"nonsense"'],
    ['an empty command', [''], '""'],
    ['a command in capitals', ['SERVE'], '"SERVE"'],
    ['a name that every object has', ['constructor'], '"constructor"'],
    ['half a command', ['user'], 'user create, user list'],
    ['half a command and an unknown rest', ['key', 'delete'], 'key create, key list, key revoke'],
    ['an unknown flag', ['--nonsense'], '"--nonsense"'],
    ['an unknown flag of a command', ['user', 'list', '--nonsense'], '"--nonsense"'],
    ['an unknown short flag', ['serve', '-p'], '"-p"'],
    ['a flag of another command', ['serve', '--read-only'], '"--read-only"'],
    ['a flag that every object has', ['serve', '--constructor'], '"--constructor"'],
    ['the flag __proto__', ['serve', '--__proto__=x'], '"--__proto__"'],
    ['a flag without its value', ['serve', '--port'], '--port'],
    ['a flag without its value before another', ['serve', '--host', '--port', '1'], '--host'],
    ['a value for a switch', ['user', 'create', 'a@b.c', '--password-stdin=yes'], '--password-stdin'],
    ['an operand that the command does not take', ['serve', 'extra'], '"extra"'],
    ['an operand too many', ['user', 'create', 'a@b.c', 'd@e.f'], '"d@e.f"'],
    ['an operand too few', ['user', 'create'], 'EMAIL'],
    ['an operand too few behind a switch', ['user', 'create', '--password-stdin'], 'EMAIL'],
    ['no key to revoke', ['key', 'revoke'], 'ID'],
    ['a required flag too few', ['key', 'create', '--name', 'CI'], '--user EMAIL'],
    ['another required flag too few', ['key', 'create', '--user', 'a@b.c'], '--name NAME'],
    ['a port that is no number', ['serve', '--port', 'http'], '"http"'],
    ['a port that there is not', ['serve', '--port', '65536'], '"65536"'],
    ['a negative port', ['serve', '--port=-1'], '"-1"'],
    ['half a port', ['serve', '--port', '80.5'], '"80.5"'],
    ['an empty port', ['serve', '--port', ''], 'port'],
    ['a host that is none', ['serve', '--host', 'http://127.0.0.1'], '"http://127.0.0.1"'],
    ['an empty host', ['serve', '--host='], '""'],
    ['an empty data folder', ['user', 'list', '--data', ''], 'folder'],
    ['an address that is none', ['user', 'create', 'ada'], '"ada"'],
  ])('with %s is told in one line and ends with 2: formbox %j', async (_, words, mention) => {
    const folder = temporaryFolder()
    const { exitCode, stdout, stderr } = await formbox(words, { folder })
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
    expect(stderr).toMatch(oneLine)
    expect(stderr.toLowerCase()).toContain(mention.toLowerCase())
    expect(filesIn(folder)).toEqual([])
  })

  test.each(['--host', '--port', '--data'])(
    'names the flag %s that has a bad value, not the variable that was not set',
    async (flag) => {
      const { exitCode, stderr } = await formbox(['serve', flag, flag === '--data' ? '' : '?'])
      expect(exitCode).toBe(2)
      expect(stderr).toContain(flag)
      expect(stderr).not.toContain('FORMBOX_')
    },
  )
})
