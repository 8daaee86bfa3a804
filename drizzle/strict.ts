// Run by `make migration` after drizzle-kit, which cannot say STRICT or WITHOUT ROWID: adds them to every table that a
// migration makes. A table with a composite key is clustered by it.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'

for (const name of readdirSync(import.meta.dir).filter((file) => file.endsWith('.sql'))) {
  const path = `${import.meta.dir}/${name}`
  const before = readFileSync(path, 'utf8')
  const after = before.replace(/^CREATE TABLE [^;]*?\n\);/gm, (statement) => {
    const isClustered = statement.includes('PRIMARY KEY(')
    return statement.replace(/\);$/, isClustered ? ') STRICT, WITHOUT ROWID;' : ') STRICT;')
  })
  if (after !== before) writeFileSync(path, after)
}
