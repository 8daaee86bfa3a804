import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { prepareDataFolder } from '../../../../src/storage/data-folder.ts'
import { formbox } from '../../../commands/formbox.ts'
import { startServer, temporaryFolder } from '../../../harness.ts'

describe('formbox form list', () => {
  test('prints the forms of all users, or of one, with what other commands need of them', async () => {
    const server = await startServer()
    const [ada, bob] = [await server.signUp('ada@example.com'), await server.signUp('bob@example.com')]
    const contact = await ada.createForm({ title: 'Contact' })
    // Two escape sequences that would clear the terminal, a line break, and a character that turns the rest around.
    const title = 'Order\u001b[2J\n\u009b2J\u202edrawkcab'
    const order = await bob.createForm({ title })
    await ada.call('DELETE', `/forms/${await ada.createForm({ title: 'Gone' })}`)
    for (const text of ['a', 'b'])
      await server.fetch(`/s/${contact}`, { method: 'POST', body: new URLSearchParams({ text }) })
    await ada.call('PATCH', `/forms/${contact}/settings`, { address: 'contact', group: 'Bakery' })
    const list = (...flags: string[]) => formbox(['form', 'list', '--data', server.folder, ...flags])

    const table = await list()
    expect({ exitCode: table.exitCode, stderr: table.stderr }).toEqual({ exitCode: 0, stderr: '' })
    const lines = table.stdout.split('\n')
    expect(lines[0]).toMatch(/^ID +ADDRESS +OWNER +SUBMISSIONS +CREATED +TITLE$/)
    expect(lines[1]).toMatch(new RegExp(`^${contact}  contact  ada@example\\.com  2 {12}20\\S+Z  Contact$`))
    expect(lines[2]).toMatch(new RegExp(`^${order}  - {8}bob@example\\.com  0 {12}20\\S+Z  Order\\P{C}*drawkcab$`, 'u'))
    expect(lines.slice(3)).toEqual([''])

    const json = await list('--json', '--user', 'bob@example.com')
    expect(json.stdout.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u)
    expect(JSON.parse(json.stdout)).toEqual([
      {
        id: order,
        title,
        address: null,
        group: null,
        owner: 'bob@example.com',
        submissions: 0,
        createdAt: expect.stringMatching(/^20\S+Z$/),
      },
    ])
    const grouped = await list('--json', '--group', 'Bakery')
    expect(JSON.parse(grouped.stdout)).toMatchObject([{ id: contact, address: 'contact', group: 'Bakery' }])
    expect(JSON.parse((await list('--json', '--group', 'Other')).stdout)).toEqual([])
    // The others take the address in the place of the identifier.
    const described = await formbox(['describe', 'contact', '--data', server.folder])
    expect(described.stdout).toContain('address = "contact"')
    const unknown = await list('--user', 'eve@example.com')
    expect(unknown).toMatchObject({ exitCode: 1, stdout: '' })
    expect(unknown.stderr).toBe('formbox: there is no user eve@example.com; see formbox user list\n')
  })

  test('prints the headings alone, or an empty array, when there is none', async () => {
    const folder = temporaryFolder()
    prepareDataFolder(join(folder, 'formbox-data'))
    const headings = 'ID  ADDRESS  OWNER  SUBMISSIONS  CREATED  TITLE\n'
    expect(await formbox(['form', 'list'], { folder })).toEqual({ exitCode: 0, stdout: headings, stderr: '' })
    expect(await formbox(['form', 'list', '--json'], { folder })).toEqual({ exitCode: 0, stdout: '[]\n', stderr: '' })
  })
})
