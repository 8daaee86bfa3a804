/** What is known of a kept data file. */
export interface Kept {
  readonly version: string
  readonly users: readonly string[]
  readonly password: string
  readonly key: string
  readonly readOnlyKey: string
  readonly answers: Answers
}

interface Answers {
  readonly forms: readonly { readonly id: string; readonly [field: string]: unknown }[]
  readonly submissions: readonly Submission[]
  /** By form: settings, members, webhooks. */
  readonly around: readonly object[]
  /** What has been noted about submissions, and the sums of their files. */
  readonly beside: readonly object[]
}

interface Submission {
  readonly id: string
  readonly formId: string
  readonly data: Readonly<Record<string, unknown>>
}

/** All forms of a user, what belongs to them, and all their submissions, as the API tells them. */
export const readEverything = async (url: string, key: string): Promise<Answers> => {
  const get = async (path: string): Promise<Response> => {
    const response = await fetch(`${url}/api/v1${path}`, { headers: { authorization: `Bearer ${key}` } })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return response
  }
  const read = async <T>(path: string): Promise<T> => (await (await get(path)).json()) as T
  const { forms } = await read<Answers>('/forms?perPage=100')
  const lists = await Promise.all(forms.map(({ id }) => read<Answers>(`/forms/${id}/submissions?perPage=100`)))
  const submissions = lists.flatMap((list) => list.submissions)
  const around = await Promise.all(
    forms.flatMap(({ id }) => ['settings', 'members', 'webhooks'].map((what) => read<object>(`/forms/${id}/${what}`))),
  )
  const beside: object[] = []
  for (const { id, formId, data } of submissions) {
    const path = `/forms/${formId}/submissions/${id}`
    beside.push(await read<object>(`${path}/handling`), await read<object>(`${path}/notes`))
    for (const { file } of Object.values(data).flat().filter(isFile)) {
      const bytes = await (await get(`${path}/files/${file}`)).bytes()
      beside.push({ file, sha256: new Bun.CryptoHasher('sha256').update(bytes).digest('hex') })
    }
  }
  return { forms, submissions, around, beside }
}

const isFile = (value: unknown): value is { file: string } =>
  typeof value === 'object' && value !== null && typeof (value as { file?: unknown }).file === 'string'
