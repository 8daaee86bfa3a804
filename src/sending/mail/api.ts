import type { IncomingMessage } from 'node:http'
import type { MailOauth } from '../../config/mail-oauth.ts'
import { type ApiServer, type ApiWayName, wayOf } from '../../config/mail-ways.ts'
import { anywhere } from '../../config/networks.ts'
import { sendGuarded } from '../../remote/guarded-request.ts'
import { readAnswer } from '../../remote/read-answer.ts'
import { retryAfterMilliseconds } from '../webhooks/post.ts'
import type { Api, ErrorBody } from './api-request.ts'
import { AnswerError, netLineOf, toSent } from './failure.ts'
import { graph } from './graph.ts'
import { mailgun } from './mailgun.ts'
import { bytesOf, type Parcel } from './parcel.ts'
import { postmark } from './postmark.ts'
import { resend } from './resend.ts'
import { ses } from './ses.ts'
import { tokensOf } from './tokens.ts'
import { orAborted } from './turns.ts'
import type { OpenWay, WayOptions } from './way.ts'

const apis: Readonly<Record<ApiWayName, Api>> = { graph, resend, postmark, mailgun, ses }

const limits = { maxBytes: 64 * 1024, maxPieces: 1000 }

interface Options extends WayOptions {
  readonly server: ApiServer
  readonly oauth: MailOauth | null
}

/** Sends each message with a request of its own. An answer is read only as far as it can be shown. */
export const openApi = ({ server, oauth, resolver }: Options): OpenWay => {
  const { toRequest, codeOf } = apis[server.way]
  const closing = new AbortController()

  const exchange = async (parcel: Parcel, token: string, signal: AbortSignal) => {
    const { path, headers, body } = await toRequest(parcel, { server, token })
    const url = new URL(`${server.endpoint}${path}`)
    const read = async (response: IncomingMessage) => ({
      status: response.statusCode ?? 0,
      headers: response.headers,
      text: new TextDecoder().decode((await readAnswer(response, limits)).bytes),
    })
    signal.throwIfAborted()
    return await sendGuarded(url, { method: 'POST', headers, body, allowed: anywhere, signal, resolver, read })
  }

  const sendNow = async (parcel: Parcel, signal: AbortSignal) => {
    const token = oauth ? await orAborted(tokensOf(oauth).get(), signal) : ''
    const { status, headers, text: full } = await exchange(parcel, token, signal)
    const text =
      token === '' ? full : full.replaceAll(token, '***').replaceAll(Buffer.from(token).toString('base64'), '***')
    if (status >= 200 && status < 300) return toSent(status, text, { server, oauth })
    if (status === 401 && oauth) tokensOf(oauth).refuse()
    const [code, said] = codeOf(parsed(text), headers)
    throw new AnswerError({
      source: server.way,
      line: `${status} ${code || '-'} ${said || text}`,
      status,
      answer: [code, said].filter(Boolean).join(': ') || text,
      retryAfterMilliseconds: retryAfterMilliseconds(headers['retry-after'], Date.now()),
    })
  }

  return {
    async send(parcel, given) {
      if (bytesOf(parcel) > wayOf(server.way).maxBytes)
        throw new AnswerError({ source: 'net', line: 'EMESSAGE', status: null, answer: '' })
      const signal = AbortSignal.any([given, closing.signal])
      try {
        return await sendNow(parcel, signal)
      } catch (error) {
        if (error instanceof AnswerError || isFound(error)) throw error
        throw new AnswerError({ source: 'net', line: netLineOf(error), status: null, answer: '' })
      }
    },
    rest() {},
    close: () => closing.abort(),
  }
}

const isFound = (error: unknown): boolean => (error as Error).name === 'NoAnswerError'

const parsed = (text: string): ErrorBody => {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}
