/** The media type of the body in lower case, without its parameters (RFC 9110 section 8.3.1). */
export const mediaType = (request: Request): string =>
  ((request.headers.get('content-type') ?? '').split(';', 1)[0] as string).trim().toLowerCase()
