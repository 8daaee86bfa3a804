import { idAt } from '../../src/base/id.ts'
import { writeTo } from '../harness.ts'

/** Gives a form so many submissions that a search of them is under way for about a second. */
export const makeSearchSlow = (folder: string, formId: string): void => {
  const data = JSON.stringify({ a: 'é'.repeat(1500) })
  writeTo(folder, ({ $client }) =>
    $client
      .transaction(() => {
        const insert = $client.prepare(
          'INSERT INTO submissions (form, list, id, data) SELECT number, 0, ?, ? FROM forms WHERE id = ?',
        )
        for (let i = 0; i < 20_000; i++) insert.run(idAt(1_700_000_000_000 + i, 0), data, formId)
        $client.run('UPDATE forms SET submission_count = 20000 WHERE id = ?', [formId])
      })
      .immediate(),
  )
}
