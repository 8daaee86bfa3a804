// The writer's thread of the service, but a form called `die` ends it before the commit.
import type { Writes } from '../../src/app.ts'
import { runWriter } from '../../src/db/run-writer.ts'
import { serviceWrites } from './service-writes.ts'

runWriter((db) => {
  const writes = serviceWrites(db)
  return {
    ...writes,
    createForms(input: Parameters<Writes['createForms']>[0]) {
      writes.createForms(input)
      if (input.forms[0]?.title === 'die') process.exit(3)
    },
  }
})
