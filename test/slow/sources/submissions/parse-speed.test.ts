import { test } from 'bun:test'
import { IncomingFiles } from '../../../../src/collect/incoming-files.ts'
import { MultipartFields, parseFields } from '../../../../src/collect/parse.ts'
import { Exchange } from '../../../../src/http/exchange.ts'
import { expectBelow, expectQuick, processorMillisecondsOf } from '../../../expect-below.ts'
import { takesAll } from '../../../submissions/takes-all.ts'

const urlencoded = 'application/x-www-form-urlencoded'
const multipart = 'multipart/form-data; boundary=edge'
const head = (disposition: string): string => `--edge\r\nContent-Disposition: form-data; ${disposition}\r\n`
const end = '--edge--\r\n'

const requestOf = (contentType: string): Request =>
  new Request('http://localhost/', { method: 'POST', headers: { 'content-type': contentType } })

const size = 1_000_000
test.each([
  ['plus signs', urlencoded, `a=${'+'.repeat(size)}`],
  ['percent signs', urlencoded, `a=${'%'.repeat(size)}`],
  ['both', urlencoded, `a=${'+%4'.repeat(size / 3)}`],
  ['headers of a part', multipart, `${head('name="a"')}${'a:\r\n'.repeat(size / 4)}\r\n1\r\n${end}`],
  ['parameters of a part', multipart, `${head(`name="a"${'; b=c'.repeat(size / 5)}`)}\r\n1\r\n${end}`],
])('takes a moment for a megabyte of %s', async (_what, contentType, body) => {
  const request = requestOf(contentType)
  // It is 2 to 14, by how much of it the engine has compiled by then.
  await expectQuick(80, async () => {
    const bytes = Buffer.from(body)
    if (contentType === urlencoded) return parseFields(new Exchange(request, null, {}), bytes)
    return new MultipartFields(request, new IncomingFiles(takesAll)).take(bytes).catch(() => {})
  })
})

test('takes little longer for a megabyte of escaped or folded names than for one of plain text', async () => {
  const timeOf = (rest: string): Promise<number> =>
    processorMillisecondsOf(async () => {
      const bytes = Buffer.from(`${head(rest)}\r\n1\r\n${end}`)
      for (let i = 0; i < 4; i++)
        await new MultipartFields(requestOf(multipart), new IncomingFiles(takesAll)).take(bytes).catch(() => {})
    })
  const plain = `name="${'ab'.repeat(size / 2)}"`
  for (const slow of [plain.replaceAll('ab', '\\"'), plain.replaceAll('ab', '"\t'), plain.replaceAll('abab', '\r\n a')])
    await expectBelow(25, async () => (await timeOf(slow)) / Math.max(1, await timeOf(plain)))
})
