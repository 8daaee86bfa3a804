import { join } from 'node:path'

const folderOfTools = join(import.meta.dir, '../../node_modules/.bin')

/** Runs a program, such as an installed tool, with Bun: a machine need not have Node. */
export const runTool = async (
  folder: string,
  program: string,
  words: readonly string[] = [],
  ofBun: readonly string[] = [],
) => {
  const file = program.endsWith('.ts') ? program : join(folderOfTools, program)
  const child = Bun.spawn([process.execPath, '--bun', ...ofBun, file, ...words], {
    cwd: folder,
    // Redocly would report that it was used, and ask for a newer version of itself.
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [stdout, stderr, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { stdout, stderr, exitCode }
}
