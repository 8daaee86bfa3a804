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
  readonly submissions: readonly object[]
}

/** All forms of a user and all their submissions, as the API tells them. */
export const readEverything = async (url: string, key: string): Promise<Answers> => {
  const read = async <T>(path: string): Promise<T> => {
    const response = await fetch(`${url}/api/v1${path}`, { headers: { authorization: `Bearer ${key}` } })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return (await response.json()) as T
  }
  const { forms } = await read<Answers>('/forms?perPage=100')
  const lists = await Promise.all(
    forms.map(({ id }) => read<{ submissions: object[] }>(`/forms/${id}/submissions?perPage=100`)),
  )
  return { forms, submissions: lists.flatMap(({ submissions }) => submissions) }
}
