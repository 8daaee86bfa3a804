import {
  confirmPath,
  linkedFilePath,
  resubscribePath,
  sheetPath,
  unsubscribeAllPath,
  unsubscribePath,
  withdrawPath,
} from '../../config/addresses.ts'
import { routes } from '../../http/exchange.ts'
import { type ConfirmOptions, confirmPages } from './confirm.ts'
import { type LinkedFileOptions, linkedFile } from './linked-file.ts'
import { type SheetOptions, sheetFile } from './sheet-file.ts'
import { type UnsubscribeOptions, unsubscribePages } from './unsubscribe.ts'

type Options = ConfirmOptions & UnsubscribeOptions & LinkedFileOptions & SheetOptions

/**
 * What a link allows that was mailed or passed on: the link is all that it takes, wherever the request comes from. Mail programs
 * send no `Origin`.
 */
export const links = (options: Options) => {
  const confirm = confirmPages(options)
  const unsubscribe = unsubscribePages(options)
  const downloadFile = linkedFile(options)
  const downloadSheet = sheetFile(options)
  return routes('links')
    .get(confirmPath.route, ({ exchange, params }) => confirm.show(exchange, params.token))
    .post(confirmPath.route, ({ exchange, params }) => confirm.confirm(exchange, params.token), unread)
    .post(withdrawPath.route, ({ exchange, params }) => confirm.withdraw(exchange, params.token), unread)
    .get(unsubscribePath.route, ({ exchange, params, query }) => unsubscribe.show(exchange, params.token, query))
    .post(
      unsubscribePath.route,
      ({ exchange, params, query }) => unsubscribe.stop(exchange, params.token, query),
      unread,
    )
    .post(
      unsubscribeAllPath.route,
      ({ exchange, params, query }) => unsubscribe.stopAll(exchange, params.token, query),
      unread,
    )
    .post(
      resubscribePath.route,
      ({ exchange, params, query }) => unsubscribe.allow(exchange, params.token, query),
      unread,
    )
    .get(linkedFilePath.route, ({ exchange, params, query }) => downloadFile(exchange, params.fileId, query))
    .get(sheetPath.route, ({ exchange, params, query }) => downloadSheet(exchange, params.name, query))
}

/** Nothing is read of the body. */
const unread = { parse: 'none' } as const
