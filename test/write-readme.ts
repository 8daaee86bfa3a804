// What `make readme` runs.
import { readmePath, withGeneratedParts } from './readme-parts.ts'

await Bun.write(readmePath, withGeneratedParts(await Bun.file(readmePath).text()))
