import type { User } from '../harness.ts'
import { until } from '../until.ts'
import { world } from '../world.ts'

export const csv = 'Name;Other;Other;Submitted at\nAda;a;b;3/4/2026 14:05\n;;;\nBob;c;;25/12/2025 9:00\n'

/** A form of Ada, and what she does with its imports. */
export const startImports = async () => {
  const { server, ada, path, submissions, submit, formId } = await world()
  const imports = `${path}/imports`
  const send = async (user: User, body: BodyInit, query = '', type = 'text/csv') => {
    const headers = { authorization: `Bearer ${user.key}`, 'content-type': type }
    const response = await server.fetch(`/api/v1${imports}${query}`, { method: 'POST', headers, body })
    return { status: response.status, body: (await response.json()) as Record<string, never> }
  }
  const stateOf = async (id: string) => (await ada.call('GET', `${imports}/${id}`)).body
  const ended = async (id: string, state: string) => {
    await until(async () => {
      const found = await stateOf(id)
      return found.state === state && found.progress === 1
    }, `the import is ${state}`)
    return await stateOf(id)
  }
  return { server, ada, imports, submissions, submit, formId, path, send, stateOf, ended }
}
