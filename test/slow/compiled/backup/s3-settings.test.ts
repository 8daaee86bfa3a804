import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { parseConfig } from '../../../../src/config/config.ts'
import { formbox } from '../../../commands/formbox.ts'
import { temporaryFolder } from '../../../harness.ts'
import { refusalOf } from '../../../refusal.ts'

const complete = {
  FORMBOX_BACKUP_EVERY: '24h',
  FORMBOX_BACKUP_S3: 's3://backups/forms',
  FORMBOX_BACKUP_S3_KEY_ID: 'AKEXAMPLE',
  FORMBOX_BACKUP_S3_SECRET: 'hunter2/+=',
}
const parse = (settings: Record<string, string>) => parseConfig({ ...complete, ...settings })

describe('FORMBOX_BACKUP_S3', () => {
  test('and its keys are all that is needed', () => {
    const { s3, offSiteUrl } = parse({})
    expect(offSiteUrl).toBe('s3://backups/forms/')
    expect(s3).toEqual({
      endpoint: null,
      region: 'us-east-1',
      accessKeyId: 'AKEXAMPLE',
      secretAccessKey: 'hunter2/+=',
    })
    expect(parseConfig({})).toMatchObject({ s3: null, offSiteUrl: null })
  })

  test.each([
    ['s3://backups', 's3://backups/'],
    ['s3://backups/', 's3://backups/'],
    ['s3://my.backups/forms/', 's3://my.backups/forms/'],
    ['s3://b-1/a b/größe', 's3://b-1/a b/größe/'],
  ])('%s is taken', (value, url) => {
    expect(parse({ FORMBOX_BACKUP_S3: value }).offSiteUrl).toBe(url)
  })

  test.each(['backups', 'https://backups', 's3://', 's3://backups//x', 's3://backups/../x', 's3://backups/./x'])(
    '%s is refused',
    (value) => {
      expect(refusalOf(() => parse({ FORMBOX_BACKUP_S3: value }))).toBe(
        `FORMBOX_BACKUP_S3: must be s3://BUCKET or s3://BUCKET/PREFIX; got ${JSON.stringify(value)}`,
      )
    },
  )

  test.each(['a', 'ab', 'Backups', '-ab', 'ab.', 'a_b', 'x'.repeat(64)])(
    'with the bucket %s is refused by its rule',
    (bucket) => {
      expect(refusalOf(() => parse({ FORMBOX_BACKUP_S3: `s3://${bucket}/forms` }))).toBe(
        `FORMBOX_BACKUP_S3: the bucket must have 3 to 63 lower-case letters, digits, dots and hyphens, with a letter or digit at each end; got ${JSON.stringify(bucket)}`,
      )
    },
  )

  test.each([
    ['https://s3.example.com/', 'https://s3.example.com'],
    ['http://[::1]:9000', 'http://[::1]:9000'],
    ['https://example.com/storage/v1/s3/', 'https://example.com/storage/v1/s3'],
  ])('may have the server %s', (value, endpoint) => {
    expect(parse({ FORMBOX_BACKUP_S3_ENDPOINT: value }).s3?.endpoint).toBe(endpoint)
  })

  test.each([
    's3.example.com',
    'ftp://s3.example.com',
    'https://ada:hunter2@s3.example.com',
    'https://s3.example.com/?x',
  ])('may not have the server %s', (value) => {
    const refusal = refusalOf(() => parse({ FORMBOX_BACKUP_S3_ENDPOINT: value }))
    expect(refusal).toStartWith('FORMBOX_BACKUP_S3_ENDPOINT: must be an http:// or https:// URL')
  })

  test('may not have another region than one word', () => {
    const refusal = refusalOf(() => parse({ FORMBOX_BACKUP_S3_REGION: 'eu/central' }))
    expect(refusal).toBe('FORMBOX_BACKUP_S3_REGION: must be 1 to 64 letters, digits and hyphens; got "eu/central"')
  })

  test('needs keys and a schedule, and keys need each other', () => {
    const missing = (name: string) => refusalOf(() => parse({ [name]: '' }))
    const keyReason = 'must be set, because other settings for S3 are'
    expect(missing('FORMBOX_BACKUP_S3_KEY_ID')).toBe(`FORMBOX_BACKUP_S3_KEY_ID: ${keyReason}`)
    expect(missing('FORMBOX_BACKUP_S3_SECRET')).toBe(`FORMBOX_BACKUP_S3_SECRET: ${keyReason}`)
    expect(missing('FORMBOX_BACKUP_EVERY')).toBe('FORMBOX_BACKUP_EVERY: must be set, because FORMBOX_BACKUP_S3 is')
    expect(parse({ FORMBOX_BACKUP_S3: '', FORMBOX_BACKUP_EVERY: '' })).toMatchObject({ offSiteUrl: null })
  })

  test('never shows its keys, also from files', async () => {
    const folder = temporaryFolder()
    await Bun.write(join(folder, 'id'), 'AKEXAMPLE\n')
    await Bun.write(join(folder, 'secret'), 'hunter2/+=\n')
    const { FORMBOX_BACKUP_EVERY, FORMBOX_BACKUP_S3 } = complete
    const environment = {
      FORMBOX_BACKUP_EVERY,
      FORMBOX_BACKUP_S3,
      FORMBOX_BACKUP_S3_KEY_ID_FILE: join(folder, 'id'),
      FORMBOX_BACKUP_S3_SECRET_FILE: join(folder, 'secret'),
    }
    const { exitCode, stdout } = await formbox(['config'], { environment })
    expect(exitCode).toBe(0)
    expect(stdout).not.toMatch(/hunter2|AKEXAMPLE/)
    expect(stdout).toMatch(/^FORMBOX_BACKUP_S3_SECRET +\(set\) +file$/m)
    const bad = { ...complete, FORMBOX_BACKUP_S3_SECRET: 'hunter2 with spaces' }
    const refused = await formbox(['config'], { environment: bad })
    expect(refused.stderr).toStartWith('formbox: FORMBOX_BACKUP_S3_SECRET: must be 1 to 256')
    expect(refused.stderr).not.toContain('hunter2')
  })
})
