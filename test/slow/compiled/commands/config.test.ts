import { describe, expect, test } from 'bun:test'
import { toRow } from '../../../../src/commands/config.ts'
import { readVariables } from '../../../../src/config/read-variables.ts'
import { variables } from '../../../../src/config/variables.ts'
import { filesIn, formbox } from '../../../commands/formbox.ts'
import { temporaryFolder } from '../../../harness.ts'

const environment = { FORMBOX_URL: 'https://forms.example.com', FORMBOX_PORT: '9000', FORMBOX_HOST: '' }

describe('formbox config', () => {
  test('prints every setting in force and where it comes from, and touches no data', async () => {
    const folder = temporaryFolder()
    const { exitCode, stdout, stderr } = await formbox(['config', '--port', '9001'], { folder, environment })
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    const rows = stdout.trimEnd().split('\n')
    const cells = rows.map((row) => row.split(/ {2,}/))
    expect(cells[0]).toEqual(['SETTING', 'VALUE', 'FROM'])
    expect(cells.slice(1).map(([name]) => name)).toEqual(variables.map(({ name }) => name))
    expect(cells).toContainEqual(['FORMBOX_HOST', '127.0.0.1', 'default'])
    expect(cells).toContainEqual(['FORMBOX_PORT', '9001', 'flag'])
    expect(cells).toContainEqual(['FORMBOX_URL', 'https://forms.example.com', 'environment'])
    expect(cells).toContainEqual(['FORMBOX_TRUST_PROXY', '(not set)', 'default'])
    expect(filesIn(folder)).toEqual([])
  })

  test('prints the same as JSON', async () => {
    const { exitCode, stdout } = await formbox(['config', '--json'], { environment })
    expect(exitCode).toBe(0)
    const rows = JSON.parse(stdout)
    expect(rows.map(({ name }: { name: string }) => name)).toEqual(variables.map(({ name }) => name))
    expect(rows).toContainEqual({ name: 'FORMBOX_PORT', value: '9000', isSet: true, source: 'environment' })
    expect(rows).toContainEqual({ name: 'FORMBOX_TRUST_PROXY', value: null, isSet: false, source: 'default' })
  })

  test('refuses what the server would refuse, in the same words', async () => {
    const bad = { FORMBOX_PORT: 'http' }
    const refused = await formbox(['config'], { environment: bad })
    expect(refused.exitCode).toBe(2)
    expect(refused).toEqual(await formbox(['serve'], { environment: bad }))
  })

  test('shows only whether a secret is set', () => {
    const secret = { name: 'FORMBOX_TOKEN', default: '', help: '', secret: true } as const
    const row = (value: string) => toRow(secret, readVariables([secret], { FORMBOX_TOKEN: value }).FORMBOX_TOKEN)
    expect(row('hunter2')).toEqual({ name: 'FORMBOX_TOKEN', value: null, isSet: true, source: 'environment' })
    expect(row('')).toEqual({ name: 'FORMBOX_TOKEN', value: null, isSet: false, source: 'default' })
  })
})
