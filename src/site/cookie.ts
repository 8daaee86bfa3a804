interface Options {
  readonly name: string
  /** What its values look like. Any other value was not set by Formbox. */
  readonly shape: RegExp
  readonly lifetimeSeconds: number
  /** Whether browsers use https only. */
  readonly isSecure: boolean
}

/** A cookie that scripts and other sites cannot read. */
export const defineCookie = ({ name: ownName, shape, lifetimeSeconds, isSecure }: Options) => {
  // With this prefix, browsers refuse a cookie of that name from another host or over plain http.
  const name = isSecure ? `__Host-${ownName}` : ownName
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`

  return {
    read(request: Request): string | undefined {
      for (const pair of (request.headers.get('cookie') ?? '').split(';')) {
        const [key, value = ''] = pair.trim().split('=', 2)
        if (key === name && shape.test(value)) return value
      }
      return undefined
    },

    /** The `Set-Cookie` header that sets it. */
    set: (value: string): string => `${name}=${value}; Max-Age=${lifetimeSeconds}; ${attributes}`,

    /** The `Set-Cookie` header that removes it. */
    removal: `${name}=; Max-Age=0; ${attributes}`,
  }
}
