// Calls of a log of a real engine, as tests make them.
import { expect } from 'bun:test'
import { type ClusterLog, type LogLimits, type LogRow, LogUnavailable } from '../../src/storage/cluster/log.ts'
import { openLog } from '../../src/storage/cluster/open-log.ts'
import { afterThisTest } from '../harness.ts'

/** It is closed after the test. */
export const open = (urls: string | readonly string[], limits: Partial<LogLimits> = {}): ClusterLog => {
  const log = openLog([urls].flat(), limits)
  afterThisTest(() => log.close())
  return log
}

export const row = (id: string, batch = `["${id}"]`): Omit<LogRow, 'seq'> => ({ id, version: 7, batch })

export const failure = (promise: Promise<unknown>): Promise<Error> =>
  promise.then(
    () => new Error('it did not fail'),
    (error) => error,
  )

/** Makes a call as a machine does: again until it is answered. A slow machine may take longer than a test allows a call. */
export const surely = async <T>(call: () => Promise<T>): Promise<T> => {
  while (true)
    try {
      return await call()
    } catch (error) {
      expect(error).toBeInstanceOf(LogUnavailable)
    }
}

export const appendSurely = async (log: ClusterLog, id: string): Promise<number> =>
  (await surely(() => log.append(row(id)))).seq

export const idsOf = async (log: ClusterLog) => (await surely(() => log.readFrom(0))).rows.map(({ id }) => id)
