import { existsSync } from 'node:fs'

/** How a server runs, as far as it changes what its operator types. */
interface Way {
  readonly name: string
  readonly title: string
  /** Where settings are written. */
  readonly place: string
  readonly toLine: (name: string, value: string) => string
  readonly restart: string
  /** Null if it has no command of its own. */
  readonly update: string | null
  readonly restore: (backup: string, dataFolder: string) => string
  /** A command of Formbox on this server. */
  readonly command: (words: string, dataFolder: string) => string
  /** The proxy that is usually in front. */
  readonly proxy: string
}

const inShell = (value: string): string => (/^[\w./:,-]+$/.test(value) ? value : `'${value}'`)

/** As in docs/configuration.md, upgrade.md and backup.md. */
export const ways = [
  {
    name: 'systemd',
    title: 'systemd',
    place: '/etc/formbox.env',
    toLine: (name, value) => `${name}=${inShell(value)}`,
    restart: 'sudo systemctl restart formbox',
    update: 'sudo apt install ./formbox_VERSION_amd64.deb',
    restore: (backup, folder) =>
      `sudo systemctl stop formbox\nsudo ls -t ${inShell(folder)}/backups\nsudo formbox restore ${inShell(`${folder}/backups/${backup}`)} --data ${inShell(folder)}\nsudo systemctl start formbox`,
    command: (words, folder) => `sudo formbox ${words} --data ${inShell(folder)}`,
    proxy: '127.0.0.1',
  },
  {
    name: 'docker',
    title: 'Docker',
    place: 'compose.yaml, under “environment”',
    toLine: (name, value) => `      ${name}: ${JSON.stringify(value)}`,
    restart: 'docker compose up --detach',
    update: 'docker compose pull && docker compose up --detach',
    restore: (backup, folder) =>
      `docker compose stop\ndocker compose run --rm formbox restore ${folder}/backups/${backup}\ndocker compose start`,
    command: (words) => `docker compose exec formbox formbox ${words}`,
    proxy: '10.213.57.1',
  },
  {
    name: 'kubernetes',
    title: 'Kubernetes',
    place: 'kubernetes.yaml, under “env”',
    toLine: (name, value) => `            - { name: ${name}, value: ${JSON.stringify(value)} }`,
    restart: 'kubectl apply --filename kubernetes.yaml',
    update: 'kubectl apply --filename kubernetes.yaml',
    restore: (backup) =>
      `# Stop the server. Then, in a pod with its volume at /data:\nformbox restore /data/backups/${backup} --data /data`,
    command: (words) => `kubectl exec formbox-0 -- formbox ${words}`,
    proxy: '1',
  },
  {
    name: 'other',
    title: 'Other',
    place: 'the environment of Formbox',
    toLine: (name, value) => `export ${name}=${inShell(value)}`,
    restart: 'formbox serve',
    update: null,
    restore: (backup, folder) =>
      `# Stop the server. Then:\nformbox restore ${inShell(`${folder}/backups/${backup}`)} --data ${inShell(folder)}`,
    command: (words, folder) => `formbox ${words} --data ${inShell(folder)}`,
    proxy: '127.0.0.1',
  },
] as const satisfies readonly Way[]

export type RunBy = Way & { readonly name: (typeof ways)[number]['name'] }

/** The way of this name, or the one in which this process seems to run. */
export const wayOf = (name: unknown): RunBy => ways.find((way) => way.name === name) ?? guessed()

/** systemd.exec(5) describes `SYSTEMD_EXEC_PID`; the files are those of Docker and Podman. */
const guessed = (environment: Readonly<Record<string, string | undefined>> = process.env): RunBy => {
  const [systemd, docker, kubernetes, other] = ways
  if (environment.KUBERNETES_SERVICE_HOST) return kubernetes
  if (existsSync('/.dockerenv') || existsSync('/run/.containerenv')) return docker
  const isUnit = environment.SYSTEMD_EXEC_PID === String(process.pid)
  return isUnit || (environment.INVOCATION_ID && process.ppid === 1) ? systemd : other
}
