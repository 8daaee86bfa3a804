// The next version of Formbox: these sources with one more migration. It runs without being compiled.
import { cpSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../harness.ts'

const root = join(import.meta.dir, '../..')

/** Returns the command line that runs it. */
export const newerProgram = (sql = 'ALTER TABLE `forms` ADD `next` integer;\n'): string[] => {
  const folder = temporaryFolder()
  for (const name of ['src', 'drizzle', 'package.json', 'tsconfig.json'])
    cpSync(join(root, name), join(folder, name), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const last =
    readdirSync(join(folder, 'drizzle'))
      .filter((name) => name.endsWith('.sql'))
      .sort()
      .at(-1) ?? ''
  const number = String(Number(last.slice(0, 4)) + 1).padStart(4, '0')
  writeFileSync(join(folder, 'drizzle', `${number}_next.sql`), sql)
  return [process.execPath, join(folder, 'src/main.ts')]
}
