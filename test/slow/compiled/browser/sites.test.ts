// The lines of docs/sites.md, on pages of another site as the tools of their sections make them.
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { BunPlugin } from 'bun'
import { Liquid } from 'liquidjs'
import type { Page } from 'playwright-core'
import { compile } from 'svelte/compiler'
import { compileScript, parse } from 'vue/compiler-sfc'
import { browserTimeout, closeBrowser, hasChromium, openTab, startSite } from '../../../browser/browser.ts'
import { blocksOf, sectionOf } from '../../../guide-parts.ts'
import { temporaryFolder } from '../../../harness.ts'
import { noteSkipped } from '../../../skips.ts'
import { slowly, until } from '../../../until.ts'
import { type World, world } from '../../../world.ts'

setDefaultTimeout(browserTimeout)
afterAll(closeBrowser)

const guide = await Bun.file(join(import.meta.dir, '../../../../docs/sites.md')).text()
const staying = 'A form that stays on the page'

/** The blocks of a section, with the addresses of this test. */
type Blocks = (heading: string, language: string) => string[]
type ToPage = (blocks: Blocks, place: { readonly site: string; readonly action: string }) => string | Promise<string>

interface Opened extends Pick<World, 'change' | 'submissions' | 'spam'> {
  readonly page: Page
  readonly site: string
  readonly complaints: readonly string[]
}

const fields = [
  { name: 'name', type: 'text' },
  { name: 'email', type: 'email', required: true },
  { name: 'message', type: 'lines', required: true, minLength: 3 },
]

/** A tab with a page of another site, under the policy that docs/collecting.md asks for, and the form that it sends to. */
const open = async (toPage: ToPage, { hasScripts = true, language = 'en-GB', settings = {} } = {}): Promise<Opened> => {
  let content = ''
  const port = startSite((path) => (path !== '/' ? '<h1>Back on our site</h1>' : content))
  const site = `http://evil.example:${port}`
  const form = await world({ form: { returnUrl: `${site}/back`, fields, ...settings } })
  const { url } = form.server
  const blocks: Blocks = (...which) =>
    blocksOf(guide, ...which).map((block) =>
      block
        .replaceAll('https://forms.example.com', url)
        .replaceAll('FORM_ID', form.formId)
        .replaceAll('https://example.com', site),
    )
  const policy = `default-src 'none'; script-src 'unsafe-inline' ${url}; style-src 'unsafe-inline'; connect-src ${url} 'self'; form-action ${url} 'self'`
  const body = await toPage(blocks, { site, action: `${url}/s/${form.formId}` })
  content = `<!doctype html><html lang="en"><meta http-equiv="content-security-policy" content="${policy}"><title>Shop</title>${body}`
  const { page, complaints } = await openTab({ javaScriptEnabled: hasScripts, locale: language })
  await page.goto(site)
  return { page, site, complaints, change: form.change, submissions: form.submissions, spam: form.spam }
}

const send = async (page: Page, message: string): Promise<void> => {
  await page.getByLabel('Name').fill('Ada')
  await page.getByLabel('Email').fill('ada@example.com')
  await page.getByLabel('Message').fill(message)
  await page.getByRole('button', { name: 'Send' }).click()
}

const chooseFile = (page: Page): Promise<void> =>
  page.getByLabel('CV').setInputFiles({ name: 'cv.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7') })

const tooShort = 'Enter at least 3 characters.'

/** Sends what is wrong, corrects it on the page that Formbox shows, and returns what is stored in the end. */
const sendPlainly = async ({ page, submissions }: Opened): Promise<object[]> => {
  expect(await page.locator('[name=_gotcha]').isVisible()).toBe(false)
  await send(page, 'Hi')
  await page.getByRole('alert').getByText(tooShort).waitFor()
  expect(await submissions()).toEqual([])
  await send(page, 'Hello')
  await page.getByRole('heading', { name: 'Back on our site' }).waitFor()
  return (await submissions()).map(({ data }: { data: object }) => data)
}

/** Sends what is wrong, and corrects it on the same page. */
const sendFromScript = async ({ page, site, submissions }: Opened): Promise<object[]> => {
  expect(await page.locator('[name=_gotcha]').isVisible()).toBe(false)
  await send(page, 'Hi')
  await page.getByRole('status').getByText(tooShort).waitFor()
  expect(await submissions()).toEqual([])
  await send(page, 'Hello')
  await page.getByRole('status').getByText('Thank you').waitFor()
  expect(page.url()).toBe(`${site}/`)
  return (await submissions()).map(({ data }: { data: object }) => data)
}

const sent = { name: 'Ada', email: 'ada@example.com', message: 'Hello' }

/** The script of an entry, with the modules that it imports by a relative path and those of packages. */
const bundle = async (entry: string, files: Record<string, string>, target: 'browser' | 'bun' = 'browser') => {
  const folder = join(import.meta.dir, 'site')
  const built = await Bun.build({
    entrypoints: [join(folder, 'entry.jsx')],
    files: Object.fromEntries(
      Object.entries({ ...files, 'entry.jsx': entry }).map(([name, text]) => [join(folder, name), text]),
    ),
    target,
    define: { 'process.env.NODE_ENV': '"production"' },
    plugins: [formspreeAsModule],
  })
  return (await built.outputs[0]?.text()) as string
}

/** Its package names a script without exports for browsers, which Vite does not take, either. */
const formspreeAsModule: BunPlugin = {
  name: 'formspree',
  setup: ({ onResolve }) => {
    const path = join(import.meta.dir, '../../../../node_modules/@formspree/ajax/dist/index.mjs')
    onResolve({ filter: /^@formspree\/ajax$/ }, () => ({ path }))
  },
}

const asModule = (script: string): string =>
  `<script type="module">${script.replaceAll('</script', '<\\/script')}</script>`

const only = (blocks: readonly string[]): string => {
  expect(blocks).toHaveLength(1)
  return blocks[0] as string
}

/** The form of the page Embed, with which the guide begins. */
const embedded = (blocks: Blocks): string => only(blocks('# Templates, generators and frameworks', 'html'))

const withLines = (blocks: Blocks, lines: string): string =>
  embedded(blocks).replace('  <button>', `${lines}\n  <button>`)

/** The form with other lines at its end. */
const ending = (blocks: Blocks, lines: string): string =>
  embedded(blocks).replace('<form ', '<form id="contact" ').replace('</form>', lines)

const sendModule = (blocks: Blocks): Record<string, string> => ({ 'send.js': only(blocks(staying, 'js')) })

/** A page with its own scripts, each bundled with `send.js`. */
const withScripts = async (blocks: Blocks, markup: string): Promise<string> => {
  const scripts = [...markup.matchAll(/<script.*?>([\s\S]*?)<\/script>/g)]
  expect(scripts).toHaveLength(1)
  const [tag, script = ''] = scripts[0] as unknown as [string, string]
  const bundled = asModule(await bundle(script.replace(/'\.[\w./]*\/send\.js'/, "'./send.js'"), sendModule(blocks)))
  return markup.replace(tag, () => bundled)
}

/** The page that a program makes of these files. */
const built = async ([program, ...rest]: readonly [string, ...string[]], files: Record<string, string>) => {
  const folder = temporaryFolder()
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    await Bun.write(join(folder, name), text)
  }
  const { exitCode, stdout, stderr } = Bun.spawnSync([program, ...rest, '--destination', 'public'], { cwd: folder })
  expect(exitCode, `${stdout}${stderr}`).toBe(0)
  return Bun.file(join(folder, 'public/contact/index.html')).text()
}

const hugo: ToPage = (blocks, { site }) =>
  built(['hugo'], {
    'hugo.toml': `baseURL = "${site}"\ndisableKinds = ["taxonomy", "term", "RSS", "sitemap", "home", "section", "404"]`,
    'layouts/shortcodes/contact.html': withLines(blocks, only(blocks('Hugo', 'html'))),
    'layouts/_default/single.html': '<main>{{ .Content }}</main>',
    'content/contact.md': `---\ntitle: Contact\n---\n# Write to us\n\n${only(blocks('Hugo', 'markdown'))}\n`,
  })

const jekyll: ToPage = (blocks, { site }) =>
  built(['jekyll', 'build', '--disable-disk-cache'], {
    '_config.yml': `url: ${site}\npermalink: pretty\n`,
    '_includes/contact.html': withLines(blocks, only(blocks('Jekyll', 'html'))),
    'contact.md': `---\ntitle: Contact\n---\n# Write to us\n\n${only(blocks('Jekyll', 'liquid'))}\n`,
  })

const eleventy: ToPage = async (blocks) => {
  const templates = { 'contact.liquid': embedded(blocks) }
  return new Liquid({ templates }).parseAndRender(only(blocks('Eleventy', 'liquid')))
}

const webflow: ToPage = (blocks, { action }) =>
  `<style>.w-input { display: block } .w-form-done, .w-form-fail { display: none }</style>
   <div class="w-form"><form name="email-form" data-name="Email Form" method="post" action="${action}">
     <label for="name">Name</label><input class="w-input" name="name" id="name">
     <label for="email">Email</label><input class="w-input" maxlength="256" name="email" data-name="Email" type="email" id="email" required>
     <label for="message">Message</label><textarea class="w-input" maxlength="5000" name="message" data-name="Message" id="message" required></textarea>
     <div class="w-embed">${only(blocks('Webflow', 'html'))}</div>
     <input type="submit" data-wait="Please wait..." class="w-button" value="Send">
   </form><div class="w-form-done">Thank you!</div><div class="w-form-fail">Oops!</div></div>`

/** Their form, changed as the guide says. */
const startBootstrap: ToPage = (blocks) => {
  const attributes = /`(action="[^"]+")`, `(method="post")`/.exec(sectionOf(guide, 'Start Bootstrap')) ?? []
  expect(attributes).toHaveLength(3)
  const { action } = /action="(?<action>[^"]+)"/.exec(embedded(blocks))?.groups ?? {}
  return `<form id="contactForm" action="${action}" ${attributes[2]}>
    <div><input class="form-control" id="name" name="name" type="text" placeholder="Name"><label for="name">Name</label></div>
    <div><input class="form-control" id="email" name="email" type="email" placeholder="Email"><label for="email">Email address</label></div>
    <div><textarea class="form-control" id="message" name="message" placeholder="Message"></textarea><label for="message">Message</label></div>
    <input name="_gotcha" hidden autocomplete="off">
    <button class="btn btn-primary btn-xl" id="submitButton" type="submit">Send</button></form>`
}

const hasProgram = (name: string): boolean => {
  const isThere = Bun.which(name) !== null
  if (hasChromium && !isThere)
    noteSkipped(`Skipping the test of the lines for ${name}: there is no ${name} on the PATH.`)
  return isThere
}

interface Plain {
  readonly name: string
  readonly toPage: ToPage
  /** Where the visitor arrives: at the return address of the form, unless `_next` names another page. */
  readonly arrival?: string
  readonly more?: object
  readonly isSkipped?: boolean
}

const plain: readonly Plain[] = [
  { name: 'Hugo', toPage: hugo, arrival: '/thanks/', more: { _language: 'en' }, isSkipped: !hasProgram('hugo') },
  { name: 'Jekyll', toPage: jekyll, arrival: '/thanks/', isSkipped: !hasProgram('jekyll') },
  { name: 'Eleventy', toPage: eleventy },
  { name: 'WordPress', toPage: embedded },
  { name: 'Webflow', toPage: webflow },
  { name: 'Start Bootstrap', toPage: startBootstrap },
]

describe.skipIf(!hasChromium)('a plain form of docs/sites.md', () => {
  for (const { name, toPage, arrival = '/back', more, isSkipped = false } of plain)
    test.skipIf(isSkipped)(`of ${name} shows what is wrong, and comes back to the site`, async () => {
      const opened = await open(toPage)
      expect(await sendPlainly(opened)).toEqual([{ ...sent, ...more }])
      expect(opened.page.url()).toBe(opened.site + arrival)
      expect(opened.complaints).toEqual([])
    })

  test('in HTML sends a file, and comes back to the page that it names', async () => {
    const { page, site, submissions, complaints } = await open((blocks) =>
      withLines(blocks, only(blocks('Plain HTML', 'html'))).replace('<form ', '<form enctype="multipart/form-data" '),
    )
    await chooseFile(page)
    await send(page, 'Hello')
    await page.getByRole('heading', { name: 'Back on our site' }).waitFor()
    expect(page.url()).toBe(`${site}/thanks`)
    const [{ data }] = await submissions()
    expect(data).toEqual({ ...sent, cv: expect.objectContaining({ filename: 'cv.pdf', size: 8 }) })
    expect(complaints).toEqual([])
  })
})

const react = (blocks: Blocks) => ({ ...sendModule(blocks), 'Contact.jsx': only(blocks('React', 'jsx')) })
const intoRoot =
  "import { createRoot } from 'react-dom/client'\nimport { Contact } from './Contact.jsx'\ncreateRoot(document.getElementById('root')).render(<Contact />)"
const root = '<div id="root"></div>'

const toReact: ToPage = async (blocks) => root + asModule(await bundle(intoRoot, react(blocks)))

/** A static export: the HTML of the component, and the script that takes it over. */
const next: ToPage = async (blocks) => {
  const files = { ...react(blocks), 'page.jsx': only(blocks('Next.js', 'jsx')) }
  const folder = temporaryFolder()
  const file = join(folder, 'export.js')
  const server =
    "import { renderToString } from 'react-dom/server'\nimport Page from './page.jsx'\nexport const page = renderToString(<Page />)"
  await Bun.write(file, await bundle(server, files, 'bun'))
  const { page } = await import(file)
  const client =
    "import { hydrateRoot } from 'react-dom/client'\nimport Page from './page.jsx'\nhydrateRoot(document.getElementById('root'), <Page />)"
  return `<div id="root">${page}</div>${asModule(await bundle(client, files))}`
}

const vue: ToPage = async (blocks) => {
  const { descriptor } = parse(only(blocks('Vue', 'vue')))
  const { content } = compileScript(descriptor, { id: 'contact', inlineTemplate: true })
  const entry = "import { createApp } from 'vue'\nimport Contact from './Contact.js'\ncreateApp(Contact).mount('#root')"
  return root + asModule(await bundle(entry, { ...sendModule(blocks), 'Contact.js': content }))
}

const svelte: ToPage = async (blocks) => {
  const { js } = compile(only(blocks('Svelte', 'svelte')), { generate: 'client' })
  const entry =
    "import { mount } from 'svelte'\nimport Contact from './Contact.js'\nmount(Contact, { target: document.getElementById('root') })"
  return root + asModule(await bundle(entry, { ...sendModule(blocks), 'Contact.js': js.code }))
}

const client = (blocks: Blocks) => ({ 'client.js': blocks("Formspree's libraries", 'js')[0] as string })

const formspreeReact: ToPage = async (blocks) =>
  root +
  asModule(await bundle(intoRoot, { ...client(blocks), 'Contact.jsx': only(blocks("Formspree's libraries", 'jsx')) }))

const formspreeAjax: ToPage = async (blocks) =>
  `<form id="contact-form">
     <label>Name <input name="name" data-fs-field></label>
     <label>Email <input type="email" name="email" data-fs-field></label>
     <label>Message <textarea name="message" data-fs-field></textarea></label>
     <span data-fs-error="message" role="status"></span>
     <input name="_gotcha" hidden autocomplete="off">
     <button type="submit" data-fs-submit-btn>Send</button>
   </form><div data-fs-success role="status"></div><div data-fs-error></div>${asModule(await bundle(blocks("Formspree's libraries", 'js')[1] as string, client(blocks)))}`

const htmxScript = async (name: string): Promise<string> => {
  const script = await Bun.file(join(import.meta.dir, `../../../../node_modules/${name}/dist/htmx.min.js`)).text()
  return `<script>${script.replaceAll('</script', '<\\/script')}</script>`
}

const htmx =
  (name: 'htmx.org' | 'htmx-2'): ToPage =>
  async (blocks) => {
    const [form = '', heads = ''] = blocks('htmx', 'html')
    return `${heads.split('\n')[name === 'htmx.org' ? 0 : 1]}${await htmxScript(name)}${form}`
  }

const scripted: readonly { name: string; toPage: ToPage; settings?: object }[] = [
  { name: 'HTML', toPage: (blocks) => withScripts(blocks, ending(blocks, only(blocks(staying, 'html')))) },
  { name: 'Astro', toPage: (blocks) => withScripts(blocks, ending(blocks, only(blocks('Astro', 'astro')))) },
  { name: 'React', toPage: toReact },
  { name: 'Next.js', toPage: next },
  { name: 'Vue', toPage: vue },
  { name: 'Svelte', toPage: svelte },
  { name: '@formspree/react', toPage: formspreeReact },
  { name: '@formspree/ajax', toPage: formspreeAjax },
  { name: 'htmx 4', toPage: htmx('htmx.org'), settings: { returnUrl: null } },
  { name: 'htmx 2', toPage: htmx('htmx-2'), settings: { returnUrl: null } },
]

/** Of htmx 2, which looks for headers that CORS hides. It also reports each refused submission. */
const isHarmless = (complaint: string): boolean =>
  /^(Refused to get unsafe header|Response Status Error)/.test(complaint)

describe.skipIf(!hasChromium)('a form with a script of docs/sites.md', () => {
  for (const { name, toPage, settings } of scripted)
    test(`with ${name} shows what is wrong, and thanks, on the same page`, async () => {
      const opened = await open(toPage, { settings: settings ?? {} })
      expect(await sendFromScript(opened)).toEqual([sent])
      expect(opened.complaints.filter((one) => name !== 'htmx 2' || !isHarmless(one))).toEqual([])
    })

  const inHtml: ToPage = (blocks) => withScripts(blocks, ending(blocks, only(blocks(staying, 'html'))))

  test('names the field to correct by its focus, and says in the visitor’s language what to correct', async () => {
    const { page } = await open(inHtml, { language: 'de-DE' })
    await send(page, 'Hi')
    await page.getByRole('status').getByText('Geben Sie mindestens 3 Zeichen ein.').waitFor()
    expect(await page.evaluate(() => (document.activeElement as HTMLTextAreaElement).name)).toBe('message')
  })

  test('says why a form is closed, and that a server cannot be reached', async () => {
    const { page, change, submissions } = await open(inHtml)
    await change({ open: false, closedText: 'Closed until May' })
    await send(page, 'Hello')
    await page.getByRole('status').getByText('Closed until May').waitFor()
    await page.route('**/s/*', (route) => route.abort())
    await send(page, 'Hello')
    await page.getByRole('status').getByText('Your message was not sent. Please try again later.').waitFor()
    expect(await submissions()).toEqual([])
  })

  test('sends a file', async () => {
    const withFile: ToPage = async (blocks, place) =>
      (await inHtml(blocks, place)).replace('<button>', '<label>CV <input name="cv" type="file"></label><button>')
    const { page, submissions } = await open(withFile)
    await chooseFile(page)
    await send(page, 'Hello')
    await page.getByRole('status').getByText('Thank you').waitFor()
    const [{ data }] = await submissions()
    expect(data).toEqual({ ...sent, cv: expect.objectContaining({ filename: 'cv.pdf', size: 8 }) })
  })

  test('stores a double click once', async () => {
    const { page, submissions } = await open(inHtml)
    const requests: string[] = []
    page.on('request', (request) => requests.push(request.method()))
    await page.getByLabel('Name').fill('Ada')
    await page.getByLabel('Email').fill('ada@example.com')
    await page.getByLabel('Message').fill('Hello')
    await page.getByRole('button').dblclick()
    await page.getByRole('status').getByText('Thank you').waitFor()
    expect(requests).toEqual(['POST'])
    expect(await submissions()).toHaveLength(1)
  })

  test('sends what a robot fills in to the spam', async () => {
    const { page, submissions, spam } = await open(inHtml)
    await page.evaluate(() => document.querySelector('[name=_gotcha]')?.setAttribute('value', 'Buy'))
    await send(page, 'Hello')
    await page.getByRole('status').getByText('Thank you').waitFor()
    expect(await submissions()).toEqual([])
    expect(await spam()).toHaveLength(1)
  })

  test('needs only the script for a proof of work', async () => {
    const withProof: ToPage = async (blocks, place) =>
      `${await inHtml(blocks, place)}<script src="${new URL(place.action).origin}/challenge.js"></script>`
    const opened = await open(withProof, { settings: { challenge: true } })
    expect(await sendFromScript(opened)).toEqual([sent])
    expect(opened.complaints).toEqual([])
  })

  test.each([
    ['plain HTML', inHtml],
    ['an export of Next.js', next],
  ])('is a plain form without JavaScript: %s', async (_, toPage) => {
    const opened = await open(toPage, { hasScripts: false })
    expect(await sendPlainly(opened)).toEqual([sent])
  })

  test.each(['htmx.org', 'htmx-2'] as const)('cannot follow a return address with %s', async (name) => {
    const { page, submissions, complaints } = await open(htmx(name))
    await send(page, 'Hello')
    await until(() => complaints.join().includes('CORS policy'), 'the browser refuses to follow', slowly)
    expect(await submissions()).toHaveLength(1)
    expect(await page.getByRole('status').textContent()).toBe('')
  })
})

describe.skipIf(!hasChromium)('a plain form beside a stylesheet or script of the site', () => {
  test.each(['htmx.org', 'htmx-2'])('is left alone by %s with hx-boost="false"', async (name) => {
    expect(guide).toContain('`hx-boost="false"`')
    const toPage: ToPage = async (blocks) =>
      `${await htmxScript(name)}<div hx-boost="true">${embedded(blocks).replace('<form', '<form hx-boost="false"')}</div>`
    const opened = await open(toPage)
    expect(await sendPlainly(opened)).toEqual([sent])
    expect(opened.complaints).toEqual([])
  })

  test('hides its trap with the rule of the guide where a rule of the site shows it', async () => {
    const [, rule = ''] = /`(\[hidden\] \{.*?\})`/.exec(guide) ?? []
    expect(rule).not.toBe('')
    for (const style of ['', rule]) {
      const toPage: ToPage = (blocks) => `<style>input { display: block } ${style}</style>${embedded(blocks)}`
      const { page } = await open(toPage)
      expect(await page.locator('[name=_gotcha]').isVisible()).toBe(style === '')
    }
  })
})
