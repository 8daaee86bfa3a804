import encodeQR from 'qr'
import { type Html, html } from './html.ts'

/** Light modules around the code, without which no reader finds it. */
const border = 4

/**
 * A text as a QR code: an SVG in the page, so that no script and no request is needed. Always dark on white: many readers do
 * not know the opposite.
 *
 * @param label for those who cannot see it
 */
export const qrCode = (text: string, label: string): Html => {
  const rows = encodeQR(text, 'raw', { ecc: 'medium', border })
  // A line for each run of dark modules, from the end of the one before: half as long as rectangles.
  const path = rows
    .map((row, y) =>
      toRuns(row)
        .map(([gap, length], i) => `${i === 0 ? `M${gap} ${y}.5` : `m${gap} 0`}h${length}`)
        .join(''),
    )
    .join('')
  const size = rows.length
  return html`<svg class="qr" viewBox="0 0 ${size} ${size}" role="img" aria-label="${label}" shape-rendering="crispEdges">
<rect width="${size}" height="${size}" fill="#fff"/><path d="${path}" stroke="#000"/></svg>`
}

/** The QR code of an address as a file: 600 pixels wide where nothing else says so. */
export const qrFile = (address: string): string =>
  qrCode(address, address).markup.replace('<svg ', '<svg xmlns="http://www.w3.org/2000/svg" width="600" height="600" ')

/** How many light modules come before each run of dark ones in a row, and how long it is. */
const toRuns = (row: readonly boolean[]): [gap: number, length: number][] => {
  const runs: [number, number][] = []
  let end = 0
  for (const [x, isDark] of row.entries()) {
    if (!isDark) continue
    const last = runs.at(-1)
    if (last && end === x) last[1]++
    else runs.push([x - end, 1])
    end = x + 1
  }
  return runs
}
