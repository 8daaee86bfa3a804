// Runs Formbox as an operator does behind nginx, Caddy or Traefik: with the file from deploy/, in which only names and
// ports are replaced, and with the settings that the file requires.
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { serve } from '../commands/formbox.ts'
import { freePort } from '../free-port.ts'
import { afterThisTest, temporaryFolder } from '../harness.ts'

export type Kind = 'nginx' | 'caddy' | 'traefik'

interface Ports {
  readonly http: number
  readonly https: number
  readonly formbox: number
}

/** A block of a guide for the proxy of another site, which answers everything else. */
interface Recipe {
  readonly block: string
  /** The path of `FORMBOX_URL`. */
  readonly path: string
}

/** Puts the block in the place of what passes everything on to Formbox. */
const inSite = (kind: Kind, config: string, { block }: Recipe): string =>
  kind === 'nginx'
    ? config.replace(/ {4}location \/ \{[\s\S]*?\n {4}\}/, () => `${block}\n    location / { return 200 "the site"; }`)
    : config.replace(/\treverse_proxy [\s\S]*?\n\t\}/, () => `${block}\n\thandle {\n\t\trespond "the site"\n\t}`)

/**
 * Starts both. `url` is the public URL. No known authority issued the certificate.
 *
 * @param edit changes the file of deploy/, as a guide says
 */
export const startBehind = async (
  kind: Kind,
  settings: Readonly<Record<string, string>> = {},
  recipe?: Recipe,
  edit = (config: string): string => config,
) => {
  const folder = temporaryFolder()
  // If root starts nginx, its workers run as another user.
  chmodSync(folder, 0o755)
  const ports: Ports = { http: await freePort(), https: await freePort(), formbox: await freePort() }
  const source = await Bun.file(join(import.meta.dir, '../../deploy', fileOf[kind])).text()
  const config = edit(recipe ? inSite(kind, source, recipe) : source)
    .replaceAll('127.0.0.1:8080', `127.0.0.1:${ports.formbox}`)
    .replaceAll('forms.example.com', 'localhost')
  const environment = {
    ...Object.fromEntries([...config.matchAll(/^# {3}(FORMBOX_\w+)=(\S+)$/gm)].map(([, name, value]) => [name, value])),
    FORMBOX_URL: `https://localhost:${ports.https}${recipe?.path ?? ''}`,
    FORMBOX_LOG: 'json',
    FORMBOX_DATA: 'data',
    ...settings,
  }
  const start = () => serve(['--port', String(ports.formbox)], { folder, environment })
  const formbox = await start()
  await { nginx: startNginx, caddy: startCaddy, traefik: startTraefik }[kind](folder, config, ports)

  const url = environment.FORMBOX_URL
  return {
    url,
    plainUrl: `http://localhost:${ports.http}`,
    /** Where the proxy answers, whatever `FORMBOX_URL` is. */
    siteUrl: `https://localhost:${ports.https}`,
    /** Where Formbox itself listens. */
    port: ports.formbox,
    workingFolder: folder,
    /** The data folder. */
    folder: join(folder, 'data'),
    formbox,
    startFormbox: start,
    fetch: (path: string, init: RequestInit = {}) =>
      fetch(url + path, { redirect: 'manual', ...init, tls: { rejectUnauthorized: false } }),
  }
}

const fileOf = { nginx: 'nginx.conf', caddy: 'Caddyfile', traefik: 'traefik.yaml' }

const startNginx = async (folder: string, site: string, { http, https }: Ports): Promise<void> => {
  const { exitCode, stderr } = Bun.spawnSync(
    [
      'openssl',
      'req',
      '-x509',
      '-nodes',
      '-days',
      '1',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
    ].concat('-subj', '/CN=localhost', '-keyout', 'privkey.pem', '-out', 'fullchain.pem'),
    { cwd: folder },
  )
  if (exitCode !== 0) throw new Error(stderr.toString())
  const own = site
    .replaceAll('/etc/ssl/localhost', folder)
    .replaceAll(/(listen (?:\[::\]:)?)80;/g, `$1${http};`)
    .replaceAll(/(listen (?:\[::\]:)?)443 /g, `$1${https} `)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${name};`)
  await Bun.write(join(folder, 'site.conf'), own)
  await Bun.write(
    join(folder, 'nginx.conf'),
    `daemon off; error_log stderr; pid nginx.pid; events {}
    http { access_log off; ${temporary.join(' ')} include site.conf; }`,
  )
  await run(['nginx', '-p', folder, '-e', 'stderr', '-c', 'nginx.conf'], folder, https)
}

const startCaddy = async (folder: string, site: string, { http, https }: Ports): Promise<void> => {
  const own = `{\n\tadmin off\n\tskip_install_trust\n\thttp_port ${http}\n\thttps_port ${https}\n}\n${site}`
  await Bun.write(join(folder, 'Caddyfile'), own)
  await run(['caddy', 'run', '--adapter', 'caddyfile', '--config', 'Caddyfile'], folder, https)
}

/** The entry points are the operator's; a certificate resolver that is missing makes Traefik use its own certificate. */
const startTraefik = async (folder: string, site: string, { http, https }: Ports): Promise<void> => {
  const entryPoints = {
    web: { address: `:${http}`, http: { redirections: { entryPoint: { to: 'websecure' } } } },
    websecure: { address: `:${https}`, transport: { respondingTimeouts: { readTimeout: '200s' } } },
  }
  const providers = { file: { directory: join(folder, 'dynamic') } }
  const options = { global: { checkNewVersion: false, sendAnonymousUsage: false }, entryPoints, providers }
  await Bun.write(join(folder, 'dynamic/formbox.yaml'), site)
  // JSON is YAML, too.
  await Bun.write(join(folder, 'traefik.yaml'), JSON.stringify(options))
  await run(['traefik', '--configFile=traefik.yaml'], folder, https)
}

/** Runs the proxy until the end of the test. Returns when it answers over TLS. */
const run = async (words: string[], folder: string, port: number): Promise<void> => {
  const environment = { PATH: process.env.PATH, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder }
  const child = Bun.spawn(words, { cwd: folder, env: environment, stdout: 'ignore', stderr: 'pipe' })
  const complaints = new Response(child.stderr).text()
  afterThisTest(async () => {
    child.kill('SIGTERM')
    await child.exited
  })
  const answers = () =>
    fetch(`https://localhost:${port}/healthz`, { tls: { rejectUnauthorized: false } }).then(
      ({ status }) => status === 200,
      () => false,
    )
  while (!(await answers())) {
    if (child.exitCode !== null) throw new Error(`${words[0]} did not start: ${await complaints}`)
    await Bun.sleep(20)
  }
}
