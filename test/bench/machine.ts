import { cpus, release, totalmem } from 'node:os'

export interface Machine {
  readonly processor: string
  readonly cores: number
  readonly memoryGigabytes: number
  readonly kernel: string
  readonly bun: string
  readonly date: string
}

export const describeMachine = (): Machine => ({
  processor: cpus()[0]?.model.trim() ?? 'unknown',
  cores: cpus().length,
  memoryGigabytes: Math.round(totalmem() / 1e9),
  kernel: release(),
  bun: Bun.version,
  date: new Date().toISOString().slice(0, 10),
})

/** @throws Error that says how to install it */
export const requireProgram = (name: string): void => {
  if (Bun.which(name)) return
  throw new Error(`${name} is needed and not on the PATH; Debian and Ubuntu: apt-get install ${name}`)
}
