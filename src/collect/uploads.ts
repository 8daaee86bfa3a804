import { hourMilliseconds, minuteMilliseconds } from '../base/durations.ts'
import { tooManyRequests, unavailable } from '../base/errors.ts'
import type { Config } from '../config/config.ts'
import { type FormField, fileTypesOf, maxFilesOfField, sendsFiles } from '../forms/fields/form-field.ts'
import type { Form } from '../forms/form.ts'
import { parseSettings } from '../forms/settings/settings.ts'
import type { Reporter } from '../http/error-response.ts'
import type { Exchange } from '../http/exchange.ts'
import { createRateLimiter, secondsUntil } from '../http/rate-limit.ts'
import { because } from '../languages/texts.ts'
import { freeBytes } from '../storage/free-disk.ts'
import { checkFile, maxFileBytesOf, maxFilesOf, refusedKind } from '../submissions/files/file-rules.ts'
import { type FileTaker, IncomingFiles } from './incoming-files.ts'

/** Bytes of files from one client address in ten minutes. */
const maxBytesOfAddress = 100 * 1024 * 1024
const windowMilliseconds = 10 * minuteMilliseconds

const retryAfterSeconds = 600

interface Options {
  readonly config: Pick<Config, 'dataFolder' | 'fileLimitBytes' | 'minFreeBytes'>
  readonly files: FileTaker
  readonly addressOf: (exchange: Exchange) => string
  readonly report: Reporter
  readonly now: () => number
}

/**
 * Returns a function that opens the files of a submission. It counts their bytes by address, and keeps disk free for
 * everything else. A form that is closed or takes none refuses the first one.
 */
export const openUploads = ({ config, files, addressOf, report, now }: Options) => {
  const { dataFolder, fileLimitBytes, minFreeBytes } = config
  const ofAddresses = createRateLimiter(maxBytesOfAddress, now, windowMilliseconds)
  let reportedAt = Number.NEGATIVE_INFINITY

  /** The log says it once, and once an hour while it stays so. */
  const reportFullDisk = ({ requestId }: Exchange): void => {
    if (now() < reportedAt + hourMilliseconds) return
    reportedAt = now()
    const megabytes = Math.ceil(minFreeBytes / 1e6)
    report(
      `submissions with files are refused: less than ${megabytes} MB of disk are free (FORMBOX_MIN_FREE)`,
      requestId,
    )
  }

  /** @throws AppError `rate_limited`; `unavailable` if less is free than the operator wants */
  const admit = (exchange: Exchange, bytes: number): void => {
    const { allowed, resetsAt } = ofAddresses.take(addressOf(exchange), undefined, bytes)
    if (!allowed) throw tooManyRequests(secondsUntil(resetsAt, now()), tooMany, because('tooManyBytes'))
    if (minFreeBytes === 0 || freeBytes(dataFolder) >= minFreeBytes) return
    reportFullDisk(exchange)
    throw unavailable(retryAfterSeconds, 'files are not taken at the moment', because('noDisk'))
  }

  return (exchange: Exchange, { settings }: Pick<Form, 'settings'>, isClosed: boolean): IncomingFiles => {
    const rules = parseSettings(settings)
    const fieldOf = (name: string): FormField | undefined =>
      rules.fields.find((field) => sendsFiles(field.type) && field.name === name)
    return new IncomingFiles({
      store: files,
      maxFiles: maxFilesOf(rules),
      maxFileBytes: maxFileBytesOf(rules, fileLimitBytes),
      honeypot: rules.honeypot,
      check(file) {
        const field = fieldOf(file.field)
        if (field) return refusedKind(rules.fileTypes, fileTypesOf(field), file)
        checkFile(rules, file)
        return undefined
      },
      maxFilesOf(name) {
        const field = fieldOf(name)
        return field && maxFilesOfField(field)
      },
      admit: (bytes) => admit(exchange, bytes),
      takesFiles: rules.acceptFiles && !isClosed,
      now,
    })
  }
}

const tooMany = 'Files from one address may have 100 MiB in ten minutes'
