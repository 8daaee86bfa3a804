import { apiPath, serverUrl } from '../../config/addresses.ts'

// biome-ignore lint/suspicious/noExplicitAny: a JSON document
type Json = any

/** The request that the samples make, in each language. */
interface SampleRequest {
  readonly method: string
  readonly url: string
  readonly headers: readonly (readonly [string, string])[]
  readonly body: Json | undefined
  /** Whether the response is saved. */
  readonly isFile: boolean
}

/** Placeholder that the reader replaces by a key. */
const keyPlaceholder = 'YOUR_KEY'

/**
 * Adds code samples in three languages to every operation of a valid document, as `x-codeSamples`, an extension that
 * Redoc introduced. They are made from the operation's examples, so no operation lacks them and all are right.
 *
 * @param address of the server, such as `https://forms.example.com`
 */
export const withCodeSamples = (document: Json, address: string): Json => ({
  ...document,
  paths: mapValues(document.paths, (item, path) =>
    mapValues(item, (operation, method) => ({
      ...operation,
      'x-codeSamples': toSamples(
        toCall(operation.servers ? serverUrl(address) : `${address}${apiPath()}`, path, method, operation),
      ),
    })),
  ),
})

const mapValues = (object: Json, map: (value: Json, key: string) => Json): Json =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value, key)]))

const toCall = (base: string, path: string, method: string, operation: Json): SampleRequest => {
  const { parameters = [], requestBody, responses } = operation
  // A response that is shared is JSON.
  const { content = { 'application/json': {} } } = responses[200]
  const body = requestBody?.content['application/json'].example
  const example = (name: string): string => parameters.find((parameter: Json) => parameter.name === name).example
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(example(name)))
  // A bulk deletion takes the identifiers in the body or in the query, but not in both.
  const query = body ? [] : parameters.filter((parameter: Json) => parameter.in === 'query')
  // Parameters that are off by default are left out, and so are empty ones.
  const named = query.filter(({ example }: Json) => example !== false && example !== '')
  const pairs = named.map(({ name, example }: Json) => `${name}=${encodeURIComponent(example).replaceAll('%3A', ':')}`)
  const url = base + filled + (pairs.length > 0 ? `?${pairs.join('&')}` : '')
  const headers: [string, string][] = [
    ...(operation.security ? [] : [['Authorization', `Bearer ${keyPlaceholder}`] as [string, string]]),
    ...(body ? [['Content-Type', 'application/json'] as [string, string]] : []),
  ]
  return { method: method.toUpperCase(), url, headers, body, isFile: !('application/json' in content) }
}

const toSamples = (call: SampleRequest) => [
  { lang: 'Shell', label: 'curl', source: toCurl(call) },
  { lang: 'JavaScript', label: 'JavaScript', source: toJavaScript(call) },
  { lang: 'Python', label: 'Python', source: toPython(call) },
]

const toCurl = ({ method, url, headers, body, isFile }: SampleRequest): string =>
  [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${shellQuoted(url)}`,
    ...headers.map(([name, value]) => `-H '${name}: ${value}'`),
    ...(body ? [`-d ${shellQuoted(JSON.stringify(body, null, 2))}`] : []),
    // Under the name in the response.
    ...(isFile ? ['-OJ'] : []),
  ].join(' \\\n  ')

const shellQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

const toJavaScript = ({
  method,
  url,
  headers,
  body,
  isFile,
}: SampleRequest): string => `${isFile ? 'import { writeFile } from "node:fs/promises"\n\n' : ''}const response = await fetch(${JSON.stringify(url)}, {
  method: "${method}",${headersIn('headers: ', headers, 2)}${body ? `\n  body: JSON.stringify(${indented(JSON.stringify(body, null, 2), 2)}),` : ''}
})
if (!response.ok) throw new Error(await response.text())
${isFile ? 'await writeFile("file", await response.bytes())' : 'console.log(await response.json())'}`

const toPython = ({
  method,
  url,
  headers,
  body,
  isFile,
}: SampleRequest): string => `import ${[...(isFile && !body ? [] : ['json']), ...(isFile ? ['shutil'] : [])].join(', ')}
from urllib.request import Request, urlopen

request = Request(
    ${JSON.stringify(url)},
    method="${method}",${headersIn('headers=', headers, 4)}${body ? `\n    data=json.dumps(${indented(pythonLiteral(body), 4)}).encode(),` : ''}
)
with urlopen(request) as response${isFile ? ', open("file", "wb") as file' : ''}:
    ${isFile ? 'shutil.copyfileobj(response, file)' : 'print(json.load(response))'}`

/** The headers as an argument in JavaScript or Python, on lines of their own. */
const headersIn = (start: string, headers: SampleRequest['headers'], spaces: number): string =>
  headers.length === 0
    ? ''
    : indented(
        `\n${start}${indented(`{${headers.map(([name, value]) => `\n"${name}": "${value}",`).join('')}`, spaces)}\n},`,
        spaces,
      )

/** The words that Python spells differently from JSON. Strings are written the same in both. */
const pythonWords = new Map<Json, string>([
  [null, 'None'],
  [true, 'True'],
  [false, 'False'],
])

const pythonLiteral = (value: Json): string => {
  if (Array.isArray(value)) return bracketed('[', value.map(pythonLiteral), ']')
  if (typeof value !== 'object' || value === null) return pythonWords.get(value) ?? JSON.stringify(value)
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${pythonLiteral(member)}`)
  return bracketed('{', members, '}')
}

const bracketed = (open: string, items: readonly string[], close: string): string =>
  items.length === 0 ? open + close : `${open}\n${items.map((item) => `    ${indented(item, 4)},\n`).join('')}${close}`

const indented = (text: string, spaces: number): string => text.replaceAll('\n', `\n${' '.repeat(spaces)}`)
