// Output that cannot be written: the disk is full, or the reader has gone.
import { describe, expect, test } from 'bun:test'
import { type Outcome, ownAddress, signUp } from '../../../commands/formbox.ts'
import { afterThisTest, temporaryFolder } from '../../../harness.ts'
import { program } from '../../../program.ts'

/** What bash opens as standard output of a command. */
const outputs = {
  'a disk that is full': '/dev/full',
  // `wait` makes sure that the reader has gone.
  'a pipe that nobody reads any more': '>(exit 0); wait $!',
}

const wrap = (output: string): string[] => ['bash', '-c', `exec 3> ${output}; exec "$@" >&3 3>&-`, 'bash']

const run = (output: string, words: readonly string[], folder = temporaryFolder()): Outcome => {
  const [command = '', ...rest] = [...wrap(output), ...program, ...words]
  const { exitCode, stdout, stderr } = Bun.spawnSync([command, ...rest], { cwd: folder, env: {} })
  return { exitCode, stdout: stdout.toString(), stderr: stderr.toString() }
}

describe('a command whose output cannot be written', () => {
  const printing = ['config', 'config --json', '--help', 'help serve', '--version', 'completions bash']

  test.each(printing)('%s says that the disk is full, and ends with 1', (words) => {
    expect(run(outputs['a disk that is full'], words.split(' '))).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: 'formbox: cannot write to standard output: the disk is full\n',
    })
  })

  test.each(printing)('%s exits with 1 and prints nothing when its reader has gone', (words) => {
    const outcome = run(outputs['a pipe that nobody reads any more'], words.split(' '))
    expect(outcome).toEqual({ exitCode: 1, stdout: '', stderr: '' })
  })

  test('so do the commands that list', async () => {
    const folder = temporaryFolder()
    await signUp(folder)
    for (const words of [
      ['key', 'list'],
      ['key', 'list', '--json'],
      ['user', 'list'],
      ['user', 'list', '--json'],
    ]) {
      const outcome = run(outputs['a pipe that nobody reads any more'], [...words, '--data', 'data'], folder)
      expect(outcome, words.join(' ')).toEqual({ exitCode: 1, stdout: '', stderr: '' })
    }
  })

  test('keeps its exit code when its one line cannot be written', () => {
    const words = ['bash', '-c', 'exec "$@" 2> /dev/full', 'bash', ...program, 'nonsense']
    expect(Bun.spawnSync(words, { cwd: temporaryFolder(), env: {} }).exitCode).toBe(2)
  })
})

describe('a server whose output cannot be written', () => {
  test.each(Object.entries(outputs))('goes on serving: %s', async (_, output) => {
    const host = ownAddress()
    const port = freePort(host)
    const server = Bun.spawn([...wrap(output), ...program, 'serve', '--host', host, '--port', String(port)], {
      cwd: temporaryFolder(),
      env: {},
      stdout: 'pipe',
      stderr: 'pipe',
    })
    afterThisTest(() => server.kill('SIGKILL'))
    const status = () =>
      fetch(`http://${host}:${port}/healthz`).then(
        (answer) => answer.status,
        () => null,
      )
    while ((await status()) === null && server.exitCode === null) await Bun.sleep(5)
    // One that ended with a stack trace would do so now at the latest.
    expect(await status()).toBe(200)
    server.kill('SIGTERM')
    expect([await server.exited, await new Response(server.stderr).text()]).toEqual([0, ''])
  })
})

/** It cannot say where it listens. */
const freePort = (hostname: string): number => {
  const server = Bun.serve({ hostname, port: 0, fetch: () => new Response() })
  const port = server.port as number
  void server.stop(true)
  return port
}
