// Headless Firefox for the tests of pages, over WebDriver BiDi (https://w3c.github.io/webdriver-bidi/). Playwright drives
// only a Firefox of its own, or newer ones. A machine without Firefox skips these tests, and says so.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterThisTest, temporaryFolder } from '../harness.ts'
import { noteSkipped } from '../skips.ts'

const executable = [process.env.FIREFOX, Bun.which('firefox-esr'), Bun.which('firefox')].find(Boolean)

export const hasFirefox = executable != null
if (!hasFirefox) noteSkipped('Skipping the tests in Firefox: there is no firefox on the PATH, nor in $FIREFOX.')

/** Keys of the keyboard, as WebDriver calls them. */
export const keys = { shift: '\uE008', escape: '\uE00C', space: ' ', enter: '\uE007', tab: '\uE004' } as const

/**
 * A window of a new, empty profile. It closes after the test.
 *
 * @param options.javaScriptEnabled whether scripts of pages run; `evaluate` works without them
 */
export const openFirefox = async ({ javaScriptEnabled = true } = {}) => {
  const call = await connect(await launch(javaScriptEnabled))
  await call('session.new', { capabilities: {} })
  // The first window has no focus, and keys no effect in it.
  const { context } = await call('browsingContext.create', { type: 'window' })
  const target = { context }

  const perform = async (actions: readonly object[]): Promise<void> => {
    await call('input.performActions', { context, actions })
    await call('input.releaseActions', { context })
  }

  return {
    open: (url: string) => call('browsingContext.navigate', { context, url, wait: 'complete' }),

    back: () => call('browsingContext.traverseHistory', { context, delta: -1 }),

    resize: (width: number, height = 800) =>
      call('browsingContext.setViewport', { context, viewport: { width, height } }),

    /** The value of a JavaScript expression that is a text, a number or a boolean. */
    async evaluate(expression: string): Promise<unknown> {
      const answer = await call('script.evaluate', { expression, target, awaitPromise: true })
      if (answer.type !== 'success') throw new Error(JSON.stringify(answer))
      return (answer.result as { value?: unknown }).value
    },

    setCookie: (name: string, value: string) =>
      call('storage.setCookie', { cookie: { name, value: { type: 'string', value }, domain: '127.0.0.1', path: '/' } }),

    /** Holds the first keys down while the last one is pressed. */
    press: (...pressed: readonly string[]) =>
      perform([
        {
          type: 'key',
          id: 'keyboard',
          actions: [
            ...pressed.map((value) => ({ type: 'keyDown', value })),
            ...pressed.toReversed().map((value) => ({ type: 'keyUp', value })),
          ],
        },
      ]),

    /** Clicks at a point of the window, with Shift if that is asked for. */
    click: (x: number, y: number, withShift = false) =>
      perform([
        {
          type: 'key',
          id: 'keyboard',
          actions: [withShift ? { type: 'keyDown', value: keys.shift } : { type: 'pause' }],
        },
        {
          type: 'pointer',
          id: 'mouse',
          actions: [
            { type: 'pointerMove', x: Math.round(x), y: Math.round(y) },
            { type: 'pointerDown', button: 0 },
            { type: 'pointerUp', button: 0 },
          ],
        },
      ]),
  }
}

/** Starts Firefox, and returns the address at which it can be driven. */
const launch = async (javaScriptEnabled: boolean): Promise<string> => {
  const profile = temporaryFolder()
  writeFileSync(join(profile, 'user.js'), `user_pref("javascript.enabled", ${javaScriptEnabled});\n`)
  const words = ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0', 'about:blank']
  const firefox = Bun.spawn([executable as string, ...words], {
    stdout: 'ignore',
    stderr: 'pipe',
    env: { ...process.env, HOME: profile, TZ: 'America/New_York' },
  })
  afterThisTest(async () => {
    firefox.kill()
    await firefox.exited
  })
  let said = ''
  const decoder = new TextDecoder()
  for await (const bytes of firefox.stderr) {
    said += decoder.decode(bytes, { stream: true })
    const address = /BiDi listening on (ws:\S+)/.exec(said)?.[1]
    if (address) return address
  }
  throw new Error(`Firefox ended: ${said}`)
}

type Call = (method: string, params: object) => Promise<Record<string, unknown>>

const connect = async (address: string): Promise<Call> => {
  const socket = new WebSocket(`${address}/session`)
  await new Promise((resolve, reject) => {
    socket.onopen = resolve
    socket.onerror = reject
  })
  afterThisTest(() => socket.close())
  const waiting = new Map<number, PromiseWithResolvers<Record<string, unknown>>>()
  socket.onmessage = ({ data }) => {
    const { id, type, result, message } = JSON.parse(String(data))
    if (type === 'success') waiting.get(id)?.resolve(result)
    else if (type === 'error') waiting.get(id)?.reject(new Error(message))
  }
  let last = 0
  return (method, params) => {
    const answer = Promise.withResolvers<Record<string, unknown>>()
    waiting.set(++last, answer)
    socket.send(JSON.stringify({ id: last, method, params }))
    return answer.promise
  }
}
