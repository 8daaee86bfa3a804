// What has to end after a test. Nothing here needs the test runner: the benchmark starts engines, too.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

type CleanUp = () => Promise<unknown> | unknown

const cleanups: CleanUp[] = []
const cleanupsOfFile: CleanUp[] = []

const cleanUp = async (list: CleanUp[]): Promise<void> => {
  for (const clean of list.splice(0).reverse()) await clean()
}

/** Ends what was started since the last call. */
export const cleanUpTest = (): Promise<void> => cleanUp(cleanups)

/** Ends what `forThisFile` started. */
export const cleanUpFile = (): Promise<void> => cleanUp(cleanupsOfFile)

/** Runs after the test, even if it fails. */
export const afterThisTest = (clean: CleanUp): void => {
  cleanups.push(clean)
}

/** Starts something that ends after the file, not after the test. */
export const forThisFile = <T>(start: () => Promise<T>): Promise<T> => startFor(cleanupsOfFile, start)

/** Starts something that ends with the process, without being cleaned up. */
export const forThisProcess = <T>(start: () => Promise<T>): Promise<T> => startFor([], start)

const startFor = async <T>(list: CleanUp[], start: () => Promise<T>): Promise<T> => {
  const ofTest = cleanups.splice(0)
  try {
    return await start()
  } finally {
    list.push(...cleanups.splice(0))
    cleanups.push(...ofTest)
  }
}

export const temporaryFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'formbox-test-'))
  afterThisTest(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
