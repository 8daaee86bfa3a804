/** In the order in which they are looked for: the names of others are in the `User-Agent` of most. */
const browsers = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS|Chromium)\//, 'Chrome'],
  [/\bVersion\/\S+.*\bSafari\//, 'Safari'],
] as const

const systems = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b|\bMacintosh\b/, 'Mac'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b|\bX11\b/, 'Linux'],
] as const

/**
 * The browser in a few words, such as `Firefox on Linux`, so that someone recognises it in a list. Only words from here: a
 * `User-Agent` says anything. No library: those that know thousands of names are larger than all pages together.
 *
 * @param agent the `User-Agent` of a request
 */
export const browserOf = (agent: string): string => {
  const find = (names: typeof browsers | typeof systems) => names.find(([pattern]) => pattern.test(agent))?.[1]
  const browser = find(browsers) ?? 'Unknown browser'
  const system = find(systems)
  return system === undefined ? browser : `${browser} on ${system}`
}
