// The writer's thread of the service, but a form called `die` ends it before the commit.

import type { Writes } from '../../src/all-writes.ts'
import { joinWrites } from '../../src/all-writes.ts'
import { runWriter } from '../../src/db/writer/worker.ts'

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
