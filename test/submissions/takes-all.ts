/** What `IncomingFiles` needs where every file is taken and none is stored. */
export const takesAll = {
  store: { stage: async () => {}, giveUp: async () => {} },
  maxFiles: 1000,
  maxFileBytes: Number.POSITIVE_INFINITY,
  honeypot: '_gotcha',
  check: () => undefined,
  maxFilesOf: () => undefined,
  admit() {},
  takesFiles: true,
  now: Date.now,
}
