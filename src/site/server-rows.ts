import { backUpPath, testMailPath } from '../config/addresses.ts'
import { placeOf } from '../config/mail.ts'
import { isLoopback } from '../config/networks.ts'
import { stack } from '../html/charts.ts'
import { codeBox, copyable } from '../html/copyable.ts'
import { ago, counted, time } from '../html/format.ts'
import { type Html, html } from '../html/html.ts'
import type { NodeState } from '../storage/cluster/describe.ts'
import { isOnlyHere } from '../upkeep/server-needs.ts'
import type { findTroubles, Known } from '../upkeep/server-troubles.ts'
import type { Failure } from '../upkeep/since-start.ts'
import type { RunBy } from '../upkeep/ways-to-run.ts'

/** A part of the server: a mark, one sentence, one fold. */
export interface Row {
  /** The mark. `wait` is neither good nor bad yet. */
  readonly is: 'ok' | 'look' | 'bad' | 'wait' | 'off'
  readonly name: string
  /** Stands only where something is not as it should be. */
  readonly chip?: string
  readonly says: Html | string
  readonly fold?: Fold | undefined
  readonly picture?: Html
  readonly does?: Html | undefined
}

type Fold = readonly [title: string, body: Html]

export interface Facts extends Known {
  readonly troubles: ReturnType<typeof findTroubles>
  readonly way: RunBy
  /** Of the request that asks. */
  readonly asked: Asked
  readonly version: string
  /** Unix milliseconds. */
  readonly startedAt: number
  /** Those of a cluster, or why they are not known; null on a standalone machine. */
  readonly machines: readonly NodeState[] | string | null
  /** Whether jobs run that can make a backup. */
  readonly canBackUp: boolean
}

interface Asked {
  /** The address that it came from. */
  readonly socket: string
  /** Whether a proxy says for whom it asks. */
  readonly isForwarded: boolean
  /** The address of the operator, as Formbox understands it. */
  readonly client: string
  /** Whether it is for the host in FORMBOX_URL. */
  readonly isForPublicHost: boolean
}

/** In the order of the page. */
export const serverRows = (facts: Facts): Row[] =>
  [addressRow, mailRow, proxyRow, backupRow, spaceRow, versionRow, machinesRow].flatMap((row) => row(facts) ?? [])

const addressRow = ({ config, way }: Facts): Row => {
  const { publicUrl, basePath, host, isDemo } = config
  const name = 'Address'
  const url = publicUrl && publicUrl + basePath
  if (isDemo) return { is: 'ok', name, says: 'This is a demo: only this computer reaches it.' }
  if (url === null || isOnlyHere(config)) {
    const says = isLoopback(url === null ? host : new URL(url).hostname)
      ? 'Forms can be sent from this computer only. Visitors need a name with a certificate, and a proxy in front.'
      : 'Formbox does not know its name. Visitors need one with a certificate, and a proxy in front.'
    return { is: 'look', name, chip: 'Not set', says, fold: caddy }
  }
  const line = way.toLine('FORMBOX_URL', url).trim()
  const fold: Fold = [
    'To change it',
    html`<p>Set this in ${way.place}, then restart. Forms on other sites keep the old address: they need the new code.</p>
${copyable('url-line', line, 'Copy')}`,
  ]
  if (!url.startsWith('https:'))
    return {
      ...{ is: 'look', name, chip: 'Not encrypted', fold: caddy },
      says: html`People and programs reach this server at <bdi>${url}</bdi>, where others can read what they send. A proxy with a certificate changes that.`,
    }
  return { is: 'ok', name, says: html`People and programs reach this server at <bdi>${url}</bdi>.`, fold }
}

const caddy: Fold = [
  'A proxy with Caddy, in two commands',
  codeBox(
    'caddy',
    'sudo apt install caddy\nsudo sed s/forms.example.com/YOUR.HOST/ /usr/share/doc/formbox/examples/Caddyfile | sudo tee /etc/caddy/Caddyfile && sudo systemctl reload caddy',
    'Commands that set up Caddy',
  ),
]

/** @param to where it is sent */
const button = (to: string, { name }: RunBy, words: string): Html =>
  html`<form method="post" action="${to}?run=${name}#notice"><button>${words}</button></form>`

const mailRow = ({ config: { mail, isDemo }, way, troubles, sinceStart, now, startedAt }: Facts): Row => {
  const name = 'Email'
  if (mail === null)
    return {
      ...{ is: 'look', name, chip: 'Not set', fold: providers },
      says: 'Nobody is told of a message, and invitations are links that you pass on yourself.',
    }
  if (isDemo) return { is: 'ok', name, says: 'This is a demo: emails are not really sent.' }
  const { address, name: label } = mail.from
  const through = html`Through <bdi>${placeOf(mail.server)}</bdi>, from <bdi>${label ? `${label} <${address}>` : address}</bdi>.`
  const { accepted, acceptedAt } = sinceStart.mail()
  const failure = sinceStart.failureOf('mail')
  const does = button(testMailPath(), way, 'Send a test to me')
  const fold: Fold = [
    'If an email does not arrive',
    html`<ol class="how"><li>Send a test. Its answer is the mail server’s own.</li><li>Accepted, and not there? The spam folder; then the records SPF, DKIM and DMARC of <bdi>${address.split('@').at(-1)}</bdi>.</li><li>The provider’s log has the Message-ID, which begins with the number of the delivery.</li></ol>`,
  ]
  if (failure)
    return {
      ...(troubles.mail ? { is: 'bad', chip: 'Wrong' } : { is: 'look', chip: 'Fails' }),
      ...{ name, fold, does },
      says: html`${failed(failure, now)} ${through}`,
    }
  return {
    ...{ is: 'ok', name, fold, does },
    says:
      acceptedAt === null
        ? html`${through} Nothing was sent since the start, ${time(startedAt)}.`
        : html`${through} ${counted(accepted, 'email')} accepted since the start, the last ${when(acceptedAt, now)}.`,
  }
}

const providers: Fold = [
  'User and server of your provider',
  html`<dl class="facts"><div><dt>Gmail</dt><dd><code>smtps://…@smtp.gmail.com</code> with an app password</dd></div><div><dt>Fastmail</dt><dd><code>smtps://…@smtp.fastmail.com</code> with an app password</dd></div><div><dt>Postmark</dt><dd><code>postmark://TOKEN</code></dd></div><div><dt>Microsoft 365</dt><dd><code>graph://TENANT</code></dd></div><div><dt>This machine</dt><dd><code>smtp://localhost:25</code></dd></div></dl><p>Write <code>%40</code> for @, <code>%2F</code> for / and <code>%3A</code> for : in the user and the password.</p>`,
]

const proxyRow = ({ config, way, troubles, sinceStart, asked }: Facts): Row => {
  const name = 'Visitors’ addresses'
  const { trustedProxies: trusted, isDemo } = config
  const senders = sinceStart.senders()
  const line = (proxy: string): Html => copyable('proxy-line', way.toLine('FORMBOX_TRUST_PROXY', proxy).trim(), 'Copy')
  const fold: Fold = [
    'If it is not',
    html`<p>Name every proxy, and nothing else, with its address or range:</p>
${line(asked.isForwarded ? asked.socket : way.proxy)}`,
  ]
  const wrong = { is: 'bad', name, chip: 'Wrong' } as const
  if (trusted.isEmpty && asked.isForwarded)
    return {
      ...{ ...wrong, fold: ['To set it', line(asked.socket)] },
      says: html`You come through a proxy at <bdi>${asked.socket}</bdi> that no setting names: limits count all visitors as one.`,
    }
  if (troubles.proxy)
    return {
      ...{ ...wrong, fold: ['To set it', line(senders.only ?? way.proxy)] },
      says: html`All ${counted(senders.count, 'message')} came from <bdi>${senders.only}</bdi>, which is the proxy: limits count all visitors as one.`,
    }
  if (!trusted.isEmpty && !asked.isForwarded && asked.isForPublicHost && trusted.contains(asked.socket, 0) && !isDemo)
    return {
      ...wrong,
      says: html`The proxy at <bdi>${asked.socket}</bdi> does not say who asks: let it send <code>X-Forwarded-For</code>. Limits count all visitors as one.`,
    }
  if (trusted.isEmpty && !isDemo && isOnlyHere(config))
    return {
      ...{ is: 'look', name, chip: 'Not set' },
      says: 'No proxy is named. Formbox reads from it where a visitor is, so that limits count each one.',
    }
  if (trusted.isEmpty)
    return {
      is: 'ok',
      name,
      says: html`Visitors come without a proxy. You come from <bdi>${asked.client}</bdi>; is that so?`,
      fold,
    }
  return {
    ...{ is: 'ok', name, fold },
    says: asked.isForwarded
      ? html`Read from the proxy at <bdi>${asked.socket}</bdi>. You come from <bdi>${asked.client}</bdi>; is that so?`
      : html`Read from the proxy, through which you did not come. You come from <bdi>${asked.client}</bdi>.`,
  }
}

const backupRow = ({ config, way, troubles, sinceStart, backups, now, canBackUp }: Facts): Row => {
  const { backupEveryMilliseconds: every, backupKeep, offSiteUrl, dataFolder } = config
  const name = 'Backups'
  const { newest } = backups
  if (config.isDemo) return { is: 'ok', name, says: 'This is a demo: its data is deleted when it ends.' }
  const does = canBackUp ? button(backUpPath(), way, 'Back up now') : undefined
  const fold: Fold | undefined = newest
    ? [
        'To restore one',
        html`<p>On the server. What is replaced is kept beside it.</p>
${codeBox('restore', way.restore(newest.name, dataFolder), 'Commands that restore a backup')}`,
      ]
    : undefined
  const last = newest && html`The last ${when(newest.at, now)}, ${inBytes(newest.bytes)}`
  if (troubles.backups && troubles.backups !== 'late')
    return {
      ...{ is: 'bad', name, chip: 'Failed', fold, does },
      says: html`${failed(troubles.backups, now)} ${last ? html`${last}.` : 'There is none.'}`,
    }
  if (every === null)
    return {
      ...{ is: 'look', name, chip: 'Off', fold, does },
      says: html`No backup is made. With <code>FORMBOX_BACKUP_EVERY=24h</code>, one a day in <bdi>${dataFolder}/backups</bdi>, the newest ${backupKeep} kept. ${last && html`${last}.`}`,
    }
  const rhythm = `Every ${inHours(every)}.`
  if (!newest) return { is: 'wait', name, does, says: `${rhythm} The first one is being made.` }
  if (troubles.backups === 'late')
    return {
      is: 'bad',
      name,
      chip: 'Late',
      fold,
      does,
      says: html`${rhythm} ${last}: that is too long ago. The log of the server says why.`,
    }
  const kept = html`${backups.count} ${backups.count === 1 ? 'is' : 'are'} kept here`
  const offSite = sinceStart.offSiteAt()
  return {
    ...{ is: 'ok', name, fold, does },
    says: html`${rhythm} ${last}; ${kept}${offSiteUrl ? html` and in <bdi>${offSiteUrl}</bdi>${offSite === null && ', where none was put since the start'}` : ', on the same disk'}.`,
  }
}

/** Below this much, a disk is nearly full. */
const littleBytes = 1024 * 1024 * 1024

const spaceRow = ({ config: { minFreeBytes }, troubles, disk, backups }: Facts): Row => {
  const name = 'Space'
  const { dataBytes, backupBytes, freeBytes } = disk
  const data = html`Data ${inBytes(dataBytes)}${backups.count > 0 && html`, backups ${inBytes(backupBytes)}`}.`
  if (freeBytes === Number.POSITIVE_INFINITY) return { is: 'ok', name, says: data }
  const free = `${inBytes(freeBytes)} free`
  const picture = bar([dataBytes, backupBytes], freeBytes)
  if (troubles.space)
    return {
      ...{ is: 'bad', name, chip: 'Full', picture },
      says: html`${data} ${free}: files are refused below ${inBytes(minFreeBytes)}, and all messages when nothing is left.`,
    }
  if (freeBytes < Math.max(littleBytes, 2 * minFreeBytes, 2 * dataBytes))
    return {
      ...{ is: 'look', name, chip: 'Look', picture },
      says: html`${data} ${free}${
        minFreeBytes > 0
          ? `: below ${inBytes(minFreeBytes)}, files are refused.`
          : ': a backup needs as much as the data.'
      }`,
    }
  return { is: 'ok', name, says: html`${data} ${free}.`, picture }
}

const bar = (parts: readonly number[], free: number): Html => {
  const total = parts.reduce((sum, part) => sum + part, free) || 1
  const shown = [...parts, free].map((bytes, i) => ({
    width: Math.max(bytes > 0 ? 2 : 0, Math.round((400 * bytes) / total)),
    look: [['hue-1', 'hue-1', 'zero'][i] ?? '', i === 1 ? 0.45 : 1] as const,
  }))
  const label = `Data ${inBytes(parts[0] ?? 0)}, backups ${inBytes(parts[1] ?? 0)}, free ${inBytes(free)}`
  return stack(shown, 404, html`role="img" aria-label="${label}"`)
}

const versionRow = ({ version, startedAt, way }: Facts): Row => ({
  ...{ is: 'ok', name: 'Version' },
  says: html`${version}, since ${time(startedAt)}. Formbox does not look for new versions by itself.`,
  fold: [
    'To update',
    html`${way.update === null ? html`<p>Replace the executable, and start it again.</p>` : copyable('update', way.update, 'Copy')}
<p>Make a backup first. An older version does not open the data of a newer one.</p>`,
  ],
})

export const machinesRow = ({ machines: found }: Pick<Facts, 'machines'>): Row | null => {
  const name = 'Machines'
  if (found === null) return null
  if (typeof found === 'string')
    return { is: 'bad', name, chip: 'No log', says: `The log of the cluster does not answer: ${found}.` }
  const list: Fold = [
    'Each machine',
    html`<ul>${found.map(
      (one) => html`<li><bdi>${one.name}</bdi>: ${one.problem ?? 'ok'}, row ${one.applied}</li>`,
    )}</ul>`,
  ]
  const troubled = found.filter(({ problem }) => problem !== null)
  if (troubled.length === 0)
    return { is: 'ok', name, says: `${counted(found.length, 'machine')}, all with the same data.`, fold: list }
  return {
    ...{ is: 'bad', name, chip: 'Look', fold: list },
    says: html`${troubled.map((one, i) => html`${i > 0 && ' '}<bdi>${one.name}</bdi> ${one.problem}.`)}`,
  }
}

/** A sentence with its time. The reason may end with a full stop. */
const failed = ({ at, reason }: Failure, now: number): Html => html`${reason.replace(/\.$/, '')} (${when(at, now)}).`

const when = (at: number, now: number): Html | string => ago(at, now, 24, time(at)) || time(at)

const inHours = (milliseconds: number): string => {
  const hours = milliseconds / 3_600_000
  return hours >= 1 && Number.isInteger(hours)
    ? counted(hours, 'hour')
    : counted(Math.round(milliseconds / 60_000), 'minute')
}

/** `412 MB`, `1.9 GB`. Units of 1,000, as disks have them. */
const inBytes = (bytes: number): string => {
  if (bytes >= 10e9) return `${Math.round(bytes / 1e9)} GB`
  if (bytes >= 1e9) return `${(bytes / 1e9).toFixed(1)} GB`
  if (bytes >= 10e6) return `${Math.round(bytes / 1e6)} MB`
  return `${(bytes / 1e6).toFixed(1)} MB`
}
