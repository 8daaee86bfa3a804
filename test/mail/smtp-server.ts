// A mail server that answers as a test says.
import { createServer, type Socket } from 'node:net'
import { createSecureContext, createServer as createTlsServer, TLSSocket } from 'node:tls'
import { afterThisTest } from '../harness.ts'
import { ownCertificate } from './certificate.ts'

type Answer = string | null

/**
 * What the server says to a command, `.` being the end of a mail. It hangs up on `null`, and is silent on `''`. A function
 * gets the line, or the mail, and the number of the connection.
 */
export type Script = Readonly<Record<string, Answer | ((text: string, connection: number) => Answer)>>

const usual: Script = {
  connect: '220 mail.example.com ESMTP',
  EHLO: '250-mail.example.com\r\n250-AUTH PLAIN LOGIN\r\n250 8BITMIME',
  AUTH: '235 2.7.0 Authentication successful',
  MAIL: '250 2.1.0 Ok',
  RCPT: '250 2.1.5 Ok',
  DATA: '354 End data with <CR><LF>.<CR><LF>',
  '.': '250 2.0.0 Ok: queued as 4F1',
  RSET: '250 2.0.0 Ok',
  QUIT: '221 2.0.0 Bye',
}

/** A mail without the line breaks of quoted-printable. */
export const unfolded = (mail: string): string => mail.replaceAll('=\r\n', '').replaceAll('=3D', '=')

/** The settings of a server that mails through this port. */
export const mailSettings = (port: number) => ({
  FORMBOX_MAIL_URL: `smtp://127.0.0.1:${port}`,
  FORMBOX_MAIL_FROM: 'Formbox <forms@example.com>',
  FORMBOX_URL: 'https://forms.example.com',
})

/** Starts a server on all addresses of this machine. It ends after the test. */
export const startSmtp = async (
  script: Script = {},
  { isTls = false, certificate = ownCertificate, onConnection = (_socket: Socket) => {} } = {},
) => {
  const answers: Script = { ...usual, ...script }
  const lines: string[] = []
  const mails: string[] = []
  const sockets = new Set<Socket>()
  let connections = 0
  let open = 0
  let most = 0

  const onSocket = (first: Socket): void => {
    const number = ++connections
    sockets.add(first)
    most = Math.max(most, ++open)
    first.on('close', () => open--)
    let socket = first
    let text = ''
    let isMail = false
    const say = (command: string, sent = ''): void => {
      const found = answers[command] ?? (command in answers ? null : '500 5.5.2 unknown')
      const answer = typeof found === 'function' ? found(sent, number) : found
      if (answer === null) socket.destroy()
      else if (answer !== '') socket.write(`${answer}\r\n`)
      isMail = command === 'DATA' && answer?.startsWith('354') === true
    }
    const startTls = (): void => {
      socket.write('220 2.0.0 Ready to start TLS\r\n')
      socket.off('data', onData)
      socket = new TLSSocket(socket, { isServer: true, secureContext: createSecureContext(certificate) })
      socket.on('error', () => {}).on('data', onData)
    }
    const onData = (chunk: Buffer): void => {
      text += chunk.toString('latin1')
      for (;;) {
        const end = text.indexOf(isMail ? '\r\n.\r\n' : '\r\n')
        if (end === -1) return
        const line = text.slice(0, end)
        text = text.slice(end + (isMail ? 5 : 2))
        if (isMail) mails.push(line.replaceAll(/^\.\./gm, '.'))
        else lines.push(line)
        const command = isMail ? '.' : (line.split(' ')[0] as string)
        if (command === 'STARTTLS' && answers.STARTTLS === 'TLS') startTls()
        else say(command, line)
      }
    }
    socket.on('error', () => {}).on('data', onData)
    say('connect')
    onConnection(first)
  }

  const server = isTls ? createTlsServer(certificate, onSocket) : createServer(onSocket)
  server.on('tlsClientError', () => {})
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve))
  const close = (): void => {
    for (const socket of sockets) socket.destroy()
    server.close()
  }
  afterThisTest(close)
  return {
    port: (server.address() as { port: number }).port,
    /** The commands that arrived. */
    lines,
    /** The mails that arrived, each byte a character. */
    mails,
    connections: () => connections,
    /** How many are open, and how many were at once. */
    open: () => open,
    most: () => most,
    close,
  }
}
