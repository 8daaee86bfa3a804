import type { Config } from '../config/config.ts'
import { isLoopback, isPrivate } from '../config/networks.ts'
import type { SendersSinceStart } from './since-start.ts'

type Checked = Pick<Config, 'publicUrl' | 'mail' | 'trustedProxies' | 'backupEveryMilliseconds' | 'isDemo'>

/** What a server needs that visitors reach. */
export interface ToSet {
  readonly address: boolean
  readonly mail: boolean
  readonly proxy: boolean
  readonly backups: boolean
}

/** Fewer may be those of one person, who tries the form. */
const enoughMessages = 5

/** Whether it looks as if a proxy stood before Formbox that no setting names. */
export const isOneForAll = (config: Pick<Checked, 'trustedProxies' | 'isDemo'>, senders: SendersSinceStart): boolean =>
  config.trustedProxies.isEmpty &&
  !config.isDemo &&
  senders.count >= enoughMessages &&
  senders.only !== null &&
  isPrivate(senders.only)

/** Whether visitors elsewhere cannot reach the server by the address that it knows. */
export const isOnlyHere = ({ publicUrl }: Pick<Checked, 'publicUrl'>): boolean =>
  publicUrl === null || isLoopback(new URL(publicUrl).hostname)

/** @param isHidden whether the request that asks came through a proxy that no setting names */
export const findToSet = (config: Checked, senders: SendersSinceStart, isHidden = false): ToSet => {
  const address = isOnlyHere(config) && !config.isDemo
  return {
    address,
    mail: config.mail === null,
    proxy: isHidden || isOneForAll(config, senders) || (address && config.trustedProxies.isEmpty),
    backups: config.backupEveryMilliseconds === null && !config.isDemo,
  }
}

export const countToSet = (toSet: ToSet): number => Object.values(toSet).filter(Boolean).length
