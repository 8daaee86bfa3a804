/** Whether a host is this machine (RFC 1122 section 3.2.1.3, RFC 4291, RFC 6761), as in a URL or without its brackets. */
export const isLoopback = (host: string): boolean =>
  /^(?:(?:.+\.)?localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|::1|\[::1\])$/i.test(host)
