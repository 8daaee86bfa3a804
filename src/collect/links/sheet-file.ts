import type { SheetStore } from '../../accounts/sheets/store.ts'
import { invalid, notFound, tooManyRequests } from '../../base/errors.ts'
import { exportedFile } from '../../http/attachment.ts'
import type { Reporter } from '../../http/error-response.ts'
import type { Exchange } from '../../http/exchange.ts'
import { isUnchanged } from '../../http/headers.ts'
import { createRateLimiter, secondsUntil } from '../../http/rate-limit.ts'
import { streamed } from '../../http/streamed.ts'
import type { ExportStore } from '../../transfer/export/store.ts'

export interface SheetOptions {
  readonly sheets: Pick<SheetStore, 'openSheet'>
  readonly exports: Pick<ExportStore, 'exportSheet'>
  readonly now: () => number
  readonly report: Reporter
}

const requestsPerMinute = 30
const usualRows = 10_000
const maxRows = 50_000

/** `/sheet/:name`: the submissions of a form for a spreadsheet. The address is all that it takes. */
export const sheetFile = ({ sheets, exports, now, report }: SheetOptions) => {
  const limiter = createRateLimiter(requestsPerMinute, now)

  return (exchange: Exchange, name: string, query: Readonly<Record<string, unknown>>): Response => {
    const [, token = ''] = /^(.+)\.csv$/.exec(name) ?? []
    const sheet = sheets.openSheet(token)
    if (!sheet) throw notFound()
    const { allowed, resetsAt } = limiter.take(sheet.id)
    if (!allowed) throw tooManyRequests(secondsUntil(resetsAt, now()))
    const limit = parseLimit(query.limit)
    const etag = `"${sheet.id}-${sheet.changeCount}-${limit}"`
    const isSame = isUnchanged(exchange.request.headers.get('if-none-match'), etag)
    const file = isSame ? undefined : exportedFile(exports.exportSheet(sheet, limit))
    Object.assign(exchange.headers, { etag, 'cache-control': 'private, no-cache', 'x-robots-tag': 'noindex' })
    if (!file) return new Response(null, { status: 304, headers: { etag } })
    return streamed(exchange, file, { report, mayRead: () => sheets.openSheet(token) !== undefined })
  }
}

/** @throws AppError `invalid` */
const parseLimit = (given: unknown): number => {
  if (given === undefined) return usualRows
  const limit = /^\d{1,6}$/.test(String(given)) ? Number(given) : 0
  if (limit >= 1 && limit <= maxRows) return limit
  throw invalid({ field: 'limit', message: `must be a whole number from 1 to ${maxRows}` })
}
