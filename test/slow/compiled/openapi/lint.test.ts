import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { sharedServer, temporaryFolder } from '../../../harness.ts'
import { runTool } from '../../../openapi/run-tool.ts'

const redocly = (folder: string) =>
  runTool(folder, 'redocly', ['lint', 'openapi.json', '--extends', 'recommended', '--format', 'json'])

const spectral = (folder: string) =>
  runTool(folder, 'spectral', ['lint', 'openapi.json', '--ruleset', 'rules.json', '--fail-severity', 'hint'])

describe.each([
  ['without a public address', {}],
  ['with a public address', { FORMBOX_URL: 'https://forms.example.net' }],
])('the OpenAPI document of a server %s', (_, settings) => {
  test('has no error and no warning under the rules that redocly recommends', async () => {
    const { stdout, exitCode } = await redocly(await saveDocument(settings))
    const { problems, totals } = JSON.parse(stdout)
    expect(problems.map(({ ruleId, message }: Record<string, string>) => `${ruleId}: ${message}`)).toEqual([])
    expect(totals).toEqual({ errors: 0, warnings: 0, ignored: 0 })
    expect(exitCode).toBe(0)
  }, 180_000)

  test('has nothing that spectral complains of under its rules for OpenAPI', async () => {
    const { stdout, stderr, exitCode } = await spectral(await saveDocument(settings))
    expect(stdout + stderr).toStartWith("No results with a severity of 'hint' or higher found!")
    expect(exitCode).toBe(0)
  }, 180_000)
})

test('the linters find the fault of a document that has one', async () => {
  const folder = await saveDocument({})
  const file = join(folder, 'openapi.json')
  const document = await Bun.file(file).json()
  delete document.paths['/forms'].get.operationId
  await Bun.write(file, JSON.stringify(document))

  const byRedocly = await redocly(folder)
  const bySpectral = await spectral(folder)

  expect(JSON.parse(byRedocly.stdout).totals).toEqual({ errors: 0, warnings: 1, ignored: 0 })
  expect(bySpectral.exitCode).toBe(1)
  expect(bySpectral.stdout).toContain('operation-operationId')
}, 180_000)

/** A folder with the document and the rules for spectral. */
const saveDocument = async (settings: Record<string, string>): Promise<string> => {
  const server = await sharedServer(settings)
  const folder = temporaryFolder()
  await Bun.write(join(folder, 'openapi.json'), await server.fetch('/api/v1/openapi.json'))
  await Bun.write(join(folder, 'rules.json'), JSON.stringify({ extends: ['spectral:oas'] }))
  return folder
}
