// Decision 22: how a submission is read from each content type, and what is refused. What is stored is compared as
// text: parsing the answer would round numbers and lose a second member of one name.
import { expect } from 'bun:test'
import { toAnswer } from '../harness.ts'
import { rowsOf } from '../storage/sound.ts'
import { world } from '../world.ts'
import { badRequest } from './error-body.ts'

type Body = RequestInit['body']

/** Sends one submission to a new form. Without a type, what `fetch` makes of the body is sent. */
const submit = async (body: Body, type?: string) => {
  const { server, ada, formId } = await world()
  const init = { method: 'POST', body: body ?? null, headers: type ? { 'content-type': type } : {} }
  return { server, ada, formId, answer: await toAnswer(await server.fetch(`/s/${formId}`, init)) }
}

/** The JSON text of what is stored of such a submission. */
const storedText = async (body: Body, type?: string): Promise<string> => {
  const { server, ada, formId, answer } = await submit(body, type)
  expect(answer.status).toBe(200)
  const headers = { authorization: `Bearer ${ada.key}` }
  const text = await (await server.fetch(`/api/v1/forms/${formId}/submissions`, { headers })).text()
  expect(JSON.parse(text).pagination.total).toBe(1)
  return text.slice(text.indexOf('"data":') + '"data":'.length, text.lastIndexOf(',"createdAt":'))
}

/** @param stored with `ID` for the identifier of each file */
export const expectStored = async (body: Body, type: string, stored: string): Promise<void> => {
  expect((await storedText(body, type)).replaceAll(/"file":"[0-9a-z]{28}"/g, '"file":"ID"')).toBe(stored)
}

/** The content of the stored file with this identifier. */
export const bytesOfFile = (folder: string, id: string): Buffer =>
  Buffer.concat(
    rowsOf<{ bytes: Uint8Array }>(
      folder,
      `SELECT bytes FROM files JOIN file_pieces ON file_pieces.number >= files.number * 4096
         AND file_pieces.number < files.number * 4096 + 4096
       WHERE id = ? AND submission IS NOT NULL ORDER BY file_pieces.number`,
      id,
    ).map(({ bytes }) => bytes),
  )

/** Expects 400 with this one issue, and that nothing is left of the submission. */
export const expectRefused = async (body: Body, type: string | undefined, issue: string): Promise<void> => {
  const { ada, formId, answer } = await submit(body, type)
  expect([answer.status, answer.body]).toEqual([400, badRequest(issue)])
  expect((await ada.call('GET', `/forms/${formId}`)).body).toMatchObject({ keys: [], submissionCount: 0 })
}

/** Each character stands for the byte of its value. */
export const bytes = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(text, (character) => character.charCodeAt(0))
