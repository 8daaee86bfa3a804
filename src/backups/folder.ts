import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** Where the server keeps its own backups. */
export const backupFolder = (dataFolder: string): string => join(dataFolder, 'backups')

/** Everything that is in the folder; nothing if there is no folder. */
export const namesIn = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : [])
