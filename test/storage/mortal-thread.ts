// The writer's thread of the service, but a form called `die` ends it before the commit.

import { runWriter } from '../../src/storage/writer/worker.ts'
import type { Writes } from '../../src/upkeep/all-writes.ts'
import { joinWrites } from '../../src/upkeep/all-writes.ts'

runWriter((db) => {
  const writes = joinWrites(db)
  return {
    ...writes,
    createForms(input: Parameters<Writes['createForms']>[0]) {
      writes.createForms(input)
      if (input.forms[0]?.title === 'die') process.exit(3)
    },
  }
})
