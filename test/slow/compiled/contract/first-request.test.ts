// The pages and the API are loaded with the first request to them, which must be answered as all that follow.
import { expect, test } from 'bun:test'
import { forThisFile, startServer, temporaryFolder } from '../../../harness.ts'
import { answerTo, message, type RawAnswer } from '../../../raw-http.ts'

const head = (line: string, ...more: string[]) => [`${line} HTTP/1.1`, 'Host: localhost', 'Connection: close', ...more]
const key = 'Authorization: Bearer KEY'

const requests: readonly (readonly [lines: readonly string[], status: number, body?: string])[] = [
  [head('GET /sign-in', 'Accept: text/html'), 200],
  [head('HEAD /docs'), 200],
  [head('GET /forms/FORM', 'Accept: text/html'), 303],
  [head('GET /nowhere'), 404],
  [head('POST /healthz'), 404],
  [head('GET /s/FORM'), 404],
  [head('OPTIONS /*'), 404],
  [head('GET /%ff/\xfe'), 404],
  [head('GET /api/v1/forms/FORM'), 401],
  [head('GET /api/v1/forms/FORM', key), 200],
  [head('HEAD /api/v1/forms/FORM/', key), 200],
  [head('GET /api/v1/nowhere', key), 404],
  [head('GET /api/v1/forms/%zz', key), 404],
  [head('GET /api/v1/forms/%ff%fe/submissions', key), 404],
  [head('GET /api/v1/forms/%E0%A4', key), 404],
  [head('PATCH /api/v1/forms/FORM', key, 'Content-Type: application/json', 'Content-Length: 13'), 200, '{"title":"A"}'],
  [['GET /aaaa/api/v1/forms HTTP/1.1', 'Host: x', 'Connection: close'], 404],
  [['GET /api/v1/forms HTTP/1.0'], 400],
]

type Answer = ReturnType<typeof toComparable>

/** A data folder, and what a server that has loaded everything answers from it. */
const answersOnceLoaded = async () => {
  const folder = temporaryFolder()
  const warm = await startServer({ folder })
  const ada = await warm.signUp()
  const form = await ada.createForm()
  await ada.call('PATCH', `/forms/${form}`, { title: 'A' })
  const ask = async (url: string, [lines, , body]: (typeof requests)[number]): Promise<Answer> => {
    const filled = lines.map((line) => line.replace('KEY', ada.key).replace('FORM', form))
    const [method, path] = filled[0]?.split(' ') ?? []
    if (method !== 'HEAD') return toComparable(await answerTo(url, message(filled, body)))
    const { status, headers } = await fetch(url + path, { method, headers: { authorization: `Bearer ${ada.key}` } })
    return toComparable({ status, headers, body: '' })
  }
  const answers: Answer[] = []
  for (const request of requests) answers.push(await ask(warm.url, request))
  await warm.stop()
  return { folder, ask, answers }
}

let loaded: ReturnType<typeof answersOnceLoaded> | undefined
const onceLoaded = () => {
  loaded ??= forThisFile(answersOnceLoaded)
  return loaded
}

test.each(requests.map((request, position) => [request[0][0] as string, position, request] as const))(
  '%s is answered as a first request as it is later',
  async (_, position, request) => {
    const { folder, ask, answers } = await onceLoaded()
    expect(answers[position]?.status).toBe(request[1])
    const cold = await startServer({ folder })
    expect(await ask(cold.url, request)).toEqual(answers[position] as Answer)
    await cold.stop()
  },
)

test('first requests that come at once are answered as they are later', async () => {
  const { folder, ask, answers } = await onceLoaded()
  const cold = await startServer({ folder })
  expect(await Promise.all(requests.map((request) => ask(cold.url, request)))).toEqual(answers)
  await cold.stop()
})

test('the first request to a page does not disturb a submission that is arriving', async () => {
  const folder = temporaryFolder()
  const warm = await startServer({ folder })
  const ada = await warm.signUp()
  const form = await ada.createForm()
  await warm.stop()

  const { url } = await startServer({ folder })
  const lines = head(`POST /s/${form}`, 'Content-Type: application/x-www-form-urlencoded', 'Content-Length: 8')
  const rest = async () => {
    expect((await fetch(`${url}/sign-in`)).status).toBe(200)
    return 'a=23'
  }
  expect(await answerTo(url, message(lines, 'a=1&'), { rest })).toMatchObject({ status: 200 })

  const answer = await fetch(`${url}/api/v1/forms/${form}/submissions`, {
    headers: { authorization: `Bearer ${ada.key}` },
  })
  expect(await answer.json()).toMatchObject({ submissions: [{ data: { a: ['1', '23'] } }] })
})

/** Without what differs from one answer to the next. */
const toComparable = ({ status, headers, body }: RawAnswer = { status: 0, headers: new Headers(), body: '' }) => {
  const id = headers.get('x-request-id') ?? ''
  const given = [...headers].filter(([name]) => !['date', 'x-request-id', 'set-cookie'].includes(name))
  return { status, given, body: body.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME'), hasId: id !== '' }
}
