/** What the API shows of a form whose settings were never changed. */
export const defaultSettings = {
  open: true,
  allowedOrigins: [],
  acceptFiles: true,
  columns: null,
  thankYou: null,
  notify: [],
  honeypot: '_gotcha',
  challenge: false,
  blockedTerms: [],
  maxLinks: null,
  spamDays: 30,
  retentionDays: null,
  submitLimit: null,
}
