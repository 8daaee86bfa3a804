import { type Html, html } from './html.ts'

/** Light modules around the code, without which no reader finds it. */
const border = 4

/**
 * A text as a QR code: an SVG in the page, so that no script and no request is needed. Always dark on white: many readers do
 * not know the opposite.
 *
 * @param label for those who cannot see it
 */
export const qrCode = async (text: string, label: string): Promise<Html> => {
  // Loaded here, because hardly any start of the server needs it.
  const { default: encodeQR } = await import('qr')
  const rows = encodeQR(text, 'raw', { ecc: 'medium', border })
  const path = rows
    .map((row, y) =>
      toRuns(row)
        .map(([x, length]) => `M${x} ${y}h${length}v1h-${length}z`)
        .join(''),
    )
    .join('')
  const size = rows.length
  return html`<svg class="qr" viewBox="0 0 ${size} ${size}" role="img" aria-label="${label}" shape-rendering="crispEdges">
<rect width="${size}" height="${size}" fill="#fff"/><path d="${path}" fill="#000"/></svg>`
}

/** Where dark modules begin in a row, and how many follow each other. */
const toRuns = (row: readonly boolean[]): [number, number][] => {
  const runs: [number, number][] = []
  for (const [x, isDark] of row.entries()) {
    const last = runs.at(-1)
    if (!isDark) continue
    if (last && last[0] + last[1] === x) last[1]++
    else runs.push([x, 1])
  }
  return runs
}
