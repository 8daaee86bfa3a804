/** What a webhook is told of. */
export interface WebhookEvent {
  readonly form: { readonly id: string; readonly title: string }
  /** Null for a test. */
  readonly submission: {
    readonly id: string
    readonly createdAt: string
    /** JSON text of an object, as it is stored. */
    readonly data: string
  } | null
  /** Unix time in milliseconds. */
  readonly attemptAt: number
  /** The page of the submission, for a test that of the form; null if the public URL of this server is not known. */
  readonly link: string | null
}

export interface WebhookMessage {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}
