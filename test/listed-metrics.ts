import { join } from 'node:path'

/** The names of the metrics that docs/operating.md lists, in its order. */
export const listedMetrics = async (): Promise<string[]> => {
  const page = await Bun.file(join(import.meta.dir, '../docs/operating.md')).text()
  return [...page.matchAll(/^((?:formbox|process)_[a-z_]+)$/gm)].map(([, name]) => name as string)
}
