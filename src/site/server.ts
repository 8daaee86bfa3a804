import { version } from '../../package.json'
import type { Session } from '../accounts/sessions/store.ts'
import { notFound } from '../base/errors.ts'
import { newId } from '../base/id.ts'
import { toMailAddress } from '../base/mail-address.ts'
import { backUpPath, serverPath, testMailPath } from '../config/addresses.ts'
import { type Html, html } from '../html/html.ts'
import { clientOf } from '../http/client-address.ts'
import type { Exchange } from '../http/exchange.ts'
import { lookAtMachines } from '../storage/cluster/look-at-machines.ts'
import { lookAtDisk } from '../upkeep/backups/look-at-disk.ts'
import { findTroubles } from '../upkeep/server-troubles.ts'
import { wayOf } from '../upkeep/ways-to-run.ts'
import type { PageOptions } from './page-options.ts'
import { serverPage } from './server-page.ts'
import type { Facts } from './server-rows.ts'
import type { UserSent, UserVisit } from './visit.ts'

type Said = Parameters<typeof serverPage>[0]['said']

/** Users that the page lists. */
const maxUsers = 100

/** `/server`: what an operator has to know of the server. It sends a test and makes a backup, and changes nothing else. */
export const serverRoutes = (options: PageOptions) => {
  const { pages, config, userReads, listFirstUsers, sinceStart, backUpNow, addressOf, now } = options
  const { userAction, userPage } = pages
  const machines = config.cluster && lookAtMachines(config.cluster)

  const factsOf = async (exchange: Exchange, run: unknown): Promise<Facts> => {
    const { headers } = exchange.request
    const known = { config, sinceStart, now: now(), ...lookAtDisk(config.dataFolder, now()) }
    return {
      ...{ ...known, troubles: findTroubles(known), version, startedAt: performance.timeOrigin, way: wayOf(run) },
      machines: machines && (await machines()),
      canBackUp: backUpNow !== undefined,
      asked: {
        socket: exchange.socketAddress(),
        isForwarded: headers.has('x-forwarded-for'),
        client: clientOf(exchange, config.trustedProxies),
        isForPublicHost: config.publicUrl !== null && headers.get('host') === new URL(config.publicUrl).host,
      },
    }
  }

  const page = async (
    { exchange, request, session }: { exchange: Exchange; request: Request; session: Session },
    run: unknown,
    said?: Said,
  ): Promise<Response> => {
    requireOperator(session)
    return serverPage({
      ...{ email: session.email, facts: await factsOf(exchange, run), address: addressOf(request), said },
      users: { count: userReads.countUsers(), first: listFirstUsers(maxUsers), ownId: session.userId },
    })
  }

  const runOf = ({ request }: UserSent): string | null => new URL(request.url).searchParams.get('run')

  const on = {
    show: (visit: UserVisit): Promise<Response> => page(visit, visit.query.run),

    async testMail(sent: UserSent): Promise<Response> {
      requireOperator(sent.session)
      return page(sent, runOf(sent), await testMail(options, sent.session))
    },

    async backUp(sent: UserSent): Promise<Response> {
      requireOperator(sent.session)
      if (!backUpNow) throw notFound()
      return page(sent, runOf(sent), saidOf[await backUpNow()])
    },
  }

  return [
    userPage(serverPath, on.show),
    userAction(testMailPath, serverPath, on.testMail),
    userAction(backUpPath, serverPath, on.backUp),
  ]
}

/** For everyone else there is no such page. @throws AppError `not_found` */
const requireOperator = ({ isOperator }: Session): void => {
  if (!isOperator) throw notFound()
}

const saidOf = {
  made: { kind: 'done', text: 'A backup was made.' },
  failed: { kind: 'failed', text: 'No backup was made. Below stands why.' },
  'under way': { kind: 'done', text: 'A backup is being made. Open this page again to see it.' },
  soon: { kind: 'failed', text: 'A backup was made less than a minute ago. Wait a minute for the next one.' },
} as const

/** Sends a mail to the operator's own address, and says what the mail server says. */
const testMail = async (
  { config: { mail, isDemo }, sinceStart, countTest, now }: PageOptions,
  { userId, email }: Session,
): Promise<Said> => {
  if (!mail) return { kind: 'failed', text: 'No email can be sent: FORMBOX_MAIL_URL is not set.' }
  if (isDemo) return { kind: 'done', text: 'Demo: not really sent.' }
  const to = toMailAddress(email)
  if (to === null) return { kind: 'failed', text: `No email can be sent to ${email}.` }
  const wait = countTest(userId)
  if (wait !== null) return { kind: 'failed', text: `Too many tests. Wait ${Math.ceil(wait / 60)} minutes.` }
  const { sendTest } = await import('../sending/mail/send-once.ts')
  const sent = await sendTest(mail, { id: newId(now()), to, now: now() })
  // What one server refuses for a recipient counts here: the operator is the recipient.
  sinceStart.noteMail(sent.result === 'refused' ? { ...sent, result: 'later' } : sent)
  return { kind: sent.result === 'delivered' ? 'done' : 'failed', text: testSentence(to, sent) }
}

interface SentTest {
  readonly result: string
  readonly operatorError: string | null
  readonly answer: string
  readonly milliseconds: number
}

const testSentence = (to: string, { result, operatorError, answer, milliseconds }: SentTest): Html => {
  const said = answer && html`: <q>${answer}</q>`
  if (result === 'delivered')
    return html`<span>The test to ${to} was accepted by the mail server after ${(milliseconds / 1000).toFixed(1)} s${said}. If it is not there in a minute, look into the spam folder.</span>`
  return html`<span>The test to ${to} was not sent. ${operatorError}${answer && html`. The mail server said${said}`}.</span>`
}
