import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { prepareDataFolder } from '../src/storage/data-folder.ts'
import { dataFile } from '../src/storage/open.ts'
import { temporaryFolder } from './clean-ups.ts'

let empty: Buffer | undefined

/** Prepares the folder. Migrations take longer than many tests, so they run once, and their file is copied. */
export const prepareData = (folder: string): void => {
  if (existsSync(dataFile(folder))) prepareDataFolder(folder)
  else {
    empty ??= emptyFile()
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    writeFileSync(dataFile(folder), empty, { mode: 0o600 })
  }
}

const emptyFile = (): Buffer => {
  const folder = temporaryFolder()
  prepareDataFolder(folder)
  return readFileSync(dataFile(folder))
}

/** A temporary folder with an empty data file. */
export const folderWithData = (): string => {
  const folder = temporaryFolder()
  prepareData(folder)
  return folder
}
