// Parts of README.md and of the guides in docs/, for tests that run what is written there.

/** A section of a guide, without `## `. */
export const sectionOf = (page: string | undefined, heading: string): string => {
  const section = page?.split(/^## /m).find((text) => text.startsWith(`${heading}\n`))
  if (section === undefined) throw new Error(`there is no section ${heading}`)
  return section
}

/** The blocks of code of a section in one language, as they are. */
export const blocksOf = (page: string | undefined, heading: string, language: string): string[] =>
  [...sectionOf(page, heading).matchAll(/^```(\w+)\n([\s\S]*?)\n```$/gm)].flatMap(([, name, text]) =>
    name === language ? [text as string] : [],
  )

/** The cells of the section's tables, without headings. */
export const rowsOf = (page: string | undefined, heading: string): string[][] =>
  [...sectionOf(page, heading).matchAll(/^\| ---.*\n((?:\|.*\n)+)/gm)].flatMap(([, rows]) =>
    (rows as string)
      .trim()
      .split('\n')
      .map((row) =>
        row
          .slice(1, -1)
          .split('|')
          .map((cell) => cell.trim()),
      ),
  )

/** The code in a cell. */
export const unquoted = (cell = ''): string => cell.replace(/^`(.*)`$/, '$1')
