interface Options {
  readonly name: string
  /** What a value looks like; anything else was not set by us. */
  readonly shape: RegExp
  readonly lifetimeSeconds: number
  /** Whether browsers come over https only. */
  readonly isSecure: boolean
}

/** A cookie that scripts and other sites cannot read. */
export const defineCookie = ({ name: ownName, shape, lifetimeSeconds, isSecure }: Options) => {
  // The prefix makes browsers refuse a cookie of that name which another host, or plain http, tries to set.
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
