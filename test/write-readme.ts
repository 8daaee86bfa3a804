// `make readme` runs this.
import { generatedPages } from './readme-parts.ts'

for (const { path, withGeneratedParts } of generatedPages)
  await Bun.write(path, withGeneratedParts(await Bun.file(path).text()))
