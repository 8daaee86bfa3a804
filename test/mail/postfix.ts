// A Postfix of its own, in a temporary folder. It needs root, because Postfix changes users.
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { freePort } from '../free-port.ts'
import { afterThisTest, temporaryFolder } from '../harness.ts'
import { noteSkipped } from '../skips.ts'
import { slowly, until } from '../until.ts'
import { ownCertificate } from './certificate.ts'

export const hasPostfix = Bun.which('postfix') !== null && process.getuid?.() === 0
if (!hasPostfix)
  noteSkipped('The tests with Postfix are skipped: there is no postfix on the PATH, or this user is not root.')

/**
 * Takes mails for `@inbox.example`, and for other hosts after the password `hünter2` of `ada`. The mailbox of `full` is
 * full, `new` is on a greylist.
 */
export const startPostfix = async () => {
  const folder = temporaryFolder()
  chmodSync(folder, 0o755)
  const place = (name: string): string => join(folder, name)
  for (const name of ['config', 'queue', 'data', 'inbox']) mkdirSync(place(name))
  Bun.spawnSync(['chown', 'postfix', place('data'), place('inbox')])
  writeFileSync(place('certificate.pem'), ownCertificate.key + ownCertificate.cert)
  const [port, tlsPort] = [await freePort(), await freePort()]
  await startPasswords(place('queue/auth'))
  writeFileSync(place('config/main.cf'), mainSettings(folder))
  writeFileSync(place('config/master.cf'), services(port, tlsPort))

  const run = (command: string) => Bun.spawnSync(['postfix', '-c', place('config'), command], { stderr: 'pipe' })
  const started = run('start')
  if (started.exitCode !== 0) throw new Error(`postfix did not start: ${started.stderr} ${logOf(folder)}`)
  afterThisTest(() => run('stop'))

  return {
    port,
    tlsPort,
    log: () => logOf(folder),
    /** Waits until so many mails are in a mailbox. Returns them, each byte a character. */
    async mails(user: string, count: number): Promise<string[]> {
      const inbox = place(`inbox/${user}/new`)
      await until(
        () => existsSync(inbox) && readdirSync(inbox).length >= count,
        `${count} mails are in the inbox`,
        slowly,
      )
      return readdirSync(inbox).map((name) => readFileSync(join(inbox, name), 'latin1'))
    },
  }
}

const logOf = (folder: string): string => {
  const file = join(folder, 'log')
  return existsSync(file) ? readFileSync(file, 'utf8') : ''
}

const mainSettings = (folder: string): string => `
compatibility_level = 3.6
queue_directory = ${folder}/queue
data_directory = ${folder}/data
maillog_file = ${folder}/log
maillog_file_prefixes = ${folder}
mail_owner = postfix
setgid_group = postdrop
inet_interfaces = all
inet_protocols = ipv4
myhostname = mail.inbox.example
mydestination =
mynetworks =
virtual_mailbox_domains = inbox.example
recipient_delimiter = +
virtual_mailbox_base = ${folder}/inbox
virtual_mailbox_maps = inline:{ ada@inbox.example=ada/, files@inbox.example=files/, half@inbox.example=half/, visitor@inbox.example=visitor/, digest@inbox.example=digest/, full@inbox.example=full/, new@inbox.example=new/ }
virtual_minimum_uid = 1
virtual_uid_maps = static:${idOf('-u')}
virtual_gid_maps = static:${idOf('-g')}
default_transport = discard:
smtpd_tls_security_level = may
smtpd_tls_chain_files = ${folder}/certificate.pem
smtpd_tls_auth_only = yes
smtpd_sasl_auth_enable = yes
smtpd_sasl_type = dovecot
smtpd_sasl_path = auth
smtpd_relay_restrictions = permit_sasl_authenticated, reject_unauth_destination
smtpd_recipient_restrictions = check_recipient_access inline:{ {full@inbox.example = 452 4.2.2 Mailbox full}, {new@inbox.example = 450 4.2.0 Greylisted} }
`

const idOf = (flag: string): string => Bun.spawnSync(['id', flag, 'postfix']).stdout.toString().trim()

const services = (port: number, tlsPort: number): string => `
${port} inet n - n - - smtpd
${tlsPort} inet n - n - - smtpd -o smtpd_tls_wrappermode=yes
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
tlsmgr unix - - n 1000? 1 tlsmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
verify unix - - n - 1 verify
proxymap unix - - n - - proxymap
virtual unix - n n - - virtual
discard unix - - n - - discard
error unix - - n - - error
retry unix - - n - - error
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
postlog unix-dgram n - n - 1 postlogd
`

/** Checks passwords as Dovecot does for Postfix, by its authentication protocol 1.1. */
const startPasswords = async (path: string): Promise<void> => {
  const base64 = (text: string): string => Buffer.from(text).toString('base64')
  const server = createServer((socket) => {
    const users = new Map<string, string>()
    const answer = (id: string, user: string, password: string): void => {
      const isRight = user === 'ada' && password === 'hünter2'
      socket.write(isRight ? `OK\t${id}\tuser=${user}\n` : `FAIL\t${id}\tuser=${user}\n`)
    }
    socket.on('error', () => {})
    socket.write('VERSION\t1\t1\nMECH\tPLAIN\tplaintext\nMECH\tLOGIN\tplaintext\nSPID\t1\nCUID\t1\nCOOKIE\t0\nDONE\n')
    socket.on('data', (chunk) => {
      for (const line of chunk.toString().split('\n')) {
        const [command, id = '', value = ''] = line.split('\t')
        const text = (encoded: string): string => Buffer.from(encoded, 'base64').toString()
        if (command === 'AUTH' && value === 'PLAIN') {
          const [, user = '', password = ''] = text(/\tresp=(.*)$/.exec(line)?.[1] ?? '').split('\0')
          answer(id, user, password)
        } else if (command === 'AUTH') socket.write(`CONT\t${id}\t${base64('Username:')}\n`)
        else if (command === 'CONT' && !users.has(id)) {
          users.set(id, text(value))
          socket.write(`CONT\t${id}\t${base64('Password:')}\n`)
        } else if (command === 'CONT') answer(id, users.get(id) ?? '', text(value))
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(path, resolve))
  chmodSync(path, 0o666)
  afterThisTest(() => server.close())
}
