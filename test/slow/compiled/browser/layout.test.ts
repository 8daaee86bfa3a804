import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { browserTimeout, closeBrowser, hasChromium, openTab, signUp, type Tab } from '../../../browser/browser.ts'
import { addKey, newEmail, sharedServer } from '../../../harness.ts'

setDefaultTimeout(browserTimeout)
afterAll(closeBrowser)

const long = 'A text that is longer than its column, as most messages are. '.repeat(5)

/** A form of a new user who is signed in, with these submissions. */
const openForm = async (tab: Tab, submissions: readonly object[], columns: readonly string[] | null = null) => {
  const server = await sharedServer()
  const ada = addKey(server, await signUp(tab, server), newEmail())
  const id = await ada.createForm()
  if (columns) await ada.call('PATCH', `/forms/${id}/settings`, { columns })
  const ids = []
  for (const data of submissions) ids.push(await server.submit(id, data))
  return { ada, id, list: `${server.url}/forms/${id}`, newest: `${server.url}/forms/${id}/submissions/${ids.at(-1)}` }
}

/** Pixels by which the content of an element is wider than it. */
const overflow = (page: Page, selector: string): Promise<number> =>
  page.locator(selector).evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)

describe.skipIf(!hasChromium)('the layout', () => {
  test.each([true, false])('eight columns fit from 961 px on, with scripts: %p', async (javaScriptEnabled) => {
    const tab = await openTab({ javaScriptEnabled })
    const { page } = tab
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
    const { list } = await openForm(tab, [Object.fromEntries(names.map((name) => [name, long]))], names)
    await page.goto(list)
    for (const width of [961, 1280, 1440, 1920]) {
      await page.setViewportSize({ width, height: 800 })
      expect(await page.getByRole('columnheader', { name: 'h', exact: true }).isVisible()).toBe(true)
      expect(await overflow(page, '.columns'), `at ${width} px`).toBe(0)
    }
  })

  test('the longest column gets the room that the others leave', async () => {
    const tab = await openTab({ viewport: { width: 1440, height: 800 } })
    const { page } = tab
    const { list } = await openForm(
      tab,
      [{ name: 'Grace', email: 'g@example.com', topic: '', message: long }],
      ['name', 'email', 'topic', 'message'],
    )
    await page.goto(list)
    const widths = await page.locator('tr:has(.open) td').evaluateAll((all) => all.map((cell) => cell.clientWidth))
    expect(widths[4]).toBeGreaterThan(2 * (widths[2] as number))
  })

  test('at 1280 px, a field with a long name has its name in one line', async () => {
    const tab = await openTab({ viewport: { width: 1280, height: 800 } })
    const { page } = tab
    const many = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`section_2_question_${i}`, 'x']))
    const { newest } = await openForm(tab, [many])
    await page.goto(newest)
    const name = page.locator('dt', { hasText: 'section_2_question_27' })
    expect((await name.boundingBox())?.height).toBeLessThan(30)
    await name.scrollIntoViewIfNeeded()
    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight))
    // What can be done stays at hand, and so does the way on.
    for (const locator of [page.getByRole('button', { name: 'Done', exact: true }), page.locator('nav.place')]) {
      const box = await locator.boundingBox()
      expect(box?.y).toBeGreaterThanOrEqual(0)
      expect(box?.y).toBeLessThan(800)
    }
  })

  test.each([true, false])(
    'on a telephone, columns are chosen, and values run on, scripts: %p',
    async (javaScriptEnabled) => {
      const tab = await openTab({ javaScriptEnabled, viewport: { width: 320, height: 568 } })
      const { page } = tab
      const question = 'Would you recommend us to your friends and family?'
      const { list } = await openForm(tab, [{ name: 'Grace', [question]: 'Yes, I would', city: 'Oslo' }])
      await page.goto(list)
      await page.locator('.more > summary').click()
      await page.getByRole('link', { name: 'Choose columns' }).click()
      for (const name of ['name', 'city']) await page.getByRole('checkbox', { name }).check()
      await page.getByRole('button', { name: 'Show', exact: true }).filter({ visible: true }).click()
      await page.locator('td', { hasText: 'Oslo' }).waitFor()
      expect(await page.locator('td', { hasText: 'Yes, I would' }).count()).toBe(0)
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320)
    },
  )

  test('on a small telephone, where a submission is among the others and what can be done with it fit', async () => {
    const tab = await openTab({ viewport: { width: 320, height: 640 } })
    const { page } = tab
    const { newest } = await openForm(tab, [{ a: '1' }, { name: 'Grace', email: 'g@example.com' }, { a: '3' }])
    await page.goto(newest)
    await page.getByRole('link', { name: 'Older' }).click()
    await page.getByText('2 of 3', { exact: true }).waitFor()
    const heights = async () => {
      const boxes = await page.locator('nav.place > *').all()
      return Promise.all(boxes.map(async (one) => (await one.boundingBox())?.height ?? 0))
    }
    expect(Math.max(...(await heights()))).toBeLessThan(46)
    // As in a large form, of which only the unread ones are shown.
    await page.locator('nav.place p').evaluate((place) => (place.textContent = '1,999 of 12,000 unread'))
    expect(Math.max(...(await heights()))).toBeLessThan(70)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320)
    for (const name of ['Reply', 'Done', 'Spam', 'More']) {
      const box = await page
        .locator('.bar .actions')
        .getByText(name, { exact: true })
        .locator('xpath=ancestor-or-self::*[self::button or self::a or self::summary]')
        .boundingBox()
      expect(box?.x, name).toBeGreaterThanOrEqual(8)
      expect((box?.x ?? 0) + (box?.width ?? 0), name).toBeLessThanOrEqual(312)
    }
  })

  test('at 360 px, the time leaves room for a long name', async () => {
    const tab = await openTab({ viewport: { width: 360, height: 640 } })
    const { page } = tab
    const { list } = await openForm(tab, [{ name: 'Konstantinos Papadopoulos-Christodoulou', message: long }])
    await page.goto(list)
    const [name, time] = [
      await page.locator('.row .open bdi').boundingBox(),
      await page.locator('.row time').boundingBox(),
    ]
    if (!name || !time) throw new Error('not shown')
    expect(name.x + name.width).toBeLessThan(time.x)
    expect(name.width).toBeGreaterThan(120)
  })

  test('on a telephone, a long message can be answered where it begins, and hides nothing at its end', async () => {
    const tab = await openTab({ viewport: { width: 360, height: 640 } })
    const { page } = tab
    const { newest } = await openForm(tab, [
      { email: 'grace@example.com', message: `${long}\n`.repeat(9), last: 'end' },
    ])
    await page.goto(newest)
    const reply = page.getByRole('link', { name: /^Reply/ })
    const bottom = async (): Promise<number> => {
      const box = await reply.boundingBox()
      return (box?.y ?? 0) + (box?.height ?? 0)
    }
    expect(await bottom()).toBeGreaterThan(500)
    expect(await bottom()).toBeLessThan(640)
    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight))
    const last = await page.getByText('end', { exact: true }).boundingBox()
    expect((last?.y ?? 0) + (last?.height ?? 0)).toBeLessThan((await reply.boundingBox())?.y ?? 0)
  })

  test.each([
    [390, 664],
    [320, 568],
  ])(
    'on a telephone of %d × %d px, the list begins in its upper part, and the bar is two rows',
    async (width, height) => {
      const tab = await openTab({ viewport: { width, height } })
      const { page } = tab
      const { list, newest } = await openForm(
        tab,
        Array(22).fill({ name: 'Grace', email: 'g@example.com', message: long }),
      )
      await page.goto(list)
      expect((await page.locator('.row').first().boundingBox())?.y).toBeLessThanOrEqual(285)
      await page.getByRole('checkbox').first().check()
      expect((await page.locator('.picked').boundingBox())?.height).toBeLessThan(120)
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width)
      await page.goto(newest)
      for (const row of ['.bar', '.bar > .actions'])
        expect((await page.locator(row).boundingBox())?.height, row).toBeLessThan(72)
      await page.locator('.bar .more > summary').click()
      const last = await page.getByRole('button', { name: 'Delete' }).boundingBox()
      expect(last?.x).toBeGreaterThanOrEqual(0)
      expect((last?.x ?? 0) + (last?.width ?? 0)).toBeLessThanOrEqual(width)
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width)
    },
  )

  test.each([
    [844, 390],
    [640, 400],
  ])('at %d × %d px, what can be done with the selected ones is in sight', async (width, height) => {
    const tab = await openTab({ viewport: { width, height } })
    const { page } = tab
    const { list } = await openForm(tab, Array(9).fill({ name: 'Grace', message: long }))
    await page.goto(list)
    await page.getByRole('checkbox').first().check()
    for (const name of ['Spam', 'Delete']) {
      const box = await page.getByRole('button', { name }).boundingBox()
      if (!box) throw new Error('not shown')
      expect(box.x).toBeGreaterThanOrEqual(0)
      expect(box.x + box.width).toBeLessThanOrEqual(width)
      expect(box.y + box.height).toBeLessThanOrEqual(height)
    }
  })

  test('at 320 px, a form with a long title says that it is full', async () => {
    const tab = await openTab({ viewport: { width: 320, height: 640 } })
    const { page } = tab
    const { ada, id, list } = await openForm(tab, [{ name: 'Grace' }])
    await ada.call('PATCH', `/forms/${id}`, { title: 'Registration for the annual meeting of the association' })
    await ada.call('PATCH', `/forms/${id}/settings`, { maxSubmissions: 1 })
    await page.goto(list)
    const [title, state] = [page.locator('h1 bdi'), page.locator('.head > .chip')]
    const [above, box] = [await title.boundingBox(), await state.boundingBox()]
    if (!above || !box) throw new Error('not shown')
    expect(await state.textContent()).toBe('Full')
    expect(box.x + box.width).toBeLessThanOrEqual(320)
    expect(box.x).toBeGreaterThanOrEqual(0)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320)
  })

  test('at 320 px, the tabs of a form are in one line, and all can be seen', async () => {
    const tab = await openTab({ viewport: { width: 320, height: 640 } })
    const { page } = tab
    const { list } = await openForm(tab, Array(12).fill({ name: 'Robot', _gotcha: 'x' }))
    await page.goto(`${list}/settings`)
    const boxes = await Promise.all((await page.locator('.tabs a').all()).map((link) => link.boundingBox()))
    expect(new Set(boxes.map((box) => box?.y)).size).toBe(1)
    for (const box of boxes) expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(320)
    // However much there is, the page does not become wider, but the line of tabs.
    await page.locator('.tabs .count').evaluate((count) => {
      count.textContent = '1,234,567'
    })
    expect(await overflow(page, '.tabs')).toBeGreaterThan(0)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320)
  })

  test.each([320, 1280])(
    'at %d px, of a text from right to left that is too long the beginning is shown',
    async (width) => {
      const tab = await openTab({ viewport: { width, height: 640 } })
      const { page } = tab
      const text = 'نموذج الاتصال الخاص بشركتنا الجديدة '.repeat(6)
      const { ada, id, list, newest } = await openForm(tab, [{ name: text, topic: text, message: text.repeat(9) }])
      /** Pixels of the first letter beyond the edges of the window, or of what cuts it off. */
      const hidden = (selector: string): Promise<number> =>
        page.locator(selector).evaluate((element) => {
          const range = document.createRange()
          const words = document.createTreeWalker(element, NodeFilter.SHOW_TEXT).nextNode() as Text
          range.setStart(words, 0)
          range.setEnd(words, 1)
          const letter = range.getBoundingClientRect()
          let beyond = 0
          for (let box: Element | null = element; box; box = box.parentElement) {
            const { left, right } = box.getBoundingClientRect()
            if (getComputedStyle(box).overflowX !== 'visible')
              beyond = Math.max(beyond, left - letter.left, letter.right - right)
          }
          return Math.max(beyond, -letter.left, letter.right - innerWidth)
        })
      await page.goto(list)
      for (const cell of ['.row .open bdi', '.gist .about', '.gist > :last-child'])
        expect(await hidden(cell), cell).toBeLessThanOrEqual(1)
      await ada.call('PATCH', `/forms/${id}`, { title: text })
      for (const address of [`${list}/deliveries`, newest]) {
        await page.goto(address)
        expect(await hidden(address === newest ? '.back bdi' : 'h1 bdi'), address).toBeLessThanOrEqual(1)
      }
    },
  )

  test('on paper there is what was sent, by whom and when, in dark ink, and nothing to press', async () => {
    const tab = await openTab({ colorScheme: 'dark' })
    const { page } = tab
    const { list, newest } = await openForm(tab, [{ name: 'Grace', email: 'grace@example.com', message: long }])
    await page.goto(newest)
    await page.emulateMedia({ media: 'print' })
    // A4 and A5 with their margins.
    for (const width of [680, 450]) {
      await page.setViewportSize({ width, height: 900 })
      for (const text of ['Contact', 'Grace', 'grace@example.com', long.trim()])
        expect(await page.locator('.letter').getByText(text, { exact: true }).first().isVisible(), text).toBe(true)
      expect(await page.locator('.where time').isVisible()).toBe(true)
      for (const hidden of ['header.top', 'nav', 'button', '.button', '.aside'])
        expect(await page.locator(hidden).filter({ visible: true }).count(), hidden).toBe(0)
      const left = await page.locator('.text').evaluate((element) => element.getBoundingClientRect().left)
      expect(left, 'left edge of the text').toBe(0)
    }
    expect(await page.locator('.text').evaluate((element) => getComputedStyle(element).color)).toBe('rgb(26, 32, 30)')
    await page.goto(list)
    for (const hidden of ['header', 'nav', 'summary', '.check'])
      expect(await page.locator(hidden).filter({ visible: true }).count(), hidden).toBe(0)
  })

  test('nothing moves, so that nobody has to ask for that', async () => {
    const tab = await openTab({ reducedMotion: 'no-preference' })
    const { page } = tab
    const { list } = await openForm(tab, [{ name: 'Grace' }])
    await page.goto(list)
    const moving = () =>
      page.evaluate(() => {
        const styles = [...document.querySelectorAll('*')].flatMap((element) =>
          ['', '::before', '::after'].map((part) => getComputedStyle(element, part)),
        )
        return styles.filter(
          ({ transitionDuration, animationName }) => transitionDuration !== '0s' || animationName !== 'none',
        ).length
      })
    expect(await moving()).toBe(0)
    for (const path of ['/settings', '/settings/spam', '/embed', '/deliveries']) {
      await page.goto(`${list}${path}`)
      expect(await moving(), path).toBe(0)
    }
  })

  test('with colours of the system, what is new, chosen or selected still differs', async () => {
    const tab = await openTab({ forcedColors: 'active' })
    const { page } = tab
    const { list } = await openForm(tab, [{ name: 'Grace' }])
    await page.goto(list)
    const styleOf = (selector: string, property: string, part?: string) =>
      page
        .locator(selector)
        .first()
        .evaluate((element, [name, pseudo]) => getComputedStyle(element, pseudo)[name as 'color'], [
          property,
          part,
        ] as const)
    expect(await styleOf('.is-unread .check', 'backgroundColor', '::before')).not.toBe(
      await styleOf('body', 'backgroundColor'),
    )
    const borders = await page
      .locator('.tabs a')
      .evaluateAll((all) => all.map((tab) => getComputedStyle(tab).borderBottomColor))
    expect(borders[0]).not.toBe(borders[1] as string)
    await page.goto(`${list}/settings/spam`)
    expect(await styleOf('.tile:has(:checked)', 'outlineStyle')).toBe('solid')
    expect(await styleOf('.tile:not(:has(:checked))', 'outlineStyle')).toBe('none')
  })
})
