import { version } from '../../package.json'
import type { Package } from './bundled.ts'

interface Options {
  /** Formbox's own licence. */
  readonly own: string
  readonly packages: Iterable<Package>
  /** Bun's page. */
  readonly bun: string
}

/** The licences of all that an executable consists of, as one text. */
export const toLicenses = ({ own, packages, bun }: Options): string => {
  const all = [...packages]
  return [
    `Formbox ${version} consists of the following, under the licences that stand below.`,
    '',
    `  Formbox ${version}: MIT`,
    ...all.map(({ name, version, license }) => `  ${name} ${version}: ${license}`),
    `  Bun ${Bun.version} and what it links: see the last part`,
    '',
    heading(`Formbox ${version}`),
    own.trim(),
    ...all.flatMap(({ name, version, texts }) => [
      '',
      heading(`${name} ${version}`),
      ...texts.map((text) => text.trim()),
    ]),
    '',
    heading(`Bun ${Bun.version}`),
    bun.trim(),
    '',
  ]
    .join('\n')
    .replaceAll('\r\n', '\n')
}

const heading = (title: string): string => `${'='.repeat(80)}\n${title}\n${'='.repeat(80)}\n`
