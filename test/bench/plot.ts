/** One line of the plot: latency in milliseconds at each number of submissions. */
export interface Line {
  readonly label: string
  readonly points: readonly (readonly [submissions: number, milliseconds: number])[]
}

const width = 720
const height = 400
const area = { left: 64, right: 560, top: 48, bottom: 340 }
/** Colours that people with colour blindness can distinguish, on white and on black. */
const colours = ['#0072b2', '#d55e00', '#009e73', '#cc79a7']

/** An SVG of latency against the number of submissions, both in powers of ten. */
export const drawGrowth = (lines: readonly Line[]): string => {
  const points = lines.flatMap((line) => line.points)
  const x = scale(
    points.map(([submissions]) => submissions),
    area.left,
    area.right,
  )
  const y = scale(
    points.map(([, milliseconds]) => milliseconds),
    area.bottom,
    area.top,
  )
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title">`,
    '<title id="title">Latency of a page of 20 against the number of submissions</title>',
    '<style>text{font:13px system-ui,sans-serif;fill:#24292f}.grid{stroke:#d0d7de}' +
      '@media(prefers-color-scheme:dark){text{fill:#e6edf3}.grid{stroke:#3d444d}}</style>',
    `<text x="${area.left}" y="24">Median latency of a page of 20, one client, in milliseconds</text>`,
    ...y.ticks.map((tick) => row(tick, y.at(tick))),
    ...x.ticks.map((tick) => column(tick, x.at(tick))),
    `<text x="${(area.left + area.right) / 2}" y="${height - 16}" text-anchor="middle">submissions of the form</text>`,
    ...lines.map((line, i) => drawLine(line, i, x.at, y.at)),
    '</svg>\n',
  ].join('\n')
}

interface Scale {
  readonly ticks: readonly number[]
  at(value: number): number
}

/** Logarithmic, from the power of ten below the least value to the one above the greatest. */
const scale = (values: readonly number[], from: number, to: number): Scale => {
  const low = Math.floor(Math.log10(Math.min(...values)))
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...values))))
  return {
    ticks: Array.from({ length: high - low + 1 }, (_, i) => Number(`1e${low + i}`)),
    at: (value) => from + ((Math.log10(value) - low) / (high - low)) * (to - from),
  }
}

const row = (tick: number, y: number): string =>
  `<path class="grid" d="M${area.left} ${round(y)}H${area.right}"/>` +
  `<text x="${area.left - 8}" y="${round(y + 4)}" text-anchor="end">${tick}</text>`

const column = (tick: number, x: number): string =>
  `<path class="grid" d="M${round(x)} ${area.top}V${area.bottom}"/>` +
  `<text x="${round(x)}" y="${area.bottom + 20}" text-anchor="middle">${tick.toLocaleString('en')}</text>`

const drawLine = ({ label, points }: Line, i: number, x: Scale['at'], y: Scale['at']): string => {
  const colour = colours[i % colours.length]
  const path = points.map(([submissions, latency]) => `${round(x(submissions))} ${round(y(latency))}`)
  const dots = path.map((point) => `<circle cx="${point.replace(' ', '" cy="')}" r="3.5" fill="${colour}"/>`)
  // The lines are close together, so their names are in a list beside them.
  const legend = area.top + 12 + 24 * i
  return (
    `<path d="M${path.join('L')}" fill="none" stroke="${colour}" stroke-width="2"/>${dots.join('')}` +
    `<path d="M${area.right + 16} ${legend}h18" stroke="${colour}" stroke-width="3"/>` +
    `<text x="${area.right + 40}" y="${legend + 4}">${label}</text>`
  )
}

const round = (value: number): number => Math.round(value * 10) / 10
