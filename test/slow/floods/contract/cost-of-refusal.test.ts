// A refusal takes little time and memory.
import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { serve } from '../../../commands/formbox.ts'
import { expectBelow, millisecondsOf } from '../../../expect-below.ts'
import { writeKey } from '../../../harness.ts'
import { openData } from '../../../storage/data.ts'

const mebibyte = 1024 * 1024
/** Mebibytes by which the memory of the service may grow; a body that is valid JSON of 1 MiB takes 100. */
const maxGrowth = 150
const maxMilliseconds = 2000

/** The service in a process of its own, on a form that is there already. */
const spawnService = async () => {
  const { folder, userId, formId } = openData()
  const { key } = writeKey(folder, userId)
  const { url, pid } = await serve(['--data', folder])
  const post = (path: string, body: string, type: string) =>
    fetch(url + path, {
      method: 'POST',
      body,
      headers: { 'content-type': type, authorization: `Bearer ${key}` },
    })
  /** The most memory that was ever resident, in MiB. */
  const peak = () => Number(/VmHWM:\s*(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
  return { formId, post, peak }
}

describe.skipIf(process.platform !== 'linux')('the memory and time that it takes to refuse', () => {
  const urlencoded = 'application/x-www-form-urlencoded'
  const json = 'application/json'
  const multipart = 'multipart/form-data; boundary=edge'
  const part = (name: string, value: string) =>
    `--edge\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
  const repeat = (text: (i: number) => string, count: number) =>
    Array.from({ length: count }, (_, i) => text(i)).join('')

  test.each([
    ['a field of an enormous index', 200, urlencoded, 'x[30000000]=1'],
    ['the same in multipart/form-data', 200, multipart, `${part('x[30000000]', '1')}--edge--\r\n`],
    ['a million percent signs', 200, urlencoded, '%'.repeat(1_000_000)],
    ['10,000 nested arrays', 400, json, `{"a":${'['.repeat(10_000)}${']'.repeat(10_000)}}`],
    ['a million brackets', 400, json, '['.repeat(1_000_000)],
    ['170,000 members', 400, json, `{${repeat(() => '"":0,', 170_000)}"":0}`],
    ['300,000 objects', 200, json, `{"a":[${repeat(() => '{},', 300_000)}{}]}`],
    ['a number of a million digits', 400, json, `{"a":${'9'.repeat(1_000_000)}}`],
    ['text that never ends', 400, json, `{"a":"${'\\'.repeat(1_000_000)}`],
    ['18,000 parts', 400, multipart, `${repeat((i) => part(String(i), ''), 18_000)}--edge--\r\n`],
    [
      '14,000 parts of replacement characters',
      400,
      multipart,
      `${repeat((i) => part(`�${i}`, `�${i}`), 7000)}--edge--\r\n`,
    ],
    ['a million boundaries', 400, multipart, '--edge\r\n'.repeat(125_000)],
  ])('of a submission with %s is small', async (_what, status, type, body) => {
    const { formId, post, peak } = await spawnService()
    await post(`/s/${formId}`, 'a=1', urlencoded)
    const before = peak()

    expect(body.length).toBeLessThanOrEqual(mebibyte)
    const refuse = async () => expect((await post(`/s/${formId}`, body, type)).status).toBe(status)
    for (let i = 0; i < 4; i++) await refuse()
    await expectBelow(maxMilliseconds, () => millisecondsOf(refuse))

    expect(peak() - before).toBeLessThan(maxGrowth)
    expect((await post(`/s/${formId}`, 'a=1', urlencoded)).status).toBe(200)
  })

  test('of a submission with 500,000 fields is small', async () => {
    const { formId, post, peak } = await spawnService()
    await post(`/s/${formId}`, 'a=1', urlencoded)
    const before = peak()

    const refuse = async () => expect((await post(`/s/${formId}`, '&a'.repeat(500_000), urlencoded)).status).toBe(400)
    for (let i = 0; i < 4; i++) await refuse()
    await expectBelow(maxMilliseconds, () => millisecondsOf(refuse))

    expect(peak() - before).toBeLessThan(maxGrowth)
  })

  test('of a bulk body with 5,500,000 items is small', async () => {
    const { post, peak } = await spawnService()
    await post('/api/v1/forms', '{"title":"x"}', json)
    const before = peak()

    const body = `{"forms":[${'{},'.repeat(5_500_000)}{}]}`
    const refuse = async () => expect((await post('/api/v1/forms/bulk', body, json)).status).toBe(400)
    await expectBelow(maxMilliseconds, () => millisecondsOf(refuse))

    expect(peak() - before).toBeLessThan(maxGrowth)
  })
})
