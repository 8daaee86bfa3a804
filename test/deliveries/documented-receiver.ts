// Runs the receivers of docs/webhooks.md, as they are written there.
import { join } from 'node:path'
import { freePort } from '../free-port.ts'
import { afterThisTest, temporaryFolder } from '../harness.ts'
import { isRefused, slowly, until } from '../until.ts'

export interface Documented {
  /** Program that runs the file. */
  readonly program: string
  readonly file: string
  readonly code: string
}

/** Starts a receiver that knows a secret. It ends after the test. */
export const startDocumented = async ({ program, file, code }: Documented, secret: string) => {
  const folder = temporaryFolder()
  await Bun.write(join(folder, file), code)
  const start = () => startOnFreePort([program, file], folder, secret)
  // The port can be taken in the moment before the receiver listens.
  const started = (await start()) ?? (await start()) ?? (await start())
  if (!started) throw new Error(`${file} does not start: ${await Bun.file(join(folder, 'errors')).text()}`)
  return started
}

const startOnFreePort = async (command: string[], folder: string, secret: string) => {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const child = Bun.spawn(command, {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', WEBHOOK_SECRET: secret, PORT: String(port) },
    stdout: 'pipe',
    stderr: Bun.file(join(folder, 'errors')),
  })
  afterThisTest(async () => {
    child.kill()
    await child.exited
  })
  let output = ''
  void gather(child.stdout, (text) => (output += text))
  await until(
    async () => child.exitCode !== null || !(await isRefused(url)),
    'the receiver listens or has ended',
    slowly,
  )
  if (child.exitCode !== null) return null
  return { url, port, output: () => output, isAlive: () => child.exitCode === null }
}

const gather = async (stream: ReadableStream<Uint8Array>, add: (text: string) => void): Promise<void> => {
  const decoder = new TextDecoder()
  for await (const bytes of stream) add(decoder.decode(bytes, { stream: true }))
}
