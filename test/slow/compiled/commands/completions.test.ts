import { describe, expect, test } from 'bun:test'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { commands } from '../../../../src/commands/commands.ts'
import { formbox } from '../../../commands/formbox.ts'
import { afterThisTest, temporaryFolder } from '../../../harness.ts'
import { noteSkipped } from '../../../skips.ts'

interface Shell {
  readonly name: string
  readonly words: readonly string[]
  /** Makes it ready: with the completions of the file, and without what the user has set. */
  readonly load: (script: string) => string
}

const shells: readonly Shell[] = [
  { name: 'bash', words: ['bash', '--norc', '--noprofile', '-i'], load: (script) => `eval "$(cat '${script}')"` },
  {
    name: 'zsh',
    words: ['zsh', '-f', '-i'],
    load: (script) => `autoload -U compinit; compinit -u -D; eval "$(cat '${script}')"`,
  },
  { name: 'fish', words: ['fish', '--no-config', '-i'], load: (script) => `source '${script}'` },
]

const isMissing = ({ name }: Shell): boolean => {
  if (Bun.which(name) !== null) return false
  noteSkipped(`The completions of ${name} are not tested: there is no ${name} here.`)
  return true
}

/** What is typed before Tab, and the words that formbox then gets. */
const lines: readonly (readonly [string, string])[] = [
  ['us', 'user'],
  ['user cr', 'user create'],
  ['key rev', 'key revoke'],
  ['form li', 'form list'],
  ['mail te', 'mail test'],
  ['comp', 'completions'],
  ['completions fi', 'completions fish'],
  ['serve --po', 'serve --port'],
  ['--hos', '--host'],
  ['key create --user a@b.c --read', 'key create --user a@b.c --read-only'],
  ['user list --js', 'user list --json'],
  ['user delete --y', 'user delete --yes'],
  ['key list --data fold', 'key list --data folder'],
  ['backup --for', 'backup --force'],
  ['restore cop', 'restore copy.db'],
]

for (const shell of shells)
  describe.skipIf(isMissing(shell))(`formbox completions ${shell.name}`, () => {
    test('completes what is typed in a terminal', async () => {
      const session = await open(shell)
      for (const [typed, completed] of lines) expect([typed, await session.complete(typed)]).toEqual([typed, completed])
    })
  })

describe('formbox completions', () => {
  test.each(shells.map(({ name }) => name))(
    '%s names every command and every flag, and works without data',
    async (name) => {
      const folder = temporaryFolder()
      const { exitCode, stdout, stderr } = await formbox(['completions', name], { folder })
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
      for (const { words, flags } of commands) {
        for (const word of words) expect(stdout).toContain(word)
        for (const flag of flags) expect(stdout).toContain(name === 'fish' ? `-l ${flag.name}` : `--${flag.name}`)
      }
    },
  )

  test('refuses another shell in one line', async () => {
    const { exitCode, stdout, stderr } = await formbox(['completions', 'tcsh'])
    expect([exitCode, stdout]).toEqual([2, ''])
    expect(stderr).toBe('formbox: SHELL: must be one of bash, zsh, fish; got "tcsh"\n')
  })
})

/** A shell in a terminal, where the program `formbox` writes down the words that it gets. */
const open = async ({ name, words, load }: Shell) => {
  const folder = temporaryFolder()
  const script = join(folder, `completions.${name}`)
  writeFileSync(script, (await formbox(['completions', name])).stdout)
  mkdirSync(join(folder, 'folder'))
  writeFileSync(join(folder, 'copy.db'), '')
  mkdirSync(join(folder, 'bin'))
  writeFileSync(join(folder, 'bin/formbox'), '#!/bin/sh\necho "GOT[$*]"\n')
  chmodSync(join(folder, 'bin/formbox'), 0o755)

  let shown = ''
  let tell = () => {}
  const child = Bun.spawn([...words], {
    cwd: folder,
    env: { PATH: `${join(folder, 'bin')}:${process.env.PATH}`, HOME: folder, TERM: 'dumb', LANG: 'C.UTF-8' },
    terminal: {
      cols: 200,
      rows: 50,
      data: (_, chunk) => {
        shown += new TextDecoder().decode(chunk)
        tell()
      },
    },
  })
  afterThisTest(() => child.kill('SIGKILL'))
  const type = async (text: string): Promise<string> => {
    shown = ''
    child.terminal?.write(text)
    // What is typed is shown, too, but never with the brackets closed behind it.
    for (;;) {
      const got = /GOT\[([^\]$*]*)\]/.exec(shown)?.[1]
      if (got !== undefined) return got.trim()
      await new Promise<void>((resolve) => (tell = resolve))
    }
  }
  await type(`${load(script)}; formbox ready\r`)
  // zsh takes away the slash behind a folder when nothing follows it.
  return { complete: async (typed: string) => (await type(`formbox ${typed}\t\r`)).replace(/\/$/, '') }
}
