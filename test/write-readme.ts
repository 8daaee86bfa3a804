// `make readme` runs this.
import { configurationPath, withGeneratedParts } from './readme-parts.ts'

await Bun.write(configurationPath, withGeneratedParts(await Bun.file(configurationPath).text()))
