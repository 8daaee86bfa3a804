import { describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Bucket, openBucket } from '../../../../src/remote/s3/bucket.ts'
import { getFile } from '../../../../src/remote/s3/get-file.ts'
import { listObjects, listUploads, statObject } from '../../../../src/remote/s3/objects.ts'
import { openLocalFile, putFile } from '../../../../src/remote/s3/put-file.ts'
import { S3Error } from '../../../../src/remote/s3/request.ts'
import { signedHeaders } from '../../../../src/remote/s3/signature.ts'
import { type Asked, type Fault, keys, startS3 } from '../../../backup/s3-server.ts'
import { temporaryFolder } from '../../../harness.ts'

const kib = 1024

/** @param fault if it keeps the client waiting, requests end after half a second */
const start = async (fault?: Fault, options: Parameters<typeof startS3>[0] = {}) => {
  const s3 = await startS3(options)
  const requestMilliseconds = fault === 'never' || fault === 'slow' ? 500 : 15_000
  const limits = { requestMilliseconds, pausesMilliseconds: [1, 1], partBytes: 64 * kib }
  return { s3, bucket: openBucket(s3.access, s3.bucket, limits), limits }
}

const content = (bytes: number): Buffer => Buffer.from(Uint8Array.from({ length: bytes }, (_, at) => (at * 7) % 251))

const put = async (bucket: Bucket, key: string, bytes: Buffer): Promise<void> => {
  const path = join(temporaryFolder(), 'sent')
  writeFileSync(path, bytes)
  const file = openLocalFile(path)
  try {
    await putFile(bucket, key, file)
  } finally {
    file.close()
  }
}

const get = async (bucket: Bucket, key: string): Promise<Buffer> => {
  const path = join(temporaryFolder(), 'got')
  await getFile(bucket, key, path)
  return readFileSync(path)
}

/** The message of the S3Error with which the work must fail. */
const failure = async (work: Promise<unknown>): Promise<string> => {
  const error = await work.then(
    () => new Error('it succeeded'),
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(S3Error)
  return (error as Error).message
}

/** A fault of the first requests that match, and of none after them. */
const first = (count: number, fault: Fault, matches: (asked: Asked) => boolean) => {
  let left = count
  return (asked: Asked) => (matches(asked) && left-- > 0 ? fault : undefined)
}

const isPart = ({ method, query }: Asked): boolean => method === 'PUT' && query.has('partNumber')
const isStart = ({ method, query }: Asked): boolean => method === 'POST' && query.has('uploads')
const isEnd = ({ method, query }: Asked): boolean => method === 'POST' && query.has('uploadId')
const isGet = ({ method, key }: Asked): boolean => method === 'GET' && key !== ''
const isHead = ({ method }: Asked): boolean => method === 'HEAD'

describe('a signature', () => {
  const access = {
    region: 'us-east-1',
    accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
    secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  }

  // https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
  test.each<[string, Record<string, string>, string]>([
    ['test.txt', { range: 'bytes=0-9' }, 'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41'],
    ['?lifecycle=', {}, 'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543'],
    ['?max-keys=2&prefix=J', {}, '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7'],
  ])("of Amazon's example GET /%s is the one in its documentation", (path, headers, signature) => {
    const url = new URL(`https://examplebucket.s3.amazonaws.com/${path}`)
    const at = Date.UTC(2013, 4, 24)
    const signed = signedHeaders({ method: 'GET', url, headers, body: new Uint8Array(), at }, access)
    expect(signed.authorization).toEndWith(`Signature=${signature}`)
  })

  test('covers the token of temporary keys, without which they are refused', async () => {
    const { s3, bucket, limits } = await start(undefined, { sessionToken: 'IQoJb3JpZ2lu/X2VjEXAMPLE==' })
    await put(bucket, 'x.db', content(kib))
    expect(await get(bucket, 'x.db')).toEqual(content(kib))
    const { sessionToken: _, ...rest } = s3.access
    const refusal = await failure(listObjects(openBucket(rest, s3.bucket, limits), ''))
    expect(refusal).toStartWith('the server responded with 403 InvalidToken')
    s3.fail(() => 'echo')
    expect(await failure(listObjects(bucket, ''))).not.toContain('IQoJb3')
  })
})

test('asking about objects takes no memory for a list', async () => {
  const { bucket } = await start()
  await put(bucket, 'x.db', content(kib))
  Bun.gc(true)
  const before = process.memoryUsage().arrayBuffers
  let highest = 0
  for (let i = 0; i < 50; i++) {
    await statObject(bucket, 'x.db')
    highest = Math.max(highest, process.memoryUsage().arrayBuffers - before)
  }
  expect(highest).toBeLessThan(1024 * kib)
})

describe('the URL of a bucket', () => {
  test.each<[string | null, string, string]>([
    ['https://s3.example.com', 'backups', 'https://s3.example.com/backups'],
    ['http://127.0.0.1:9000', 'backups', 'http://127.0.0.1:9000/backups'],
    ['https://backups.s3.example.com', 'backups', 'https://backups.s3.example.com'],
    ['https://example.com/storage/s3', 'backups', 'https://example.com/storage/s3/backups'],
    [null, 'backups', 'https://backups.s3.eu-central-1.amazonaws.com'],
    [null, 'my.backups', 'https://s3.eu-central-1.amazonaws.com/my.backups'],
  ])('at %s for the bucket %s is %s', (endpoint, name, url) => {
    expect(openBucket({ endpoint, region: 'eu-central-1', accessKeyId: 'a', secretAccessKey: 'b' }, name).url).toBe(url)
  })
})

describe('an object', () => {
  test.each([1, 64 * kib, 64 * kib + 1, 200 * kib])('of %d bytes comes back as it was', async (bytes) => {
    const { s3, bucket } = await start()
    await put(bucket, 'a/b.db', content(bytes))
    expect(s3.objects.get('a/b.db')?.bytes.equals(content(bytes))).toBe(true)
    expect((await get(bucket, 'a/b.db')).equals(content(bytes))).toBe(true)
    expect(s3.uploads.size).toBe(0)
    expect(s3.asked.filter(isPart)).toHaveLength(bytes > 64 * kib ? Math.ceil(bytes / 64 / kib) : 0)
  })

  test.each(['a b/c+d.db', "o'hara (1)!*.db", 'größe/日本.db', 'a&b=<c>?#%41.db', '~/.x.db'])(
    'may have the name %j, also in a list',
    async (name) => {
      const { bucket } = await start()
      await put(bucket, name, content(100 * kib))
      expect((await get(bucket, name)).equals(content(100 * kib))).toBe(true)
      expect(await listObjects(bucket, name.slice(0, -3))).toEqual([name])
    },
  )

  test('is found in a list of many pages, below its prefix alone', async () => {
    const { s3, bucket } = await start(undefined, { pageSize: 3 })
    const names = Array.from({ length: 10 }, (_, i) => `p/formbox-${i}`)
    for (const name of [...names, 'p/formbox-5/below', 'other']) await put(bucket, name, content(1))
    expect(await listObjects(bucket, 'p/formbox-')).toEqual(names)
    expect(s3.asked.filter(({ key }) => key === '')).toHaveLength(4)
  })
})

describe('a fault that passes', () => {
  test.each<[string, Fault, (asked: Asked) => boolean]>([
    ['500 for a part', [500, 'InternalError'], isPart],
    ['503 for the start', [503, 'SlowDown'], isStart],
    ['429 for a part', [429, 'TooManyRequests'], isPart],
    ['a connection that dies in a part', 'die', isPart],
    ['no answer for a part', 'never', isPart],
    ['a lost answer for a part', 'forget', isPart],
    ['a lost answer for the end', 'forget', isEnd],
    ['a lost answer to the check', 'forget', isHead],
  ])('is overcome while a file is sent: %s', async (_, fault, matches) => {
    const { s3, bucket } = await start(fault)
    s3.fail(first(1, fault, matches))
    await put(bucket, 'x.db', content(200 * kib))
    expect(s3.objects.get('x.db')?.bytes.equals(content(200 * kib))).toBe(true)
    expect(s3.uploads.size).toBe(0)
  })

  test.each<[string, Fault]>([
    ['500', [500, 'InternalError']],
    ['a connection that dies', 'die'],
    ['an answer that is cut off', 'cut'],
    ['no answer', 'never'],
  ])('is overcome while a file is fetched: %s', async (_, fault) => {
    const { s3, bucket } = await start(fault)
    await put(bucket, 'x.db', content(200 * kib))
    s3.fail(first(2, fault, isGet))
    expect((await get(bucket, 'x.db')).equals(content(200 * kib))).toBe(true)
  })
})

describe('a fault that stays', () => {
  test.each<[string, Fault, (asked: Asked) => boolean, string]>([
    ['500 for a part', [500, 'InternalError'], isPart, 'the server responded with 500 InternalError: InternalError'],
    ['no answer for a part', 'never', isPart, 'the server did not respond within 0.5 seconds'],
    ['a connection that dies', 'die', isPart, 'the connection to 127.0.0.1:'],
    ['denied access', [403, 'AccessDenied'], isStart, 'the server responded with 403 AccessDenied: AccessDenied'],
    ['no room', [507, 'InsufficientStorage'], isPart, 'the server responded with 507 InsufficientStorage'],
    ['a wrong ETag of a part', 'wrong', isPart, 'the server responded with 400 InvalidPart: One or more'],
    ['an error after 200', 'failing', isEnd, 'the server responded with 200 InternalError: Try again'],
    ['an answer without an identifier', 'failing', isStart, 'the server gave no identifier for an upload in parts'],
    ['another sum in the check', 'wrong', isHead, `the server has 204800 bytes with the sum ${'f'.repeat(64)}, not`],
    ['an answer without end', 'endless', isStart, 'the server sends more than the 4194304 bytes that were asked for'],
  ])('ends the sending of a file, in words, and leaves no parts there: %s', async (_, fault, matches, words) => {
    const { s3, bucket } = await start(fault)
    s3.fail((asked) => (matches(asked) ? fault : undefined))
    const message = await failure(put(bucket, 'x.db', content(200 * kib)))
    expect(message).toStartWith(words)
    expect(s3.uploads.size).toBe(0)
  })

  test.each<[string, Fault, string]>([
    ['500', [500, 'InternalError'], 'the server responded with 500 InternalError: InternalError'],
    ['an answer that is cut off', 'cut', 'the connection to 127.0.0.1:'],
    ['half of the bytes', 'short', 'the server sent 32768 of 65536 bytes from 0 on'],
    ['no answer', 'never', 'the server did not respond within 0.5 seconds'],
    ['an answer that stops', 'slow', 'the server did not respond within 0.5 seconds'],
    ['an answer without end', 'endless', 'the server sends more than the 65536 bytes that were asked for'],
    ['another sum', 'wrong', 'its content has the SHA-256 '],
  ])('ends the fetching of a file, in words: %s', async (_, fault, words) => {
    const { s3, bucket } = await start(fault)
    await put(bucket, 'x.db', content(200 * kib))
    s3.fail((asked) => (isGet(asked) ? fault : undefined))
    expect(await failure(get(bucket, 'x.db'))).toStartWith(words)
  })

  test.each<[string, Fault, string]>([
    ['more pages without end', 'truncated', 'there are more than 200000 objects that begin with formbox-'],
    ['an answer without end', 'endless', 'the server sends more than the 4194304 bytes that were asked for'],
  ])('ends a list, in words: %s', async (_, fault, words) => {
    const { s3, bucket } = await start(fault)
    s3.fail(() => fault)
    expect(await failure(listObjects(bucket, 'formbox-'))).toBe(words)
    expect(s3.asked.length).toBeLessThanOrEqual(200)
  })

  test('such as a long answer of which no element ends has nothing in it', async () => {
    const { s3, bucket } = await start()
    s3.fail(() => 'unclosed')
    expect(await listObjects(bucket, '')).toEqual([])
  })

  test('such as bytes that were changed on the server is found', async () => {
    const { s3, bucket } = await start()
    await put(bucket, 'x.db', content(200 * kib))
    s3.objects.get('x.db')?.bytes.writeUInt8(255, 100_000)
    expect(await failure(get(bucket, 'x.db'))).toStartWith('its content has the SHA-256 ')
  })

  test('is told without the keys, whatever the server repeats', async () => {
    const { s3, bucket } = await start()
    s3.fail(() => 'echo')
    const message = await failure(listObjects(bucket, ''))
    expect(message).toStartWith('the server responded with 403 Echo: AWS4-HMAC-SHA256 Credential=***/')
    // Nor a part of one, where a long message is cut off.
    for (const secret of Object.values(keys)) expect(message).not.toContain(secret.slice(0, 6))
  })

  test.each<[string, object, string]>([
    ['a wrong secret', { secretAccessKey: 'wrong' }, 'the server responded with 403 SignatureDoesNotMatch'],
    ['a wrong key', { accessKeyId: 'wrong' }, 'the server responded with 403 InvalidAccessKeyId'],
    [
      'a wrong region',
      { region: 'auto' },
      "the server responded with 400 AuthorizationHeaderMalformed: the region 'auto' is wrong",
    ],
  ])('is told with what the server says of it: %s', async (_, change, words) => {
    const { s3, limits } = await start()
    const bucket = openBucket({ ...s3.access, ...change }, s3.bucket, limits)
    expect(await failure(listObjects(bucket, ''))).toStartWith(words)
  })

  test('such as a redirect is not followed, but told', async () => {
    const { s3, bucket } = await start()
    s3.fail(() => 'elsewhere')
    expect(await failure(listObjects(bucket, ''))).toBe(
      'the server responded with 301, which leads to https://s3.example.com',
    )
  })

  test('ends a list of unfinished uploads that goes on without end, too', async () => {
    const { s3, bucket } = await start()
    s3.fail(() => 'truncated')
    expect(await failure(listUploads(bucket, 'formbox-'))).toBe(
      'there are more than 200000 unfinished uploads that begin with formbox-',
    )
    expect(s3.asked.length).toBeLessThanOrEqual(200)
  })

  test("is told without an answer's body, too", async () => {
    const { bucket } = await start()
    expect(await failure(statObject(bucket, 'none'))).toBe('the server responded with 404, so it is not there')
  })
})
