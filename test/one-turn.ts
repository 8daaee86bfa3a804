import type { Form } from '../src/forms/form.ts'
import type { Reader } from '../src/storage/reader.ts'

/**
 * A form whose number, with which everything of it is read, can be had only in the turn of the event loop in which it was
 * found. After a wait it may be deleted, or no longer be for the one who asked: then it has to be found again.
 */
export const inOneTurn = (form: Form, reader: Reader): Form => {
  const turn = reader.turns()
  return Object.defineProperty({ ...form }, 'number', {
    enumerable: true,
    get(): number {
      // Begins a turn if that of the form has ended, as the read would for which the number is asked.
      reader.version()
      if (reader.turns() !== turn) throw new Error(`A form was kept over a wait, and has to be found again: ${form.id}`)
      return form.number
    },
  })
}
