import { describe, expect, test } from 'bun:test'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { OperatorError } from '../../../../src/base/operator-errors.ts'
import { parseConfig } from '../../../../src/config/config.ts'
import { readVariables } from '../../../../src/config/read-variables.ts'
import { variables } from '../../../../src/config/variables.ts'
import { prepareDataFolder } from '../../../../src/storage/data-folder.ts'
import { filesIn, formbox, serve } from '../../../commands/formbox.ts'
import { temporaryFolder } from '../../../harness.ts'
import { isCompiled } from '../../../program.ts'
import { refusalOf } from '../../../refusal.ts'

const read = (environment: Record<string, string>) => {
  const { trustedProxies, ...rest } = parseConfig(environment)
  return { ...rest, trusts: (address: string) => trustedProxies.contains(address, 0) }
}

describe('the environment variables', () => {
  test('have their defaults where they are not set, or set to nothing', () => {
    const defaults = {
      host: '127.0.0.1',
      port: 8080,
      dataFolder: './formbox-data',
      publicUrl: null,
      rateLimit: 100,
      submitLimit: 60,
      fileLimitBytes: 10 * 1024 * 1024,
      uploadLimitBytes: 25 * 1024 * 1024,
      minFreeBytes: 1024 * 1024 * 1024,
    }
    const names = ['HOST', 'PORT', 'DATA', 'URL', 'RATE_LIMIT', 'SUBMIT_LIMIT', 'TRUST_PROXY']
    names.push('FILE_LIMIT', 'UPLOAD_LIMIT', 'MIN_FREE')
    expect(read({ PATH: '/bin', FORMBOX: 'x' })).toMatchObject(defaults)
    expect(read(Object.fromEntries(names.map((name) => [`FORMBOX_${name}`, ''])))).toMatchObject(defaults)
    expect(read({}).trusts('127.0.0.1')).toBe(false)
    expect(Object.isFrozen(parseConfig({}))).toBe(true)
  })

  test('allow no file that is larger than a submission', () => {
    expect(refusalOf(() => parseConfig({ FORMBOX_FILE_LIMIT: '26MiB' }))).toBe(
      'FORMBOX_FILE_LIMIT: must be at most FORMBOX_UPLOAD_LIMIT, which is 25MiB',
    )
    const sizes = { fileLimitBytes: 26 * 1024 ** 2, uploadLimitBytes: 26 * 1024 ** 2 }
    expect(read({ FORMBOX_FILE_LIMIT: '26MiB', FORMBOX_UPLOAD_LIMIT: '26MiB' })).toMatchObject(sizes)
    expect(read({ FORMBOX_UPLOAD_LIMIT: '5MiB' }).fileLimitBytes).toBe(5 * 1024 ** 2)
  })

  test.each([
    ['FORMBOX_URL', 'https://me:secret@forms.example.com'],
    ['FORMBOX_URL', 'https://me:sec/ret@forms.example.com'],
    ['FORMBOX_ABUSE_CONTACT', 'https://me:secret@forms.example.com'],
    ['FORMBOX_OIDC_ISSUER', 'https://me:secret@id.example.com'],
    ['FORMBOX_BACKUP_S3', 's3://me:secret@backups'],
    ['FORMBOX_BACKUP_S3', 's3://me:sec/ret@backups'],
    ['FORMBOX_BACKUP_S3_ENDPOINT', 'https://me:secret@s3.example.com'],
  ])('are refused without repeating a password: %s=%s', (name, value) => {
    const refusal = refusalOf(() => parseConfig({ [name]: value }))
    expect(refusal).toStartWith(`${name}: must be `)
    expect(refusal).toEndWith(`; got ${JSON.stringify(value.replace(/me.*@/, '***@'))}`)
  })

  test.each<[string, string, string, unknown]>([
    ['FORMBOX_HOST', '::1', 'host', '::1'],
    ['FORMBOX_HOST', '0.0.0.0', 'host', '0.0.0.0'],
    ['FORMBOX_HOST', 'localhost', 'host', 'localhost'],
    ['FORMBOX_PORT', '0', 'port', 0],
    ['FORMBOX_PORT', '65535', 'port', 65_535],
    ['FORMBOX_DATA', '/srv/form box', 'dataFolder', '/srv/form box'],
    ['FORMBOX_URL', 'https://forms.example.com', 'publicUrl', 'https://forms.example.com'],
    ['FORMBOX_URL', 'https://forms.example.com/', 'publicUrl', 'https://forms.example.com'],
    ['FORMBOX_URL', 'HTTP://Forms.Example.com:80', 'publicUrl', 'http://forms.example.com'],
    ['FORMBOX_URL', 'http://[::1]:8080', 'publicUrl', 'http://[::1]:8080'],
    ['FORMBOX_URL', 'https://example.com/formbox', 'publicUrl', 'https://example.com'],
    ['FORMBOX_URL', 'https://example.com/formbox', 'basePath', '/formbox'],
    ['FORMBOX_URL', 'https://example.com/~ada/my-forms_2.0/', 'basePath', '/~ada/my-forms_2.0'],
    ['FORMBOX_URL', 'https://example.com/', 'basePath', ''],
    ['FORMBOX_RATE_LIMIT', '0', 'rateLimit', 0],
    ['FORMBOX_RATE_LIMIT', '1000', 'rateLimit', 1000],
    ['FORMBOX_SUBMIT_LIMIT', '1', 'submitLimit', 1],
    ['FORMBOX_STOP_DELAY', '300', 'stopDelaySeconds', 300],
    ['FORMBOX_FILE_LIMIT', '512KiB', 'fileLimitBytes', 524_288],
    ['FORMBOX_UPLOAD_LIMIT', '100MiB', 'uploadLimitBytes', 104_857_600],
    ['FORMBOX_MIN_FREE', '0', 'minFreeBytes', 0],
    ['FORMBOX_FORM_PAGES', 'false', 'formPages', false],
    ['FORMBOX_ABUSE_CONTACT', 'abuse+forms@example.com', 'abuseContact', 'mailto:abuse%2Bforms@example.com'],
    ['FORMBOX_ABUSE_CONTACT', 'https://example.com/report', 'abuseContact', 'https://example.com/report'],
    ['FORMBOX_MIN_FREE', '20GiB', 'minFreeBytes', 21_474_836_480],
  ])('%s=%s is taken', (name, value, field, expected) => {
    expect(read({ [name]: value })).toMatchObject({ [field]: expected })
  })

  test('FORMBOX_TRUST_PROXY takes addresses and ranges of both kinds, with commas or spaces between them', () => {
    const { trusts } = read({ FORMBOX_TRUST_PROXY: '10.0.0.0/8, 192.0.2.7\t2001:db8::/32,::1' })
    for (const address of ['10.255.0.1', '192.0.2.7', '2001:db8:ffff::1', '::1'])
      expect([address, trusts(address)]).toEqual([address, true])
    for (const address of ['11.0.0.1', '192.0.2.8', '2001:db9::1', '::2', '', 'nonsense'])
      expect([address, trusts(address)]).toEqual([address, false])
  })

  test.each([
    ['FORMBOX_HOST', 'http://127.0.0.1'],
    ['FORMBOX_HOST', '127.0.0.1:8080'],
    ['FORMBOX_HOST', '-'],
    ['FORMBOX_HOST', 'a b'],
    ['FORMBOX_FORM_PAGES', 'yes'],
    ['FORMBOX_ABUSE_CONTACT', 'http://example.com'],
    ['FORMBOX_ABUSE_CONTACT', 'javascript:alert(1)'],
    ['FORMBOX_ABUSE_CONTACT', 'https://user:pass@example.com'],
    ['FORMBOX_ABUSE_CONTACT', 'abuse'],
    ['FORMBOX_PORT', '65536'],
    ['FORMBOX_PORT', '-1'],
    ['FORMBOX_PORT', '1e3'],
    ['FORMBOX_PORT', '0x50'],
    ['FORMBOX_PORT', ' 80'],
    ['FORMBOX_PORT', '٨٠'],
    ['FORMBOX_URL', 'forms.example.com'],
    ['FORMBOX_URL', 'ftp://forms.example.com'],
    ['FORMBOX_URL', 'https://example.com/a//b'],
    ['FORMBOX_URL', 'https://example.com/a b'],
    ['FORMBOX_URL', 'https://example.com/%66ormbox'],
    ['FORMBOX_URL', 'https://example.com/füße'],
    ['FORMBOX_URL', `https://example.com/${'x'.repeat(101)}`],
    ['FORMBOX_URL', 'https://example.com/a/b/c/d/e/f'],
    ['FORMBOX_NODE_URL', 'http://10.0.0.1:8080/sub'],
    ['FORMBOX_URL', 'https://forms.example.com/?a'],
    ['FORMBOX_URL', 'https://forms.example.com/#a'],
    ['FORMBOX_URL', 'https://user:secret@forms.example.com'],
    ['FORMBOX_URL', 'javascript:alert(1)'],
    ['FORMBOX_RATE_LIMIT', '-1'],
    ['FORMBOX_RATE_LIMIT', '9999999999'],
    ['FORMBOX_RATE_LIMIT', 'none'],
    ['FORMBOX_SUBMIT_LIMIT', '60.5'],
    ['FORMBOX_SUBMIT_LIMIT', 'Infinity'],
    ['FORMBOX_TRUST_PROXY', 'localhost'],
    ['FORMBOX_TRUST_PROXY', '10.0.0.0/33'],
    ['FORMBOX_TRUST_PROXY', '10.0.0.0/8/8'],
    ['FORMBOX_TRUST_PROXY', '10.0.0.0/'],
    ['FORMBOX_TRUST_PROXY', '::1/129'],
    ['FORMBOX_TRUST_PROXY', '10.0.0.1,nonsense'],
    ['FORMBOX_TRUST_PROXY', '*'],
    ['FORMBOX_TRUST_PROXY', '0'],
    ['FORMBOX_TRUST_PROXY', '11'],
    ['FORMBOX_TRUST_PROXY', '1,10.0.0.1'],
    ['FORMBOX_TRUST_PROXY', '-1'],
    ['FORMBOX_METRICS_ALLOW', 'everybody'],
    ['FORMBOX_WEBHOOK_ALLOW', 'n8n.lan:5678'],
    ['FORMBOX_OIDC_ISSUER', 'http://id.example.com'],
    ['FORMBOX_OIDC_ISSUER', 'https://id.example.com/?a'],
    ['FORMBOX_OIDC_ISSUER', 'https://user:secret@id.example.com'],
    ['FORMBOX_OIDC_ISSUER', 'id.example.com'],
    ['FORMBOX_OIDC_ISSUER', 'http://127.0.0.1.example.com'],
    ['FORMBOX_OIDC_NAME', 'x'.repeat(51)],
    ['FORMBOX_OIDC_USERS', 'everybody'],
    ['FORMBOX_OIDC_USERS', 'domain:'],
    ['FORMBOX_OIDC_USERS', 'domain:a@b.example'],
    ['FORMBOX_OIDC_ONLY', 'yes'],
    ['FORMBOX_STOP_DELAY', '301'],
    ['FORMBOX_STOP_DELAY', '10s'],
    ['FORMBOX_FILE_LIMIT', '10485760'],
    ['FORMBOX_FILE_LIMIT', '10MB'],
    ['FORMBOX_FILE_LIMIT', '10mib'],
    ['FORMBOX_FILE_LIMIT', '0'],
    ['FORMBOX_FILE_LIMIT', '0MiB'],
    ['FORMBOX_FILE_LIMIT', '1.5MiB'],
    ['FORMBOX_FILE_LIMIT', '101MiB'],
    ['FORMBOX_UPLOAD_LIMIT', '1GiB'],
    ['FORMBOX_UPLOAD_LIMIT', '-1MiB'],
    ['FORMBOX_MIN_FREE', '00'],
    ['FORMBOX_MIN_FREE', '10000GiB'],
  ])('%s=%s is refused with a line that names it', (name, value) => {
    expect(refusalOf(() => parseConfig({ [name]: value }))).toContain(name)
  })

  test.each(['forms', 's', 'f/x', 'api', 'docs', 'assets', 'healthz', 'a/../settings'])(
    'FORMBOX_URL has no path that begins as a page of Formbox does: /%s',
    (path) => {
      const first = path.split('/').at(path.startsWith('a/') ? -1 : 0)
      expect(refusalOf(() => parseConfig({ FORMBOX_URL: `https://example.com/${path}` }))).toBe(
        `FORMBOX_URL: must not have a path that begins with /${first}, as pages of Formbox do; take another, such as /formbox`,
      )
    },
  )

  test('of single sign-on are taken together, or not at all', () => {
    const all = {
      FORMBOX_URL: 'https://forms.example.com',
      FORMBOX_OIDC_ISSUER: 'https://id.example.com/application/o/formbox/',
      FORMBOX_OIDC_CLIENT_ID: 'formbox',
      FORMBOX_OIDC_CLIENT_SECRET: 'hunter2hunter2',
    }
    const only = { ...all, FORMBOX_OIDC_USERS: 'domain:Example.com', FORMBOX_OIDC_ONLY: 'true' }
    const { oidc, onlyProvider } = parseConfig(only)
    expect({ ...oidc, issuer: oidc?.issuer.href }).toEqual({
      issuer: 'https://id.example.com/application/o/formbox/',
      clientId: 'formbox',
      clientSecret: 'hunter2hunter2',
      name: 'single sign-on',
      users: { domain: 'example.com' },
      redirectUri: 'https://forms.example.com/sign-in/oidc',
    })
    expect(onlyProvider).toBe('single sign-on')
    expect(parseConfig(all)).toMatchObject({ oidc: { users: 'invited' }, onlyProvider: null })
    expect(parseConfig({ ...all, FORMBOX_OIDC_ISSUER: 'http://[::1]:9091' }).oidc).not.toBeNull()
    expect(parseConfig({}).oidc).toBeNull()
    for (const name of Object.keys(all)) {
      const refusal = refusalOf(() => parseConfig({ ...all, [name]: '' }))
      expect(refusal).toStartWith(`${name}: must be set, because `)
      expect(refusal).not.toContain('hunter2')
    }
    expect(refusalOf(() => parseConfig({ FORMBOX_OIDC_ONLY: 'true' }))).toStartWith('FORMBOX_OIDC_ISSUER: must be set')
  })

  test.each(['hunter2hunter2', 'hunter2 hunter2 hunter2', 'hunter2-hünter2-hunter2', 'hunter2'.repeat(29)])(
    'FORMBOX_METRICS_TOKEN=%s is refused with a line that does not show it',
    (token) => {
      const refusal = 'FORMBOX_METRICS_TOKEN: must be 16 to 200 visible ASCII characters without spaces'
      expect(refusalOf(() => parseConfig({ FORMBOX_METRICS_TOKEN: token }))).toBe(refusal)
    },
  )

  test.each([
    ['FORMBOX_NONSENSE', '1'],
    ['FORMBOX_', ''],
    ['FORMBOX_PORTS', '8080'],
    ['FORMBOX_port', '8080'],
    ['FORMBOX_PORT', 'http'],
    ['FORMBOX_TRUST_PROXY', 'any'],
    ['FORMBOX_URL', 'nonsense'],
  ])('%s=%s in the environment stops every command with one line and 2', async (name, value) => {
    const folder = temporaryFolder()
    for (const words of [[], ['user', 'list']]) {
      const { exitCode, stdout, stderr } = await formbox(words, { folder, environment: { [name]: value } })
      expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
      expect(stderr).toMatch(/^formbox: [^\n]+\n$/)
      expect(stderr).toContain(`${name}:`)
    }
    expect(filesIn(folder)).toEqual([])
  })

  // What kubelet sets in each container for the Services "formbox" (ports http and 9000/udp) and "formbox-db".
  const serviceLinks = {
    FORMBOX_SERVICE_HOST: '10.96.7.1',
    FORMBOX_SERVICE_PORT: '8080',
    FORMBOX_SERVICE_PORT_HTTP: '8080',
    FORMBOX_PORT_8080_TCP: 'tcp://10.96.7.1:8080',
    FORMBOX_PORT_8080_TCP_PROTO: 'tcp',
    FORMBOX_PORT_8080_TCP_PORT: '8080',
    FORMBOX_PORT_8080_TCP_ADDR: '10.96.7.1',
    FORMBOX_PORT_9000_UDP: 'udp://10.96.7.1:9000',
    FORMBOX_DB_SERVICE_HOST: '10.96.7.2',
    FORMBOX_DB_SERVICE_PORT: '5432',
    FORMBOX_DB_PORT: 'tcp://10.96.7.2:5432',
    FORMBOX_DB_PORT_5432_TCP_ADDR: '10.96.7.2',
  }

  test('the service links of Kubernetes are no variables of Formbox', async () => {
    const server = await serve(['--host', '127.0.0.1'], { environment: { ...serviceLinks, FORMBOX_PORT: '0' } })
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
  })

  test.each(['FORMBOX_SERVICE', 'FORMBOX_PORT_TCP', 'FORMBOX_DB_PORT', 'FORMBOX_PORT_8080_TCP_HOST'])(
    '%s=8080 is not mistaken for a service link',
    (name) => {
      expect(refusalOf(() => parseConfig({ ...serviceLinks, [name]: '8080' }))).toStartWith(`${name}: unknown setting`)
    },
  )

  test.each([
    ['FORMBOX_PROT', '; did you mean FORMBOX_PORT?'],
    ['FORMBOX_OIDC_CLIENTID', '; did you mean FORMBOX_OIDC_CLIENT_ID?'],
    ['FORMBOX_MAIL_URL_FIEL', '; did you mean FORMBOX_MAIL_URL_FILE?'],
    ['FORMBOX_SMTP_URL', '; use FORMBOX_MAIL_URL'],
    ['FORMBOX_SMTP_URL_FILE', '; use FORMBOX_MAIL_URL_FILE'],
    ['FORMBOX_CORS', ''],
  ])('%s is refused, and the nearest setting is named', (name, advice) => {
    expect(refusalOf(() => parseConfig({ [name]: '8081' }))).toBe(`${name}: unknown setting${advice}`)
  })

  test('FORMBOX_PORT that is a service link is refused with the way out; a flag needs none', async () => {
    const environment = { ...serviceLinks, FORMBOX_PORT: 'tcp://10.96.7.1:8080' }
    expect(await formbox(['serve'], { environment })).toEqual({
      exitCode: 2,
      stdout: '',
      stderr:
        'formbox: FORMBOX_PORT: is "tcp://10.96.7.1:8080", which Kubernetes has set because of a Service named formbox; ' +
        "set enableServiceLinks: false in the pod's spec, or give FORMBOX_PORT a port\n",
    })
    expect(parseConfig(environment, { FORMBOX_PORT: '9000' }).port).toBe(9000)
  })

  test('a flag wins over its variable', async () => {
    const environment = { FORMBOX_DATA: 'from-variable', FORMBOX_HOST: '192.0.2.1', FORMBOX_PORT: '1' }
    const server = await serve(['--data', 'from-flag', '--host', '127.0.0.1', '--port', '0'], { environment })
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d{4,5}$/)
    expect(server.url).not.toEndWith(':1')
    const created = await formbox(['user', 'create', 'ada@example.com', '--data', 'from-flag'], {
      folder: server.folder,
      environment,
    })
    expect(created.exitCode).toBe(0)
    expect(filesIn(server.folder).filter((file) => !/\.(db|lock)/.test(file))).toEqual(['from-flag'])
    server.kill('SIGTERM')
    expect((await server.end()).exitCode).toBe(0)
  })

  // Bun itself reads these two when it runs the sources.
  test.skipIf(!isCompiled)('neither a .env nor a bunfig.toml of the working folder counts', async () => {
    const folder = temporaryFolder()
    await Bun.write(join(folder, '.env'), 'FORMBOX_DATA=from-dotenv\nFORMBOX_NONSENSE=1\n')
    await Bun.write(join(folder, 'bunfig.toml'), 'preload = ["./preload.ts"]\n')
    await Bun.write(join(folder, 'preload.ts'), 'console.log("code of the folder")\n')
    const environment = { FORMBOX_DATA: 'from-variable' }
    prepareDataFolder(join(folder, 'from-variable'))
    expect(await formbox(['user', 'list'], { folder, environment })).toEqual({
      exitCode: 0,
      stdout: 'EMAIL  FORMS  STATE  TWO-STEP  SSO  PROVED  OPERATOR  CREATED\n',
      stderr: '',
    })
    const data = ['from-variable', 'from-variable/formbox.commands.lock', 'from-variable/formbox.db']
    expect(filesIn(folder)).toEqual(['.env', 'bunfig.toml', ...data, 'preload.ts'])
  })
})

describe('a setting that is secret', () => {
  const table = [
    { name: 'FORMBOX_PLAIN', default: 'plain', help: '' },
    { name: 'FORMBOX_TOKEN', default: '', help: '', secret: true },
  ] as const
  const file = async (content: string | Uint8Array): Promise<string> => {
    const path = join(temporaryFolder(), 'token')
    await Bun.write(path, content)
    return path
  }
  const read = (environment: Record<string, string>) => readVariables(table, environment).FORMBOX_TOKEN

  test.each<[string, string, string]>([
    ['as it is', 'hunter2', 'hunter2'],
    ['without the line break at its end', 'hunter2\n', 'hunter2'],
    ['without the line break of Windows', 'hunter2\r\n', 'hunter2'],
    ['with its spaces', ' hunter 2 \n', ' hunter 2 '],
    ['in any script', 'пароль', 'пароль'],
    ['of 4,096 bytes', 'x'.repeat(4096), 'x'.repeat(4096)],
    ['with a byte order mark', '\ufeffhunter2\r\n', 'hunter2'],
  ])('is read from the file that NAME_FILE names, %s', async (_, content, value) => {
    const path = await file(content)
    expect(read({ FORMBOX_TOKEN_FILE: path })).toEqual({ value, source: 'file', label: 'FORMBOX_TOKEN_FILE' })
    // An empty variable is one that is not set.
    expect(read({ FORMBOX_TOKEN_FILE: path, FORMBOX_TOKEN: '' }).value).toBe(value)
  })

  test('is read from a link, as Kubernetes lays out its secrets', async () => {
    const link = join(temporaryFolder(), 'link')
    symlinkSync(await file('hunter2'), link)
    expect(read({ FORMBOX_TOKEN_FILE: link }).value).toBe('hunter2')
  })

  test('is read from its own variable, too, and has its default without either', () => {
    expect(read({ FORMBOX_TOKEN: 'x', FORMBOX_TOKEN_FILE: '' })).toMatchObject({ value: 'x', source: 'environment' })
    expect(read({ FORMBOX_TOKEN_FILE: '' })).toMatchObject({ value: '', source: 'default' })
  })

  test('cannot be given twice', async () => {
    const environment = { FORMBOX_TOKEN: 'x', FORMBOX_TOKEN_FILE: await file('hunter2') }
    const refusal = 'FORMBOX_TOKEN and FORMBOX_TOKEN_FILE: set only one of them'
    expect(refusalOf(() => read(environment))).toBe(refusal)
  })

  test.each<[string, string | Uint8Array, string]>([
    ['is empty', '', 'is empty'],
    ['holds a line break alone', '\n', 'is empty'],
    ['has a second line', 'hunter2\nhunter3\n', 'must contain one line of UTF-8 text'],
    ['has a second line break', 'hunter2\n\n', 'must contain one line of UTF-8 text'],
    ['has a NUL', 'hunter2\0', 'must contain one line of UTF-8 text'],
    ['is not UTF-8', new Uint8Array([0x68, 0xff]), 'must contain one line of UTF-8 text'],
    ['has 4,097 bytes', 'hunter2'.padEnd(4097, 'x'), 'is larger than 4096 bytes'],
  ])('is refused from a file that %s, and none of it is shown', async (_, content, complaint) => {
    const path = await file(content)
    expect(refusalOf(() => read({ FORMBOX_TOKEN_FILE: path }))).toBe(
      `FORMBOX_TOKEN_FILE: ${JSON.stringify(path)} ${complaint}`,
    )
  })

  test.each<[string, (folder: string) => string, string]>([
    ['is not there', (folder) => join(folder, 'missing'), 'it does not exist'],
    ['is a folder', (folder) => folder, 'it is a folder'],
    ['lies in a file', (folder) => join(folder, 'file', 'token'), 'part of the path is a file'],
  ])('is refused from a file that %s', async (_, place, reason) => {
    const folder = temporaryFolder()
    await Bun.write(join(folder, 'file'), '')
    const path = place(folder)
    const message = `cannot read ${JSON.stringify(path)}, which FORMBOX_TOKEN_FILE names: ${reason}`
    // Not a wrong setting, which systemd would not try again.
    expect(() => read({ FORMBOX_TOKEN_FILE: path })).toThrow(new OperatorError(message))
  })

  test.skipIf(process.platform !== 'linux')('is refused from a file without an end', () => {
    expect(refusalOf(() => read({ FORMBOX_TOKEN_FILE: '/dev/zero' }))).toContain('is larger than 4096 bytes')
  })

  test('is the only kind that NAME_FILE is for', () => {
    const refusal = 'FORMBOX_PLAIN_FILE: unknown setting'
    expect(refusalOf(() => readVariables(table, { FORMBOX_PLAIN_FILE: '/x' }))).toBe(refusal)
    const secrets: readonly string[] = variables.flatMap((variable) => ('secret' in variable ? [variable.name] : []))
    for (const { name } of variables) {
      const named = `${name}_FILE`
      const parse = () => parseConfig({ [named]: '/nonexistent/token' })
      if (secrets.includes(name)) expect(parse).toThrow(`which ${named} names: it does not exist`)
      else expect(refusalOf(parse)).toStartWith(`${named}: unknown setting`)
    }
  })
})
