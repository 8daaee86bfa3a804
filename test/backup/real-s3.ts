// A real S3-compatible server, if there is one on the PATH.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { openBucket } from '../../src/remote/s3/bucket.ts'
import { request } from '../../src/remote/s3/request.ts'
import { freePort } from '../free-port.ts'
import { afterThisTest, temporaryFolder } from '../harness.ts'
import { slowly, until } from '../until.ts'

const keys = { accessKeyId: 'AKEXAMPLE', secretAccessKey: 'the/secret+of/this==server' }

/** How to start each server with its data in a folder. */
const commands: Readonly<Record<string, (folder: string, address: string) => string[]>> = {
  versitygw: (folder, address) => [
    ...['--access', keys.accessKeyId, '--secret', keys.secretAccessKey, '--port', address, '--quiet'],
    ...['posix', '--sidecar', join(folder, 'sidecar'), join(folder, 'data')],
  ],
  minio: (folder, address) => ['server', join(folder, 'data'), '--address', address, '--quiet'],
}

export const realServers = Object.keys(commands).filter((name) => Bun.which(name) !== null)

/** Starts it with an empty bucket. */
export const startRealS3 = async (name: string) => {
  const folder = temporaryFolder()
  for (const each of ['sidecar', 'data']) mkdirSync(join(folder, each))
  const address = `127.0.0.1:${await freePort()}`
  const child = Bun.spawn([Bun.which(name) ?? name, ...(commands[name]?.(folder, address) ?? [])], {
    cwd: folder,
    env: { HOME: folder, MINIO_ROOT_USER: keys.accessKeyId, MINIO_ROOT_PASSWORD: keys.secretAccessKey },
    stdout: 'ignore',
    stderr: 'ignore',
  })
  afterThisTest(() => {
    child.kill('SIGKILL')
    return child.exited
  })
  const endpoint = `http://${address}`
  const access = { endpoint, region: 'us-east-1', ...keys }
  const bucket = openBucket(access, 'backups')
  const isMade = () =>
    request({ ...bucket, limits: { ...bucket.limits, pausesMilliseconds: [] } }, { method: 'PUT', key: '' }).then(
      () => true,
      () => false,
    )
  await until(isMade, 'the bucket is made', slowly)
  return { endpoint, access, bucket: 'backups' }
}
