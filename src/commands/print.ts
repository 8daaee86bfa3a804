import type { Flag } from './command.ts'

export const jsonFlag: Flag = { name: 'json', help: 'print JSON instead of a table' }

/** Prints the rows as a table. Returns the exit code for success. */
export const printTable = (headings: readonly string[], rows: readonly (readonly string[])[]): number => {
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => row[column]?.length ?? 0)),
  )
  for (const row of [headings, ...rows])
    process.stdout.write(
      `${row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd()}\n`,
    )
  return 0
}

/** Prints the rows as a JSON array. Returns the exit code for success. */
export const printJson = (rows: readonly object[]): number => {
  process.stdout.write(`${JSON.stringify(rows, null, 2)}\n`)
  return 0
}
