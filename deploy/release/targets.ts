export interface Target {
  /** The end of the archive's name: `formbox-1.2.3-linux-x64`. */
  readonly name: string
  /** What Bun calls it: `--target=bun-linux-x64`. */
  readonly bun: string
}

/** The kinds of machine that a release is for. */
export const targets: readonly Target[] = [
  { name: 'linux-x64', bun: 'linux-x64' },
  { name: 'linux-x64-baseline', bun: 'linux-x64-baseline' },
  { name: 'linux-x64-musl', bun: 'linux-x64-musl' },
  { name: 'linux-arm64', bun: 'linux-arm64' },
  { name: 'linux-arm64-musl', bun: 'linux-arm64-musl' },
  { name: 'macos-x64', bun: 'darwin-x64' },
  { name: 'macos-arm64', bun: 'darwin-arm64' },
  { name: 'windows-x64', bun: 'windows-x64' },
]

export const executableName = ({ name }: Target): string => (name.startsWith('windows-') ? 'formbox.exe' : 'formbox')
export const archiveName = (target: Target, version: string): string =>
  `formbox-${version}-${target.name}${target.name.startsWith('windows-') ? '.zip' : '.tar.gz'}`
