import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { newId } from '../../src/base/id.ts'
import { readToml } from '../../src/base/read-toml.ts'
import { existingForm } from '../../src/commands/data-folder.ts'
import { describeForm } from '../../src/forms/as-files/describe-form.ts'
import { parseSettings } from '../../src/forms/settings/settings.ts'
import { parseHeaders } from '../../src/forms/webhooks/webhook-headers.ts'
import { joinUrl, splitUrl } from '../../src/forms/webhooks/webhook-services.ts'
import { conditionText } from '../../src/outbox/condition.ts'
import { receiverReader } from '../../src/outbox/receivers.ts'
import { newSecret } from '../../src/outbox/webhook-secret.ts'
import { receivers } from '../../src/storage/tables.ts'
import { forThisFile } from '../harness.ts'
import { refusalOf } from '../refusal.ts'
import { runsOf } from '../runs.ts'
import { openData } from '../storage/data.ts'
import { applyTo as open, readForms as read } from './applying.ts'
import { type AnyForm, anyForm } from './described.ts'

type Data = ReturnType<typeof openData>
type Environment = Record<string, string>

const formOf = ({ db }: Data, id: string) => existingForm(db, id)

/** Everything that a file says of a form, with its secrets. */
const contentsOf = (data: Data, id: string) => {
  const { number, title, description, returnUrl, settings } = formOf(data, id)
  const webhooks = receiverReader(data.db)(number).filter(({ kind }) => kind === 'webhook')
  return {
    title,
    description,
    returnUrl,
    settings: parseSettings(settings),
    webhooks: webhooks.map((webhook) => ({
      url: joinUrl(webhook),
      format: webhook.format,
      description: webhook.description,
      only: webhook.only,
      isEnabled: webhook.isEnabled,
      headers: parseHeaders(webhook.headers),
      ...(webhook.format === 'standard' && { secret: webhook.secret }),
    })),
  }
}

/** A form as the API makes it. */
const makeForm = (data: Data, form: AnyForm): string => {
  const { userId } = data
  const id = newId(Date.now())
  const { title, description, returnUrl } = form
  const webhooks = form.webhooks.flatMap(({ target, description, only, headers, enabled }): [string, unknown][] => {
    const { target: url, urlToken } = splitUrl(target)
    const names = { userId, formId: id, id: newId(Date.now()) }
    const where = { url, urlToken, host: 'x:443', format: target.format, secret: newSecret() }
    const sent = Object.entries(headers).map(([name, value]) => ({ name, value }))
    return [
      ['createWebhook', { ...names, ...where, description, only: only && conditionText(only), headers: sent }],
      ['updateWebhook', { ...names, now: Date.now(), enabled }],
    ]
  })
  const outcomes = data.execute([
    ['createForms', { userId, forms: [{ id, title, description, returnUrl }] }],
    ['updateFormSettings', { userId, id, now: Date.now(), changes: form.settings }],
    ...webhooks,
  ])
  expect(outcomes.filter((outcome) => !('result' in outcome))).toEqual([])
  return id
}

/** The secrets that the placeholders of a file stand for. */
const secretsFor = (text: string, { webhooks }: ReturnType<typeof contentsOf>): Environment => {
  const parts = text.split(/^\[forms\.[^.\]]+\.webhooks\./m).slice(1)
  const named = parts.flatMap((part, position) => {
    const webhook = webhooks[position]
    const headers = [...(/^headers = (.*)$/m.exec(part)?.[1] ?? '').matchAll(/(\w[\w-]*|"[^"]+") = "env:(\w+)"/g)]
    return [
      [/^url = "env:(\w+)"/m.exec(part)?.[1], webhook?.url],
      [/^secret = "env:(\w+)"/m.exec(part)?.[1], webhook && 'secret' in webhook ? webhook.secret : undefined],
      ...headers.map(([, name = '', variable], nth) => [variable, webhook?.headers[nth]?.value ?? name]),
    ]
  })
  return Object.fromEntries(named.filter(([name]) => name !== undefined))
}

describe('a form that is described', () => {
  test('becomes the same form on another server, whatever it has, and no secret is in the file', () => {
    const [here, there] = [openData(), openData()]
    fc.assert(
      fc.property(anyForm, (form) => {
        const id = makeForm(here, form)
        const text = describeForm(here.db, formOf(here, id))
        expect(text).not.toMatch(/topsecret|whsec_[A-Za-z0-9+/]/)
        // By another parser, too.
        expect<unknown>(Bun.TOML.parse(text)).toEqual({ ...readToml(Buffer.from(text)) })
        const contents = contentsOf(here, id)
        const environment = secretsFor(text, contents)
        const [step] = open(there).apply(text, environment)
        expect(step?.kind).toBe('new')
        expect(contentsOf(there, step?.id ?? '')).toEqual(contents)
        expect(step?.differences.join('\n')).not.toMatch(/topsecret|whsec_/)
        expect(open(there).kinds(text, environment)).toEqual(['same'])
        // Here it is the form that it was, which now has a name.
        const [own] = open(here).apply(text, environment)
        expect([own?.kind, own?.id]).toEqual(['changed', id])
        expect(own?.differences.every((line) => /^(webhooks\.[\w-]+\.)?name: none → /.test(line))).toBe(true)
        expect(contentsOf(here, id)).toEqual(contents)
        for (const [data, made] of [
          [here, id],
          [there, step?.id ?? ''],
        ] as const)
          data.run('deleteForms', { userId: data.userId, now: Date.now(), ids: [made] })
      }),
      // What failed is still there: with something smaller, it would fail for that.
      { numRuns: runsOf(300), endOnFailure: true },
    )
  })
  test('has a name from its title, and its webhooks from their descriptions, each once', () => {
    const data = openData()
    const hook = { only: null, headers: {}, enabled: true }
    const target = { format: 'standard' as const, url: 'https://hooks.example.com/x' }
    const webhooks = [null, 'Our CRM!', 'our crm', null].map((description) => ({ ...hook, target, description }))
    const id = makeForm(data, {
      title: ' Ünsere  Anfrage: 1/2 ',
      description: null,
      returnUrl: null,
      settings: {},
      webhooks,
    })
    const lines = describeForm(data.db, formOf(data, id)).split('\n')
    const part = (name: string) => `[forms.unsere-anfrage-1-2.webhooks.${name}]`
    expect(lines.filter((line) => line.startsWith('['))).toEqual([
      '[forms.unsere-anfrage-1-2]',
      ...['hooks-example-com', 'our-crm', 'our-crm-2', 'hooks-example-com-2'].map(part),
    ])
    const nameless = makeForm(data, {
      title: '問い合わせ',
      description: null,
      returnUrl: null,
      settings: {},
      webhooks: [{ ...hook, target, description: '顧客' }],
    })
    const others = describeForm(data.db, formOf(data, nameless)).match(/^\[.*/gm)
    expect(others).toEqual(['[forms.form]', '[forms.form.webhooks.hooks-example-com]'])
    const of = (url: string) => ({ ...hook, target: { format: 'standard' as const, url }, description: null })
    const form = { title: '?', description: null, returnUrl: null, settings: {} }
    const unspoken = makeForm(data, { ...form, webhooks: [of('http://[::]/'), of('http://_/')] })
    expect(describeForm(data.db, formOf(data, unspoken)).match(/^\[.*webhooks.*/gm)).toEqual([
      '[forms.form.webhooks.webhook]',
      '[forms.form.webhooks.webhook-2]',
    ])
  })

  test('has its page', () => {
    const data = openData()
    const page = { title: null, text: 'Come!\n\nhttps://example.com', button: 'Join', frame: true }
    const settings = { fields: [{ name: 'a', type: 'text' as const }], allowedOrigins: ['https://example.com'], page }
    const id = makeForm(data, { title: 'Party', description: null, returnUrl: null, settings, webhooks: [] })
    const text = describeForm(data.db, formOf(data, id))
    expect(text).toMatch(/^\[forms\.party\.page\]$/m)
    expect(text).toMatch(/^button = "Join"$/m)
    const there = openData()
    const [step] = open(there).apply(text)
    expect(parseSettings(formOf(there, step?.id as string).settings).page).toEqual(page)
    expect(open(there).kinds(text)).toEqual(['same'])
    expect(open(there).kinds(text.replace('"Join"', '"Come"'))).toEqual(['changed'])
  })

  test('gets a name that no other form of its owner has', () => {
    const data = openData()
    const { apply, kinds } = open(data)
    const [first] = apply(contact)
    const copyId = newId(Date.now())
    const copy = { userId: data.userId, id: first?.id, copyId, seed: 'x', now: Date.now() }
    data.run('duplicateForm', copy)
    const text = describeForm(data.db, formOf(data, copyId))
    expect(text).toContain('[forms.contact-2]')
    expect(kinds(text)).toEqual(['changed'])
    apply(text)
    expect(kinds(text)).toEqual(['same'])
    expect(kinds(contact)).toEqual(['same'])
  })
})

/** For tests that write nothing. */
let shared: Promise<Data> | undefined
const emptyData = () => (shared ??= forThisFile(async () => openData()))

const contact = '[forms.contact]\ntitle = "Contact"\n'
const crm = '[forms.contact.webhooks.crm]\nurl = "https://hooks.example.com/a"\n'
const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`

describe('a file', () => {
  test.each<[string, string, string]>([
    ['an unknown name', `${contact}titel = "x"`, 'forms.contact.titel: unknown; did you mean title?'],
    ['another spelling', `${contact}return_url = "x"`, 'forms.contact.return_url: unknown; did you mean returnUrl?'],
    ['swapped letters', '[fomrs.contact]\ntitle = "x"', 'fomrs: unknown; did you mean forms?'],
    ['a name like no other', `${contact}zzzzzz = 1`, 'forms.contact.zzzzzz: unknown; known are title, description, '],
    ['a name of every object', `${contact}toString = 1`, 'forms.contact.toString: unknown; '],
    ['an unknown name with quotes', `${contact}"a.\\"b" = 1`, 'forms.contact."a.\\"b": unknown; '],
    [
      'an unknown name in a list',
      `${contact}notify = ["a@b.example", { addres = "a@b.example" }]`,
      'forms.contact.notify.1.addres: unknown; did you mean address?',
    ],
    [
      'an unknown name in a condition',
      `${contact}notify = [{ address = "a@b.example", only = { feild = "a", equals = "b" } }]`,
      'forms.contact.notify.0.only.feild: unknown; did you mean field?',
    ],
    [
      'an unknown name in a reply',
      `${contact}reply = { field = "a", subject = "b", txt = "c" }`,
      'forms.contact.reply.txt: unknown; did you mean text?',
    ],
    [
      'an unknown name of a webhook',
      `${contact}${crm}heders = {}`,
      'forms.contact.webhooks.crm.heders: unknown; did you mean headers?',
    ],
    [
      'an unknown name in the condition of a webhook',
      `${contact}${crm}only = { field = "a", equal = "b" }`,
      'forms.contact.webhooks.crm.only.equal: unknown; did you mean equals?',
    ],
    ['no title', '[forms.contact]', 'forms.contact.title: must be 1 to 255 characters, not only white space'],
    [
      'no number',
      `${contact}maxFiles = nan`,
      'forms.contact.maxFiles: must be a whole number from 1 to 20, or be left out',
    ],
    [
      'a day for a time',
      `${contact}opensAt = 2026-12-01`,
      'forms.contact.opensAt: must be a date and time with an offset, such as 2026-12-01T08:00:00Z, or be left out',
    ],
    [
      'a time without an offset',
      `${contact}closesAt = 2026-12-01T08:00:00`,
      'forms.contact.closesAt: must be a date and time with an offset',
    ],
    ['a date for a text', '[forms.contact]\ntitle = 2026-12-01', 'forms.contact.title: must be 1 to 255 characters'],
    ['a form that is no table', 'forms.contact = "x"', 'forms.contact: must be a table: [forms.contact]'],
    ['forms that are no table', 'forms = 1', 'forms: must be a table'],
    ['a list of forms', '[[forms]]\ntitle = "x"', 'forms: must be a table'],
    [
      'webhooks that are no table',
      `${contact}webhooks = []`,
      'forms.contact.webhooks: must be tables such as [forms.contact.webhooks.crm]',
    ],
    [
      'a webhook without a URL',
      `${contact}[forms.contact.webhooks.crm]`,
      'forms.contact.webhooks.crm.url: must be an absolute http or https URL',
    ],
    [
      'a webhook on this machine',
      `${contact}[forms.contact.webhooks.crm]\nurl = "http://127.0.0.1/"`,
      'forms.contact.webhooks.crm.url: must be at a public address, or at one that FORMBOX_WEBHOOK_ALLOW names; 127.0.0.1 is neither',
    ],
    [
      'a format that a service does not take',
      `${contact}[forms.contact.webhooks.crm]\nformat = "standard"\nurl = "https://api.telegram.org/botx/sendMessage?chat_id=1"`,
      'forms.contact.webhooks.crm.format: must be telegram to be taken by Telegram',
    ],
    [
      'a header of Formbox',
      `${contact}${crm}headers = { Host = "x" }`,
      'forms.contact.webhooks.crm.headers: must not have Host, which is set by Formbox or on the way',
    ],
    [
      'a secret in the file',
      `${contact}${crm}secret = "${secret}"`,
      'forms.contact.webhooks.crm.secret: must be env: and the name of an environment variable, because a file is no place for it',
    ],
    [
      'a secret that is not set',
      `${contact}${crm}secret = "env:NONE"`,
      'forms.contact.webhooks.crm.secret: needs the environment variable NONE, which is not set',
    ],
    [
      'a secret that is empty',
      `${contact}${crm}secret = "env:EMPTY"`,
      'forms.contact.webhooks.crm.secret: needs the environment variable EMPTY, which is not set',
    ],
    [
      'a header that is not set',
      `${contact}${crm}headers = { "X.Y" = "env:NONE" }`,
      'forms.contact.webhooks.crm.headers."X.Y": needs the environment variable NONE, which is not set',
    ],
    [
      'a variable that every object has',
      `${contact}${crm}secret = "env:constructor"`,
      'needs the environment variable constructor, which is not set',
    ],
    [
      'a setting of the server',
      `${contact}${crm}headers = { X = "env:FORMBOX_MAIL_URL" }`,
      'headers.X: must be env: and the name of an environment variable that is no setting of Formbox',
    ],
    [
      'a setting as Windows finds it, too',
      `${contact}${crm}headers = { X = "env:formbox_smtp_url" }`,
      'headers.X: must be env: and the name of an environment variable that is no setting of Formbox',
    ],
    [
      'no name of a variable',
      `${contact}${crm}headers = { X = "env:" }`,
      'headers.X: must be env: and the name of an environment variable',
    ],
    [
      'a secret that is none',
      `${contact}${crm}secret = "env:SHORT"`,
      'forms.contact.webhooks.crm.secret: must stand for whsec_ and the Base64 of 24 to 64 bytes',
    ],
    [
      'a hidden value',
      `${contact}${crm}headers = { X = "•••" }`,
      'headers.X: must be the value itself, or env: and the name of a variable',
    ],
    ['no form', '# nothing\n', 'describes no form; one begins with a line such as [forms.contact]'],
  ])('with %s is refused by its path', async (_, text, message) => {
    const data = await emptyData()
    const environment = { EMPTY: '', SHORT: 'whsec_dG9wc2VjcmV0', FORMBOX_MAIL_URL: 'smtp://topsecret' }
    const refusal = refusalOf(() => open(data).plan(text, environment))
    expect(refusal).toInclude(message)
    // And for nothing else.
    expect(refusal?.split('; ').filter((part) => /^fo\w+\./.test(part)).length ?? 0).toBeLessThan(2)
    expect(refusal).not.toMatch(/topsecret|AQEBAQ/)
  })

  test.each([
    ['a.b', '"a.b"'],
    ['', '""'],
    ['__proto__', '__proto__'],
    ['-x', '-x'],
    ['x'.repeat(65), 'x'.repeat(65)],
    ['a\u001b[31m\u202e', '"a\\u001b[31m�"'],
  ])('does not take %j as a name', (name, shown) => {
    expect(refusalOf(() => read(`[forms.${JSON.stringify(name)}]\ntitle = "x"`))).toBe(
      `forms.${shown}: must have a name of 1 to 64 letters, digits, - and _, beginning with a letter or a digit`,
    )
  })

  test('may name a form constructor', () => {
    const own = openData()
    expect(
      open(own).apply(
        '[forms.constructor]\ntitle = "x"\n[forms.constructor.webhooks.valueOf]\nurl = "https://a.example"',
      ),
    ).toMatchObject([{ kind: 'new' }])
    expect(open(own).kinds('[forms.constructor]\ntitle = "x"')).toEqual(['same'])
  })

  test('says everything that is wrong with it at once', async () => {
    const data = await emptyData()
    const text = `[forms.a]\ntitel = "x"\nspamDays = 0\n[forms.b]\ntitle = "x"\n[forms.b.webhooks.c]\nurl = "env:NONE"\nformat = "fax"`
    expect(refusalOf(() => read(text))?.split('; ')).toEqual([
      'forms.a.titel: unknown',
      'did you mean title?',
      'forms.a.title: must be 1 to 255 characters, not only white space',
      'forms.a.spamDays: must be a whole number from 1 to 365',
      'forms.b.webhooks.c.url: needs the environment variable NONE, which is not set',
      `forms.b.webhooks.c.format: must be one of ${receivers.format.enumValues.join(', ')}`,
    ])
    const beyond =
      '[forms.a]\ntitle = "x"\nsubmitLimit = 61\n[forms.a.webhooks.b]\nurl = "http://127.0.0.1"\n[forms.c]\ntitle = "x"\nmaxFileBytes = 104857600'
    expect(refusalOf(() => open(data).plan(beyond))?.match(/forms\.\S+:/g)).toEqual([
      'forms.a.webhooks.b.url:',
      'forms.a.submitLimit:',
      'forms.c.maxFileBytes:',
    ])
  })

  test.each([
    ['a = 1\nb = \n', 'line 2, column 5: invalid value'],
    ['[forms.a]\ntitle = "x"\ntitle = "y"', 'line 3, column 1: trying to redefine an already defined table or value'],
    ['[forms.a]\n[forms.b]\n[forms.a]', 'line 3, column 2: trying to redefine an already defined table or value'],
    ['[forms.a]\r\ntitle = "a\r\n"', 'line 2, column 11: '],
    ['\ufeff[forms.a\n', 'line 1, column '],
    [`a = ${'['.repeat(500_000)}`, 'line 1, column 37: document contains excessively nested structures'],
    [`a = ${'{a='.repeat(100_000)}`, 'line 1, column '],
    ['spamDays = 9223372036854775807', 'line 1, column 12: integer value cannot be represented losslessly'],
    ['__proto__ = 1\n[__proto__.x]', 'line 2, column 2: '],
  ])('says where it is not TOML: %.20j', (text, message) => {
    expect(refusalOf(() => read(text))).toStartWith(message)
  })

  test.each(['2026-02-30T10:00:00Z', '2026-02-29T00:30:00+01:00', '2026-02-31 10:00:00-05:00', '2026-04-31'])(
    'refuses %s without quotation marks, which is no day of the calendar',
    (moment) => {
      const text = `[forms.a]\ntitle = "A"\nopensAt = ${moment}`
      expect(refusalOf(() => read(text))).toBe('forms.a.opensAt: must be a day of the calendar')
    },
  )

  test.each(['2028-02-29T23:30:00-11:00', '2026-12-31T23:59:59.999+14:00', '2027-01-01 00:00:00z'])(
    'takes %s without quotation marks',
    (moment) => expect(refusalOf(() => read(`[forms.a]\ntitle = "A"\nopensAt = ${moment}`))).toBeUndefined(),
  )

  test('may begin with a byte order mark, and have the line ends of Windows, which change no text', () => {
    const own = openData()
    const text = '[forms.a]\ntitle = "A"\nthankYou = """\nOne\nTwo"""\n'
    open(own).apply(text)
    expect(open(own).kinds(`\ufeff${text.replaceAll('\n', '\r\n')}`)).toEqual(['same'])
    expect(refusalOf(() => readToml(Buffer.from('[forms.a]\ntitle = "\xe4"', 'latin1')))).toBe('must be UTF-8')
    expect(refusalOf(() => readToml(Buffer.from(text, 'utf16le')))).toInclude('line 1')
  })
})

describe('applying', () => {
  test('makes what differs the same, and nothing the second time', () => {
    const data = openData()
    const { apply, kinds } = open(data)
    const environment = { SECRET: secret, TOKEN: 'Bearer topsecret' }
    const full = `${contact}retentionDays = 30\n${crm}secret = "env:SECRET"\nheaders = { A = "env:TOKEN" }`
    const [made] = apply(full, environment)
    expect(made).toMatchObject({
      kind: 'new',
      differences: ['title: "Contact"', 'retentionDays: 30', 'webhooks.crm: new, at https://hooks.example.com/…'],
      remarks: [],
    })
    expect(kinds(full, environment)).toEqual(['same'])
    const other = full.replace('"Contact"', '"Contact us"').replace('/a"', '/b"')
    const others = { ...environment, SECRET: `whsec_${Buffer.alloc(24, 2).toString('base64')}`, TOKEN: 'Bearer other' }
    expect(apply(other, others)).toMatchObject([
      {
        id: made?.id,
        kind: 'changed',
        differences: [
          'title: "Contact" → "Contact us"',
          'webhooks.crm.url: changed, at https://hooks.example.com/…',
          'webhooks.crm.headers: changed',
          'webhooks.crm.secret: changed; the one before signs as well for 24 hours',
        ],
      },
    ])
    expect(kinds(other, others)).toEqual(['same'])
    const [webhook] = receiverReader(data.db)(formOf(data, made?.id ?? '').number)
    expect(webhook).toMatchObject({ target: 'https://hooks.example.com/b', secret: others.SECRET, name: 'crm' })
    expect(webhook?.oldSecrets).toInclude(secret)
    // What a file does not name has its default.
    expect(apply(contact.replace('Contact', 'Contact us'))).toMatchObject([
      {
        differences: ['retentionDays: 30 → none'],
        remarks: ['the webhook crm at https://hooks.example.com/… is not in the file, and stays'],
      },
    ])
    expect(contentsOf(data, made?.id ?? '').webhooks).toHaveLength(1)
  })

  test('compares values as they are stored, however a file writes them', () => {
    const data = openData()
    const { apply, kinds } = open(data)
    const text = `${contact}opensAt = 2026-12-01T09:00:00.5+01:00
closesAt = "2030-01-01T00:00:00Z"
allowedOrigins = ["HTTPS://Exämple.com:443/", "https://xn--exmple-cua.com"]
fileTypes = [".PDF", "Image/*"]
timeZone = "europe/berlin"
notify = ["Ada@Exämple.de", { address = "bob@example.com" }]
reply = { field = "email", subject = "S", text = "T" }
${crm.replace('https://hooks', 'HTTPS://Hooks')}headers = { B = "1", A = "2" }
only = { equals = "x", field = "y" }`
    const [made] = apply(text)
    const { settings } = contentsOf(data, made?.id ?? '')
    expect(settings).toMatchObject({
      opensAt: '2026-12-01T08:00:00.000Z',
      allowedOrigins: ['https://xn--exmple-cua.com'],
    })
    expect(settings).toMatchObject({ timeZone: 'Europe/Berlin', fileTypes: ['.pdf', 'image/*'] })
    expect(kinds(text)).toEqual(['same'])
    expect(kinds(text.replace('{ B = "1", A = "2" }', '{ A = "2", B = "1" }'))).toEqual(['same'])
  })

  test('keeps the secret of a webhook that names none, and says that no one knows that of a new one', () => {
    const data = openData()
    const { apply, kinds } = open(data)
    const [made] = apply(contact + crm)
    expect(made?.remarks).toEqual([
      'webhooks.crm gets a secret that is never shown; with secret = "env:NAME", it is one that you have made',
    ])
    const secretNow = () => receiverReader(data.db)(formOf(data, made?.id ?? '').number)[0]?.secret
    const before = secretNow()
    expect(before).toMatch(/^whsec_/)
    apply(`${contact}${crm}description = "CRM"`)
    expect(secretNow()).toBe(before as string)
    expect(kinds(`${contact}${crm}description = "CRM"`)).toEqual(['same'])
  })

  test('does not write again to someone who has stopped the mails, until they are added by hand', () => {
    const data = openData()
    const { apply, plan, kinds } = open(data)
    const text = `${contact}notify = ["Grace@example.com", "bob@example.com", { address = "eve@example.com", digest = "day" }]`
    const id = apply(text)[0]?.id ?? ''
    const notified = () => parseSettings(formOf(data, id).settings).notify
    const receiver = receiverReader(data.db)(formOf(data, id).number)[0]?.id
    data.run('removeAddress', { receiver, now: 1 })
    data.run('stopAddress', { address: 'eve@example.com', now: 1, after: 0, maxForms: 9 })
    const hasLeft =
      'notify: Grace@example.com has stopped the emails of this form, and is left out; its page can add it again'
    const hasStopped = 'notify: eve@example.com has stopped all emails of this server, and is left out'
    expect(plan(text)).toMatchObject([{ kind: 'same', remarks: [hasLeft, hasStopped] }])
    apply(text.replace('bob@', 'carl@'))
    expect(notified()).toEqual(['carl@example.com'])
    // A form that is made anew, and other forms, are other mails.
    expect(plan(text.replace('.contact]', '.other]'))[0]?.remarks).toEqual([hasStopped])
    const notify = ['grace@example.com', 'bob@example.com']
    data.run('updateFormSettings', { userId: data.userId, id, now: 2, changes: { notify } })
    expect(plan(text)[0]?.remarks).toEqual([hasStopped])
    data.run('updateFormSettings', { userId: data.userId, id, now: 2, changes: { notify: [] } })
    data.run('allowAddress', { address: 'eve@example.com' })
    expect(apply(text)[0]?.remarks).toEqual([])
    expect(notified()).toHaveLength(3)
    expect(kinds(text)).toEqual(['same'])
  })

  test('switches a webhook only if the file says so', () => {
    const data = openData()
    const { apply, kinds } = open(data)
    const off = `${contact}${crm}enabled = false`
    const [made] = apply(off)
    expect(contentsOf(data, made?.id ?? '').webhooks).toMatchObject([{ isEnabled: false }])
    expect(formOf(data, made?.id ?? '').receiverCount).toBe(0)
    expect([...kinds(off), ...kinds(contact + crm)]).toEqual(['same', 'same'])
    const some = `${off}\nonly = { field = "a", equals = "b" }\nformat = "slack"`
    expect(apply(some)).toMatchObject([
      {
        differences: [
          'webhooks.crm.format: "standard" → "slack"',
          'webhooks.crm.only: none → {"field":"a","equals":"b"}',
        ],
      },
    ])
    expect(apply(some.replace('"b"', '"c"'))).toMatchObject([
      { differences: ['webhooks.crm.only: {"field":"a","equals":"b"} → {"field":"a","equals":"c"}'] },
    ])
    apply(off)
    expect(apply(off.replace('false', 'true'))).toMatchObject([{ differences: ['webhooks.crm.enabled: false → true'] }])
    expect(formOf(data, made?.id ?? '').receiverCount).toBe(1)
  })

  test('does not take back in silence what someone has changed since', () => {
    const data = openData()
    const { plan, carryOut, apply } = open(data)
    const [made] = apply(contact + crm)
    const id = made?.id ?? ''
    const [webhook] = receiverReader(data.db)(formOf(data, id).number)
    const { userId } = data
    const text = contact.replace('"Contact"', '"Other"')
    const changes: [string, unknown][] = [
      ['updateForms', { userId, now: Date.now(), forms: [{ id, description: 'From a page' }] }],
      ['updateFormSettings', { userId, id, now: Date.now(), changes: { notify: ['eve@example.com'] } }],
      ['updateWebhook', { userId, formId: id, id: webhook?.id, now: Date.now(), enabled: false }],
      [
        'rotateWebhook',
        { userId, formId: id, id: webhook?.id, secret: newSecret(), now: Date.now(), oldSecretUntil: 0 },
      ],
      ['deleteWebhook', { userId, formId: id, id: webhook?.id, now: Date.now() }],
    ]
    for (const [name, input] of changes) {
      const steps = plan(text)
      data.run(name, input)
      expect(
        refusalOf(() => carryOut(steps)),
        name,
      ).toBe('forms.contact: was changed by someone else at the same time; run this again to see what differs now')
    }
    expect(contentsOf(data, id)).toMatchObject({ title: 'Contact', description: 'From a page' })
    // Two that run at the same time make one form.
    const [first, second] = [plan('[forms.new]\ntitle = "New"'), plan('[forms.new]\ntitle = "New"')]
    carryOut(first)
    expect(refusalOf(() => carryOut(second))).toStartWith('forms.new: was changed by someone else')
    // What was sent meanwhile is no change.
    const steps = plan(text)
    data.submit(id, [Date.now()])
    carryOut(steps)
    expect(contentsOf(data, id)).toMatchObject({ title: 'Other', description: null, settings: { notify: [] } })
  })

  test('says which form was deleted, or is no longer shared, at the same moment', () => {
    const data = openData()
    const { userId } = data
    const { apply, plan, carryOut } = open(data)
    const id = apply(contact)[0]?.id
    const late = plan(`${contact}spamDays = 9`)
    data.run('deleteForms', { userId, now: 1, ids: [id] })
    const changed =
      'forms.contact: was changed by someone else at the same time; run this again to see what differs now'
    expect(refusalOf(() => carryOut(late))).toBe(changed)
    const bob = data.createUser()
    const asBob = open(data, bob)
    const lateNew = asBob.plan(contact)
    data.run('deleteUser', { userId: bob, now: 1 })
    expect(refusalOf(() => asBob.carryOut(lateNew))).toBe(changed)
  })

  test('changes all forms or none', () => {
    const data = openData()
    const { apply } = open(data)
    const many = Array.from({ length: 51 }, (_, n) => `"a${n}@example.com"`)
    const parts = [0, 10, 20, 30, 40, 50].map(
      (from) => `[forms.f${from}]\ntitle = "F"\nnotify = [${many.slice(from, from + 10)}]`,
    )
    expect(refusalOf(() => apply(parts.join('\n')))).toMatch(
      /^forms\.f50\.notify: must not have new addresses before .* UTC: a user can add 50 within 24 hours/,
    )
    const eleven = Array.from({ length: 11 }, (_, n) => crm.replace('.crm]', `.c${n}]`)).join('')
    expect(refusalOf(() => apply(`[forms.a]\ntitle = "A"\n${contact}${eleven}`))).toBe(
      'forms.contact.webhooks.c10: must be a form with fewer than 10 webhooks',
    )
    const never = 'opensAt = 2030-01-01T00:00:00Z\nclosesAt = 2029-01-01T00:00:00Z'
    expect(refusalOf(() => apply(`[forms.a]\ntitle = "A"\n${contact}${never}`))).toStartWith(
      'forms.contact.closesAt: must be later than when the form opens (opensAt), 2030-01-01T00:00:00.000Z',
    )
    expect(data.db.$client.query('SELECT count(*) AS count FROM forms').get()).toEqual({ count: 1 })
  })

  test('finds a form by its id or its name, and never mistakes one for another', () => {
    const data = openData()
    const { plan, apply } = open(data)
    const named = `${contact}id = "${data.formId}"`
    expect(apply(named)).toMatchObject([{ id: data.formId, kind: 'changed', differences: ['name: none → "contact"'] }])
    expect(plan(contact)).toMatchObject([{ id: data.formId, kind: 'same' }])
    expect(refusalOf(() => plan(named.replace('.contact]', '.other]')))).toBe(
      'forms.other.id: names the form that files call contact; without an id, a new form is made',
    )
    const [other] = apply('[forms.other]\ntitle = "Other"')
    expect(refusalOf(() => plan(`${contact}id = "${other?.id}"`))).toBe(
      `forms.contact.id: names another form than ${data.formId}, which has this name`,
    )
    const third = data.createForm(data.userId)
    expect(
      refusalOf(() => plan(`[forms.x]\ntitle = "X"\nid = "${third}"\n[forms.y]\ntitle = "X"\nid = "${third}"`)),
    ).toBe('forms.y.id: names the same form as forms.x')
    expect(plan('[forms.far]\ntitle = "Far"\nid = "01kahp5x2r00v7m3k9qd4tznwe8c"')).toMatchObject([
      { kind: 'new', remarks: ['its id names no form of this server'] },
    ])
    // A deleted form is gone: its name makes a new one.
    data.run('deleteForms', { userId: data.userId, now: Date.now(), ids: [data.formId] })
    expect(apply(contact)).toMatchObject([{ kind: 'new' }])
  })

  test('finds a webhook in the same way', () => {
    const data = openData()
    const { plan, apply } = open(data)
    const [made] = apply(contact + crm + crm.replace('.crm]', '.erp]'))
    const { number } = formOf(data, made?.id ?? '')
    const [first, second] = receiverReader(data.db)(number)
    const swapped = `${contact}${crm}id = "${second?.id}"`
    expect(refusalOf(() => plan(swapped))).toBe(
      `forms.contact.webhooks.crm.id: names another webhook than ${first?.id}, which has this name`,
    )
    expect(refusalOf(() => plan(swapped.replace('.crm]', '.new]')))).toBe(
      'forms.contact.webhooks.new.id: names the webhook that files call erp',
    )
    // By its identifier and by its name.
    const twice = `${contact}${crm}${crm.replace('.crm]', '.new]')}id = "${first?.id}"`
    data.db.$client.run('UPDATE receivers SET name = NULL WHERE id = ?', [first?.id ?? ''])
    const both = `${contact}${crm}id = "${first?.id}"\n${crm.replace('.crm]', '.new]')}id = "${first?.id}"`
    expect(refusalOf(() => plan(both))).toBe('forms.contact.webhooks.new.id: names the same webhook as another one')
    data.db.$client.run("UPDATE receivers SET name = 'crm' WHERE id = ?", [first?.id ?? ''])
    expect(refusalOf(() => plan(twice))).toBe('forms.contact.webhooks.new.id: names the webhook that files call crm')
    const copyId = newId(Date.now())
    data.run('duplicateForm', { userId: data.userId, id: made?.id, copyId, seed: 'x', now: Date.now() })
    // A copy is in no file, nor are its webhooks.
    expect(
      [formOf(data, copyId), ...receiverReader(data.db)(formOf(data, copyId).number)].map(({ name }) => name),
    ).toEqual([null, null, null])
  })

  test('is for the owner and managers of a form', () => {
    const data = openData()
    const { userId, formId } = data
    const bob = data.createUser()
    const asBob = open(data, bob)
    const text = `${contact}id = "${formId}"\nspamDays = 9`
    const email = `${bob}@example.com`
    const invite = { inviteHash: null, inviteEndsAt: null, mailTo: null }
    const shareAs = (role: string) =>
      data.run('addMember', { userId, formId, now: Date.now(), id: newId(Date.now()), email, role, ...invite })
    const refused = 'forms.contact.id: names a form that ada@example.com may not change'
    expect(refusalOf(() => asBob.plan(text))).toBe(refused)
    shareAs('editor')
    expect(refusalOf(() => asBob.plan(text))).toBe(refused)
    const member = data.db.$client.query<{ id: string }, []>('SELECT id FROM members').get()?.id
    data.run('updateMember', { userId, formId, now: Date.now(), id: member, role: 'manager' })
    const steps = asBob.plan(text)
    // The operator offers a sender to owners.
    expect(asBob.plan(`${text}\nsender = "owners"`)).toMatchObject([{ id: formId, kind: 'changed' }])
    expect(refusalOf(() => asBob.plan(`${contact}sender = "owners"`))).toContain('offers to the owner of the form')
    data.run('updateMember', { userId, formId, now: Date.now(), id: member, role: 'reader' })
    expect(refusalOf(() => asBob.carryOut(steps))).toStartWith('forms.contact: was changed by someone else')
    data.run('updateMember', { userId, formId, now: Date.now(), id: member, role: 'manager' })
    asBob.carryOut(steps)
    expect(parseSettings(formOf(data, formId).settings).spamDays).toBe(9)
    data.db.$client.run('UPDATE forms SET name = NULL WHERE id = ?', [formId])
    const asTaken = text.replace('.contact]', '.taken]')
    const late = asBob.plan(asTaken)
    const [taken] = open(data).apply('[forms.taken]\ntitle = "Taken"')
    expect(refusalOf(() => asBob.carryOut(late))).toBe('forms.taken: is what files call another form of the same owner')
    expect(refusalOf(() => asBob.plan(asTaken))).toBe(
      `forms.taken.id: names another form than ${taken?.id}, which has this name`,
    )
    asBob.apply(text)
    // The name is one of the owner's. Without an id, it is none of his.
    expect(open(data).plan(contact)).toMatchObject([{ id: formId }])
    expect(asBob.plan(contact)).toMatchObject([{ kind: 'new' }])
    expect(refusalOf(() => asBob.plan(contact, {}, false))).toBe(
      'forms.contact: ada@example.com may own no forms; formbox user allow ada@example.com changes that',
    )
    // Nor does a form of his own keep him from naming that one by its id.
    asBob.apply(contact)
    expect(asBob.plan(text)).toMatchObject([{ id: formId, kind: 'same' }])
    data.db.$client.run('UPDATE users SET may_own_forms = 0 WHERE id = ?', [bob])
    expect(refusalOf(() => asBob.apply(contact.replace('.contact]', '.second]')))).toStartWith(
      'forms.second: was changed',
    )
  })

  test('a form that is handed over keeps its name, unless the new owner uses it', () => {
    for (const [isUsed, isDeleted] of [
      [false, false],
      [false, true],
      [true, false],
      [true, true],
    ]) {
      const data = openData()
      const { userId } = data
      const bob = data.createUser()
      const [made] = open(data).apply(contact)
      if (isUsed) open(data, bob).apply(contact)
      const formId = made?.id
      const email = `${bob}@example.com`
      const invite = { inviteHash: null, inviteEndsAt: null, mailTo: null }
      data.run('addMember', { userId, formId, now: 1, id: newId(Date.now()), email, role: 'reader', ...invite })
      if (isDeleted) data.run('deleteUser', { userId, now: 1, sharedTo: bob })
      else data.run('handOver', { userId, formId, now: 1, id: newId(Date.now()), email })
      expect(formOf(data, formId ?? '')).toMatchObject({ userId: bob, name: isUsed ? null : 'contact' })
    }
  })
})
