import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import jsQR from 'jsqr'
import type { Page } from 'playwright-core'
import { browserTimeout, closeBrowser, hasChromium, inAccountMenu, openTab } from '../../../browser/browser.ts'
import { newEmail, sharedServer } from '../../../harness.ts'
import { codeFor } from '../../../totp.ts'
import { createUser, password } from '../../../visitor.ts'

setDefaultTimeout(browserTimeout)
afterAll(closeBrowser)

/** Reads the QR code of a picture of the page, as a phone does. */
const readQrCode = async (page: Page): Promise<string> => {
  const picture = (await page.locator('.qr').screenshot()).toString('base64')
  const canvas = await page.context().newPage()
  const [width, height, pixels] = await canvas.evaluate(async (base64) => {
    const image = new Image()
    image.src = `data:image/png;base64,${base64}`
    await image.decode()
    const drawn = new OffscreenCanvas(image.width, image.height).getContext('2d') as OffscreenCanvasRenderingContext2D
    drawn.drawImage(image, 0, 0)
    return [image.width, image.height, [...drawn.getImageData(0, 0, image.width, image.height).data]] as const
  }, picture)
  await canvas.close()
  return jsQR(new Uint8ClampedArray(pixels), width, height)?.data ?? ''
}

const signIn = async (page: Page, email: string): Promise<void> => {
  await page.getByLabel('Email address').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

describe.skipIf(!hasChromium)('two-step sign-in in a browser', () => {
  test.each([
    ['with scripts, in the dark', true, 'dark', 1280],
    ['without scripts, on a phone', false, 'light', 320],
  ] as const)('is turned on with what an app reads, and asked for, %s', async (_name, withScripts, scheme, width) => {
    const server = await sharedServer()
    const email = newEmail()
    await createUser(server, email)
    const tab = await openTab({
      javaScriptEnabled: withScripts,
      colorScheme: scheme,
      viewport: { width, height: 800 },
      deviceScaleFactor: 2,
    })
    const { page } = tab
    await page.goto(`${server.url}/settings/account`)
    await signIn(page, email)
    await page.getByRole('link', { name: 'Turn on two-step sign-in' }).click()
    await page.getByRole('heading', { name: '1. Get an app' }).waitFor()
    const uri = new URL(await readQrCode(page))
    const secret = uri.searchParams.get('secret') ?? ''
    expect(await page.getByRole('img', { name: 'QR code' }).count()).toBe(1)
    await page.getByLabel('6-digit code').fill(codeFor(secret, Date.now()))
    await page.getByLabel('Current password').fill(password)
    await page.getByRole('button', { name: 'Turn on' }).click()
    await page.getByRole('heading', { name: 'Your recovery codes' }).waitFor()
    const [recoveryCode = '', ...others] = ((await page.locator('#recovery-codes').textContent()) ?? '').split('\n')
    expect(others).toHaveLength(9)
    await page.getByRole('link', { name: 'I have saved them' }).click()
    await page.getByRole('link', { name: 'Change two-step sign-in' }).waitFor()

    await page.goto(`${server.url}/settings/account`)
    await inAccountMenu(page, 'button', 'Sign out')
    await signIn(page, email)
    await page.getByRole('heading', { name: 'Enter your code' }).waitFor()
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('code')
    await page.keyboard.type('000000')
    await page.keyboard.press('Enter')
    await page.getByText('This code is wrong.').waitFor()
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('code')
    // The next one: that of now was used.
    await page.keyboard.type(codeFor(secret, Date.now() + 30_000))
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Create your first form' }).waitFor()

    await page.goto(`${server.url}/settings/account`)
    await inAccountMenu(page, 'button', 'Sign out')
    await signIn(page, email)
    await page.getByText('I don’t have my phone').click()
    await page.getByLabel('Recovery code', { exact: true }).fill(recoveryCode.toUpperCase())
    await page.getByRole('button', { name: 'Sign in with a recovery code' }).click()
    await page.getByRole('heading', { name: 'Create your first form' }).waitFor()
    expect([...tab.hosts]).toEqual([new URL(server.url).host])
    expect(tab.complaints).toEqual([])
  })
})
