// The writer's thread of the service, but a form called `die` ends it before the commit.

import { writesOf } from '../../src/all-writes.ts'
import { runWriter } from '../../src/db/writer/worker.ts'
import { formWrites } from '../../src/forms/form-writes.ts'

runWriter((db) => {
  const { createForms } = formWrites(db)
  const mortal = {
    createForms(input: Parameters<typeof createForms>[0]) {
      createForms(input)
      if (input.forms[0]?.title === 'die') process.exit(3)
    },
  }
  // Of two commands with the same name, the first counts.
  return [() => ({ ...formWrites(db), ...mortal }), ...writesOf(db)]
})
