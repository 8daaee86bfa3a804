import { expect, test } from 'bun:test'
import { formbox } from '../../../commands/formbox.ts'
import { startServer } from '../../../harness.ts'
import { addForm } from '../../../world.ts'

test('formbox answers adds up what people answered, beside a running server', async () => {
  const server = await startServer()
  const ada = await server.signUp('ada@example.com')
  const fields = [
    { name: 'slot', type: 'choice', label: 'When\u202e?', options: ['Morning', 'Night'] },
    { name: 'price', type: 'number' },
    { name: 'note', type: 'text' },
  ]
  const { formId, submit } = await addForm(server, ada, { form: { fields } })
  await submit({ slot: 'Morning', price: '1,5' })
  await submit({ slot: 'Night', price: '4', note: 'Hello' })
  const answers = (...flags: string[]) => formbox(['answers', formId, '--data', server.folder, ...flags])

  const table = await answers()
  expect({ exitCode: table.exitCode, stderr: table.stderr }).toEqual({ exitCode: 0, stderr: '' })
  const rows = table.stdout.split('\n').map((line) => line.split(/ {2,}/))
  expect(rows[0]).toEqual(['FIELD', 'ANSWER', 'COUNT'])
  expect(rows).toContainEqual(['-', 'submissions', '2'])
  expect(rows.filter(([, answer]) => answer === 'Morning')).toEqual([
    [expect.stringMatching(/^When\P{C}*\?$/u), 'Morning', '1'],
  ])
  expect(rows).toContainEqual(['price', 'median', '2.75'])
  expect(rows).toContainEqual(['note', 'answered', '1'])

  const json = JSON.parse((await answers('--json', '--search', 'hello', '--start-date', '2020-01-01')).stdout)
  const { body } = await ada.call('GET', `/forms/${formId}/answers?q=hello`)
  expect(json).toEqual({ total: 1, fields: body.fields })
  expect(await answers('--start-date', 'x')).toMatchObject({ exitCode: 2, stdout: '' })
})
