import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { newId } from '../../../../src/base/id.ts'
import { addedMail, digestMail, submissionMail, testMail } from '../../../../src/sending/mail/messages.ts'
import { listSubmission } from '../../../../src/sending/mail/shown-fields.ts'
import { browserTimeout, closeBrowser, hasChromium, openTab } from '../../../browser/browser.ts'
import { startServer } from '../../../harness.ts'
import { startSmtp } from '../../../mail/smtp-server.ts'
import { until } from '../../../until.ts'

setDefaultTimeout(browserTimeout)
afterAll(closeBrowser)

const at = Date.UTC(2026, 10, 21, 14, 20)
const id = newId(at)
const publicUrl = 'https://forms.example.com'
const about = {
  id: 'x',
  to: 'ada@example.org',
  form: { id, title: 'A form with quite a long title, as they are' },
  link: `${publicUrl}/forms/${id}/submissions/${id}`,
  stop: `${publicUrl}/unsubscribe/${id}.${'s'.repeat(43)}`,
}
const file = {
  filename: 'a plan with a long name.pdf',
  type: 'application/pdf',
  size: 2_400_000,
  file: '01kahp6a8d00q2s4tznwe8cm3k9f',
}
const data = {
  name: 'Ada Lovelace',
  email: 'ada@example.net',
  company: '',
  ['a name without a space '.replaceAll(' ', '_').repeat(4)]: 'x',
  message: `Hello,\n\n${'I have a question. '.repeat(30)}\n\nAda`,
  long: 'W'.repeat(5000),
  cut: 'long '.repeat(4000),
  topics: ['Engines', 'Poetry'],
  nested: { deep: { deeper: ['x'.repeat(200)] } },
  plan: [file, file],
  hebrew: 'שלום עולם, מה שלומך?',
}
const mails = {
  submission: submissionMail({
    ...about,
    fileIds: [file.file],
    submission: { id, data: JSON.stringify(data), subject: null },
  }),
  digest: digestMail({
    ...about,
    count: 1234,
    from: at,
    until: at + 3_000_000,
    submissions: [listSubmission(id, JSON.stringify(data))],
    every: 'day',
    zone: 'America/Argentina/ComodRivadavia',
  }),
  added: addedMail(about),
  test: testMail({ id, to: about.to, publicUrl, now: at }),
}

const axe = readFileSync(Bun.resolveSync('axe-core/axe.min.js', import.meta.dir), 'utf8')
/** A folder for pictures of the mails, to look at. */
const pictures = process.env.MAIL_PICTURES

describe.skipIf(!hasChromium)('a mail in a browser', () => {
  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [360, 700])
      test.each(Object.entries(mails))(
        `fits ${width} px and can be read, ${colorScheme}: %s`,
        async (name, { html }) => {
          const { page, hosts, complaints } = await openTab({ colorScheme, viewport: { width, height: 600 } })
          await page.setContent(html)
          if (pictures)
            await page.screenshot({ path: `${pictures}/${name}-${colorScheme}-${width}.png`, fullPage: true })
          expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width)
          await page.evaluate(axe)
          const problems = await page.evaluate<string[]>(
            "axe.run({ runOnly: ['wcag2a', 'wcag2aa'] }).then(({ violations }) => violations.map(JSON.stringify))",
          )
          expect(problems).toEqual([])
          const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor)
          expect(ground).toBe(colorScheme === 'light' ? 'rgb(245, 246, 245)' : 'rgb(19, 22, 21)')
          expect([...hosts]).toEqual([])
          expect(complaints).toEqual([])
        },
      )

  test('leads to a page where one click stops such mails', async () => {
    const smtp = await startSmtp()
    const server = await startServer({
      settings: {
        FORMBOX_MAIL_URL: `smtp://127.0.0.1:${smtp.port}`,
        FORMBOX_MAIL_FROM: 'forms@example.com',
        FORMBOX_URL: publicUrl,
      },
    })
    const ada = await server.signUp()
    const formId = await ada.createForm()
    await ada.call('PATCH', `/forms/${formId}/settings`, { notify: ['grace@example.org'] })
    await until(() => smtp.mails.length === 1, 'the mail has arrived')
    const path = /^List-Unsubscribe: <https:\/\/forms\.example\.com(\/[^>]+)>\r$/m.exec(smtp.mails[0] ?? '')?.[1]
    const { page, complaints, hosts } = await openTab({ viewport: { width: 360, height: 600 } })
    await page.goto(server.url + path)
    await page.evaluate(axe)
    expect(await page.evaluate<number>('axe.run().then(({ violations }) => violations.length)')).toBe(0)
    if (pictures) await page.screenshot({ path: `${pictures}/stop.png` })
    await page.getByRole('button', { name: 'Stop emails' }).click()
    await page.getByRole('heading', { name: 'Emails stopped' }).waitFor()
    if (pictures) await page.screenshot({ path: `${pictures}/stopped.png` })
    expect((await ada.call('GET', `/forms/${formId}/settings`)).body.notify).toEqual([])
    expect([...hosts]).toEqual([new URL(server.url).host])
    expect(complaints).toEqual([])
  })
})
