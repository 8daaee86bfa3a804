// Makes the pictures of README.md and the guides: `make pictures` starts the demo of an executable and takes them in
// Chromium, with the fonts of this machine.
import { join, resolve } from 'node:path'
import { chromium } from 'playwright-core'

const root = join(import.meta.dir, '..')
const demo = Bun.spawn([resolve(process.argv[2] ?? 'dist/formbox'), 'demo'], { stdout: 'pipe', stderr: 'inherit' })
const { value = new Uint8Array() } = await demo.stdout.getReader().read()
const printed = new TextDecoder().decode(value)
const [, url = '', email = '', password = '', formPage = ''] =
  /listens on (\S+)\nSign in: (\S+), password (\S+)\n[^\n]*\nThe page of a form: (\S+)/.exec(printed) ?? []
const executablePath = process.env.CHROMIUM ?? Bun.which('chromium') ?? Bun.which('chromium-browser') ?? ''
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })

try {
  const context = await browser.newContext({ locale: 'en-GB', deviceScaleFactor: 1.5 })
  const page = await context.newPage()
  const take = async (name: string, colorScheme: 'light' | 'dark', [width, height]: readonly [number, number]) => {
    await page.setViewportSize({ width, height })
    await page.emulateMedia({ colorScheme })
    await page.screenshot({ path: join(root, `.github/${name}.png`) })
  }
  await page.goto(`${url}/sign-in`)
  await page.getByLabel('Email address').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Inbox' }).waitFor()
  await take('inbox', 'light', [1120, 560])
  await page.getByRole('link', { name: 'Forms' }).click()
  await page.getByRole('heading', { name: 'Forms' }).waitFor()
  await take('forms', 'dark', [1000, 620])
  await page.goto(formPage)
  await take('form-page', 'light', [720, 780])
} finally {
  await browser.close()
  demo.kill('SIGTERM')
  await demo.exited
}
