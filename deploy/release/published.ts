import { name, version } from '../../package.json'

/**
 * Writes into the files of a release where it is published. GitHub says in which repository its workflow runs; elsewhere no one
 * knows, and the files stay as they are in `deploy`.
 *
 * @param repository `owner/name`
 * @throws Error when a file has other lines than those that are replaced
 */
export const toPublished = (file: string, text: string, repository: string | undefined): string => {
  const place = places[file]
  if (!repository || !place) return text
  if (!/^[\w.-]+\/[\w.-]+$/.test(repository)) throw new Error(`GITHUB_REPOSITORY must be OWNER/NAME: ${repository}`)
  const [before, after] = place
  const parts = text.split(before)
  if (parts.length !== 2) throw new Error(`${file} must have this once: ${before}`)
  return parts.join(after(repository))
}

// A registry takes no capitals.
const image = (repository: string): string => `ghcr.io/${repository.toLowerCase()}:${version}`

/** By file: what is replaced, and by what. */
const places: Readonly<Record<string, readonly [before: string, after: (repository: string) => string]>> = {
  'install.sh': ['@FROM@', (repository) => `https://github.com/${repository}/releases/download/v${version}`],
  'kubernetes.yaml': [`image: ${name}\n`, (repository) => `image: ${image(repository)}\n`],
  'compose.yaml': [
    `    # Built from the executable for Linux, named ${name}, and Dockerfile in this folder. A release names its image here.
    build: .
    pull_policy: build
    image: ${name}
`,
    (repository) => `    image: ${image(repository)}\n`,
  ],
}
