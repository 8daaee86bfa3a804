// Forms that a script reads differently from a browser if it is written without care. What is stored must not depend on it.
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { browserTimeout, closeBrowser, hasChromium, openTab, startSite } from '../../../browser/browser.ts'
import { blocksOf } from '../../../guide-parts.ts'
import { world } from '../../../world.ts'

setDefaultTimeout(browserTimeout)
afterAll(closeBrowser)

interface Odd {
  /** What is in the form, and after it. FORM is its address, OTHER that of another form, and what is in the CORNER is pressed. */
  readonly inside: string
  readonly after?: string
  /** How it is sent, if not by pressing its button once. */
  readonly press?: (page: Page) => Promise<void>
  /** Whether nothing is typed, and so no input gets the focus. */
  readonly isUntouched?: true
  /** What is stored beside the address that is typed. */
  readonly data: object
}

const namesOfForms = [
  ...['action', 'method', 'target', 'enctype', 'id', 'name', 'length', 'elements', 'lang', 'form', 'submit', 'reset'],
  ...['requestSubmit', 'querySelector', 'getAttribute', 'appendChild', 'closest', 'getRootNode', 'parentNode'],
]

const chosen = '<option>one</option><option selected>two</option><option selected>three</option>'
const image = '<input type="image" name="map" alt="Send" CORNER>'

/** Where it was pressed. */
const places = { 'map.x': '5', 'map.y': '6' }

/** As in Safari, which gives buttons no focus. */
const clickFromScript = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const { shadowRoot } = document.querySelector('my-form') ?? {}
    for (const button of (shadowRoot ?? document).querySelectorAll('button')) button.click()
  })

const forms: Readonly<Record<string, Odd>> = {
  'fields called as what a form has': {
    inside: `${namesOfForms.map((name) => `<input type="hidden" name="${name}" value="x">`).join('')}<button CORNER>Send</button>`,
    data: Object.fromEntries(namesOfForms.map((name) => [name, 'x'])),
  },
  'a field that keeps a script from listening': {
    inside: '<input type="hidden" name="addEventListener" value="x"><button CORNER>Send</button>',
    data: { addEventListener: 'x' },
  },
  'two buttons': {
    inside: '<button name="intent" value="ask">Ask</button><button name="intent" value="buy" CORNER>Send</button>',
    data: { intent: 'buy' },
  },
  'an input as a button': { inside: '<input type="submit" name="go" value="Send" CORNER>', data: { go: 'Send' } },
  'a button outside': {
    inside: '',
    after: '<button form="contact" name="go" value="out" CORNER>Send</button>',
    data: { go: 'out' },
  },
  'an image as the only button': {
    inside: image,
    data: places,
  },
  'an image outside': { inside: '', after: image.replace('<input', '<input form="contact"'), data: places },
  'a button before it that does not send': {
    inside: '<button type="button">i</button><button name="go" value="1" CORNER>Send</button>',
    data: { go: '1' },
  },
  'a button that sends to another form': {
    inside:
      '<button name="to" value="one">One</button><button name="to" value="other" formaction="OTHER" CORNER>Send</button>',
    data: { to: 'other' },
  },
  'a button without focus': {
    inside: '<button name="vote" value="1">Vote</button>',
    press: clickFromScript,
    isUntouched: true,
    data: { email: '', vote: '1' },
  },
  'no button': { inside: '', press: (page) => page.keyboard.press('Enter'), data: {} },
  'all kinds of inputs': {
    inside: `<input type="hidden" name="_charset_"><textarea name="lines">\none\ntwo</textarea><input type="checkbox" name="box" checked>
      <input type="checkbox" name="not"><input name="off" disabled value="x"><select name="many" multiple>${chosen}</select>
      <input name="empty"><input name="said" dirname="said.dir" value="x"><button CORNER name="go">Send</button>`,
    data: {
      _charset_: 'UTF-8',
      lines: 'one\r\ntwo',
      box: 'on',
      many: ['two', 'three'],
      empty: '',
      said: 'x',
      'said.dir': 'ltr',
      go: '',
    },
  },
}

const guide = await Bun.file(join(import.meta.dir, '../../../../docs/sites.md')).text()
const blocks = (language: string): string => blocksOf(guide, 'A form that stays on the page', language).join()
const sendModule = `data:text/javascript,${encodeURIComponent(blocks('js')).replaceAll("'", '%27')}`
/** The script of the guide's page, which uses `send.js`. */
const [script = ''] = /<script[\s\S]*<\/script>/.exec(blocks('html').replace('./send.js', sendModule)) ?? []

const inShadow = (markup: string): string =>
  `<my-form></my-form><script>customElements.define('my-form', class extends HTMLElement {
    connectedCallback() { this.attachShadow({ mode: 'open' }).innerHTML = ${JSON.stringify(markup)} }
  })</script>`

interface Way {
  readonly name: string
  readonly toPage: (markup: string, server: string) => string
  readonly hasScripts?: false
  readonly challenge?: true
  /** Whether it is sent twice at once, which is to be stored once. */
  readonly isTwice?: true
}

const solving = (server: string): string => `<script src="${server}/challenge.js"></script>`
const ways: readonly Way[] = [
  { name: 'a plain form', toPage: (markup) => markup, hasScripts: false },
  { name: 'send.js', toPage: (markup) => markup + script, isTwice: true },
  { name: 'challenge.js', toPage: (markup, server) => markup + solving(server), challenge: true },
  {
    name: 'challenge.js in a shadow root',
    toPage: (markup, server) => inShadow(markup) + solving(server),
    challenge: true,
  },
  { name: 'both', toPage: (markup, server) => markup + solving(server) + script, challenge: true },
]

/** Sends twice, the second time before the first one is answered. */
const pressTwice = async (page: Page, press: (page: Page) => Promise<void>): Promise<void> => {
  const { promise: bothPressed, resolve } = Promise.withResolvers<void>()
  await page.route('**/s/*', async (route) => {
    await bothPressed
    await route.continue()
  })
  await press(page)
  await press(page)
  resolve()
}

describe.skipIf(!hasChromium)('an odd form stores the same', () => {
  test.each(ways.map((way) => [way.name, way] as const))(
    'with %s',
    async (_, { toPage, challenge, isTwice, hasScripts = true }) => {
      const wanted = { form: { challenge: challenge ?? false } }
      let content = ''
      const site = `http://evil.example:${startSite(() => content)}`
      const { page, complaints } = await openTab({ javaScriptEnabled: hasScripts })

      for (const [name, odd] of Object.entries(forms)) {
        const [form, other] = [await world(wanted), await world(wanted)]
        const { url } = form.server
        const markup = `<form id="contact" action="FORM" method="post" accept-charset="utf-8">
        <input name="email">${odd.inside}<p role="status"></p></form>${odd.after ?? ''}`
          .replaceAll('CORNER', 'style="position:fixed;left:0;top:0;width:20px;height:20px"')
          .replaceAll('OTHER', `${url}/s/${other.formId}`)
          .replaceAll('FORM', `${url}/s/${form.formId}`)
        content = `<!doctype html><title>Shop</title>${toPage(markup, url)}`
        await page.goto(site)
        // With real keys: to find an input by its label, Playwright calls methods of its form.
        if (!odd.isUntouched) {
          await page.keyboard.press('Tab')
          await page.keyboard.type('ada@example.com')
        }
        const press = odd.press ?? ((tab: Page) => tab.mouse.click(5, 6))
        await (isTwice ? pressTwice(page, press) : press(page))
        await page.getByText('Thank you').waitFor()
        const stored = [...(await form.submissions()), ...(await other.submissions())].map(({ data }) => data)
        const expected = { email: 'ada@example.com', ...odd.data }
        expect([name, ...stored]).toEqual([name, expected])
        expect([name, ...Object.keys(stored[0])]).toEqual([name, ...Object.keys(expected)])
        // Then the guide's script fails, and the form is a plain one.
        const unexpected = complaints.splice(0).filter((one) => !one.includes('addEventListener is not a function'))
        expect([name, ...unexpected]).toEqual([name])
        await page.unroute('**/s/*')
      }
    },
  )
})
