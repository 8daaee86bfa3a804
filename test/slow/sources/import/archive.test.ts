import { describe, expect, test } from 'bun:test'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32, deflateRawSync } from 'node:zlib'
import { AppError } from '../../../../src/base/errors.ts'
import { createdAt, newId } from '../../../../src/base/id.ts'
import { existingForm } from '../../../../src/commands/data-folder.ts'
import { timeFlags } from '../../../../src/commands/import.ts'
import { openSnapshot } from '../../../../src/storage/snapshot.ts'
import { fileReads } from '../../../../src/submissions/files/file-reads.ts'
import { type ExportOptions, exportParts } from '../../../../src/transfer/export/export.ts'
import type { ImportFormat } from '../../../../src/transfer/formats.ts'
import { importFile } from '../../../../src/transfer/import/import-file.ts'
import { entriesOf, someBytes, submitFiles } from '../../../export/archived.ts'
import { temporaryFolder } from '../../../harness.ts'
import { openData } from '../../../storage/data.ts'
import { expectSound, rowsOf } from '../../../storage/sound.ts'

type Data = ReturnType<typeof openData>

const exported = async ({ folder, formId }: Data, format: ExportOptions['format'] = 'zip'): Promise<Buffer> => {
  const { db, close } = openSnapshot(folder)
  try {
    const form = existingForm(db, formId)
    const options = {
      format,
      range: { start: null, end: null },
      style: {},
    }
    const parts: Buffer[] = []
    for await (const part of exportParts(db, form, options)) parts.push(Buffer.from(part as Uint8Array))
    return Buffer.concat(parts)
  } finally {
    close()
  }
}

const imported = async (
  data: Data,
  archive: Uint8Array,
  options: { isDryRun?: boolean; format?: ImportFormat; settings?: object } = {},
) => {
  const { db, folder, formId } = data
  const path = join(temporaryFolder(), 'in')
  writeFileSync(path, archive)
  const { isDryRun = false, format = 'zip', settings } = options
  const found = existingForm(db, formId)
  const form = settings ? { ...found, settings: JSON.stringify(settings) } : found
  const { plan, ...outcome } = await importFile({ db, folder, form, write: null }, path, {
    format,
    isRaw: false,
    time: { timeZone: 'UTC', isOff: true, words: timeFlags },
    isDryRun,
    onProgress: () => {},
  })
  return { imported: plan.rows, present: plan.present, ...outcome }
}

/** The problems, as the command says them. */
const refusal = async (data: Data, archive: Uint8Array, format?: ImportFormat): Promise<string[]> => {
  const error = await imported(data, archive, { ...(format && { format }) }).then(
    () => 'it was imported',
    (error) => error,
  )
  if (!(error instanceof AppError)) throw error
  return error.issues.map(({ field, message }) => (field === undefined ? message : `${field}: ${message}`))
}

const expectNothingLeft = (data: Data): void => {
  const { folder } = data
  expect(rowsOf(folder, 'SELECT id FROM submissions')).toEqual([])
  expect(rowsOf(folder, 'SELECT id FROM files')).toEqual([])
  expect(rowsOf(folder, 'SELECT number FROM file_pieces')).toEqual([])
  expect(readdirSync(folder).filter((name) => name.includes('import'))).toEqual([])
  expectSound(folder)
}

interface Packed {
  readonly name: string
  readonly bytes: Uint8Array
  readonly method?: 0 | 8
  /** What the archive says instead of the truth. */
  readonly says?: { readonly size?: number; readonly crc?: number; readonly offset?: number; readonly flags?: number }
}

/** An archive as another program packs it, or as someone does who wants to do harm. */
const pack = (entries: readonly Packed[], count = entries.length): Buffer => {
  const parts: Buffer[] = []
  const central: Buffer[] = []
  let offset = 0
  for (const { name, bytes, method = 8, says = {} } of entries) {
    const packed = method === 8 ? deflateRawSync(bytes) : Buffer.from(bytes)
    const path = Buffer.from(name)
    const header = Buffer.alloc(46)
    header.writeUInt32LE(0x02014b50, 0)
    header.writeUInt16LE(20, 6)
    header.writeUInt16LE(0x800 | (says.flags ?? 0), 8)
    header.writeUInt16LE(method, 10)
    header.writeUInt32LE(says.crc ?? crc32(bytes), 16)
    header.writeUInt32LE(packed.length, 20)
    header.writeUInt32LE(says.size ?? bytes.length, 24)
    header.writeUInt16LE(path.length, 28)
    header.writeUInt32LE(says.offset ?? offset, 42)
    central.push(header, path)
    const local = Buffer.alloc(30)
    local.writeUInt32LE(0x04034b50, 0)
    header.copy(local, 4, 6, 32)
    parts.push(local, path, packed)
    offset += 30 + path.length + packed.length
  }
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(count, 8)
  end.writeUInt16LE(count, 10)
  end.writeUInt32LE(Buffer.concat(central).length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...parts, ...central, end])
}

const ids = { submission: newId(Date.UTC(2026, 0, 1)), file: newId(Date.UTC(2026, 0, 1)) }
const line = (size: number, id = ids.submission, file = ids.file): string =>
  `${JSON.stringify({
    id,
    formId: 'x',
    data: { cv: { filename: 'cv.pdf', type: 'application/pdf', size, file } },
    createdAt: createdAt(id),
    files: [file],
  })}\n`
const path = `files/${ids.submission}/1-cv.pdf`
const submissionsOf = (text: string, rest: Partial<Packed> = {}): Packed => ({
  name: 'submissions.ndjson',
  bytes: Buffer.from(text),
  ...rest,
})

describe('formbox import of an archive', () => {
  test('gives back what was exported, to the last byte', async () => {
    const data = openData()
    for (const size of [0, 1, 65_536, 600_000, 524_288])
      submitFiles(data, {
        name: `Größe ${size}`,
        photos: [
          { name: 'ä/ö.png', bytes: someBytes(size), type: 'image/png' },
          { name: 'ä/ö.png', bytes: someBytes(size + 1) },
        ],
      })
    submitFiles(data, { long: 'x'.repeat(100_000), cv: [{ name: 'a', bytes: Buffer.from('%PDF-1.7\n') }] })
    submitFiles(data, { name: 'no files' })
    const archive = await exported(data)
    const other = openData()
    expect(await imported(other, archive)).toMatchObject({ imported: 7, present: 0, files: 11, missing: 0 })
    expectSound(other.folder)
    const [before, after] = [await entriesOf(archive), await entriesOf(await exported(other))]
    expect([...after.keys()]).toEqual([...before.keys()])
    for (const [name, { bytes, date }] of before) {
      const text = (of: Buffer) => of.toString().replaceAll(data.formId, other.formId)
      if (name === 'submissions.ndjson') expect(text(after.get(name)?.bytes as Buffer)).toBe(text(bytes))
      else expect(after.get(name)?.bytes.equals(bytes), name).toBe(true)
      if (name.startsWith('files/')) expect(after.get(name)?.date).toEqual(date)
    }
    const kinds = 'SELECT name, kind FROM files WHERE kind IS NOT NULL'
    expect(rowsOf(other.folder, kinds)).toEqual([{ name: 'a', kind: 'application/pdf' }])
    expect(rowsOf(other.folder, 'SELECT id FROM files WHERE staged_by IS NOT NULL')).toEqual([])
    // Once more, it adds nothing.
    expect(await imported(other, archive)).toMatchObject({ imported: 0, present: 7, files: 0, missing: 0 })
    expectSound(other.folder)
  })

  test('keeps the order in which the files of several fields were sent', async () => {
    const data = openData()
    const { id, files } = submitFiles(data, {
      a: [1, 2].map((n) => ({ name: `${n}`, bytes: someBytes(n) })),
      b: [{ name: '3', bytes: someBytes(3) }],
    })
    // As a body that has the fields in turn.
    data.db.$client.run('UPDATE files SET position = position + 10')
    for (const [position, at] of [0, 2, 1].entries())
      data.db.$client.run('UPDATE files SET position = ? WHERE id = ?', [position, files[at] as string])
    const other = openData()
    await imported(other, await exported(data))
    expect(rowsOf(other.folder, 'SELECT name, submission FROM files ORDER BY position')).toEqual(
      ['1', '3', '2'].map((name) => ({ name, submission: id })),
    )
  })

  test('brings the files to another form beside the first one', async () => {
    const data = openData()
    const { id } = submitFiles(data, { cv: [{ name: 'a', bytes: someBytes(100_000) }] })
    const archive = await exported(data)
    const formId = data.createForm(data.userId)
    expect(await imported({ ...data, formId }, archive)).toMatchObject({ imported: 1, files: 1 })
    const reads = fileReads(data.db)
    const [first, second] = [1, 2].map((form) => reads.list({ form, list: 0 }, id)[0])
    expect(second).toEqual({ ...first, number: expect.any(Number) } as never)
    expectSound(data.folder)
  })

  test.each([
    ['deflate', 8, ''],
    ['no compression', 0, ''],
    ['a folder that was packed', 8, 'Contact (2)/'],
  ] as const)('takes an archive that was packed again with %s', async (_how, method, folder) => {
    const data = openData()
    const bytes = Buffer.alloc(700_000, 'text ')
    const entries = [
      { name: `${folder}files/`, bytes: Buffer.alloc(0) },
      { name: `${folder}${path}`, bytes },
      { name: `__MACOSX/${folder}files/${ids.submission}/._1-cv.pdf`, bytes: Buffer.from('x') },
      submissionsOf(line(bytes.length), { name: `${folder}submissions.ndjson` }),
    ]
    const archive = pack(entries.map((entry) => ({ ...entry, method })))
    expect(await imported(data, archive)).toMatchObject({ imported: 1, files: 1, missing: 0 })
    const found = await entriesOf(await exported(data))
    expect(found.get(path)?.bytes.equals(bytes)).toBe(true)
    expectSound(data.folder)
  })

  test('keeps what names a file that is not there, and says how many', async () => {
    const data = openData()
    submitFiles(data, { photos: [1, 2].map((n) => ({ name: `${n}.png`, bytes: someBytes(n) })) })
    submitFiles(data, { name: 'Ada' })
    const ndjson = await exported(data, 'ndjson')
    const other = openData()
    expect(await imported(other, ndjson, { format: 'ndjson' })).toMatchObject({ imported: 2, files: 0, missing: 2 })
    expect(rowsOf(other.folder, 'SELECT data FROM submissions')).toEqual(
      rowsOf(data.folder, 'SELECT data FROM submissions'),
    )
    const third = openData()
    expect(await imported(third, pack([submissionsOf(line(5))]))).toMatchObject({ imported: 1, files: 0, missing: 1 })
  })

  test('changes nothing in a dry run, but finds what is damaged', async () => {
    const data = openData()
    const bytes = someBytes(100_000)
    const good = pack([submissionsOf(line(100_000)), { name: path, bytes }])
    expect(await imported(data, good, { isDryRun: true })).toMatchObject({ imported: 1, files: 1 })
    const bad = pack([submissionsOf(line(100_000)), { name: path, bytes, says: { crc: 1 } }])
    await expect(imported(data, bad, { isDryRun: true })).rejects.toThrow('Invalid input data')
    expectNothingLeft(data)
  })
})

describe('formbox import of files as Base64 in JSON', () => {
  const fileOf = (filename: string, bytes: Uint8Array, rest: object = {}) => ({
    filename,
    type: 'application/pdf',
    size: bytes.length,
    base64: Buffer.from(bytes).toString('base64'),
    ...rest,
  })
  const pdf = Buffer.concat([Buffer.from('%PDF-1.7\n'), someBytes(1_500_000)])
  const sent = {
    long: '\u0000',
    cv: fileOf('cv.pdf', pdf),
    photos: ['', fileOf('a.png', someBytes(70_000)), 'between', fileOf('empty', Buffer.alloc(0))],
  }
  const json = (data: object, id = ids.submission): string =>
    JSON.stringify({ id, data, createdAt: createdAt(id) }).replace('"\\u0000"', '12345678901234567890')

  test.each(['ndjson', 'json'] as const)('stores them as files, and leaves all else as it was: %s', async (format) => {
    const data = openData()
    const text = format === 'json' ? `[${json(sent)}]` : `${json(sent)}\n${json({ name: 'Ada' }, newId(Date.now()))}\n`
    expect(await imported(data, Buffer.from(text), { format, isDryRun: true })).toMatchObject({ files: 3, missing: 0 })
    expectNothingLeft(data)
    expect(await imported(data, Buffer.from(text), { format })).toMatchObject({ files: 3, missing: 0 })

    const names = 'SELECT name, type, size, kind, submission, staged_by FROM files ORDER BY position'
    const ofAll = { type: 'application/pdf', submission: ids.submission, staged_by: null }
    expect(rowsOf(data.folder, names)).toEqual([
      { ...ofAll, name: 'cv.pdf', size: pdf.length, kind: 'application/pdf' },
      { ...ofAll, name: 'a.png', size: 70_000, kind: null },
      { ...ofAll, name: 'empty', size: 0, kind: null },
    ])
    const [row] = rowsOf(data.folder, `SELECT data FROM submissions WHERE id = '${ids.submission}'`)
    expect(row?.data).toStartWith('{"long":12345678901234567890,"cv":{"filename":"cv.pdf",')
    const { cv, photos } = JSON.parse(String(row?.data))
    const [, first, , second] = photos
    const { list, bytesOf } = fileReads(data.db)
    const stored = list({ form: 1, list: 0 }, ids.submission)
    expect([cv, first, second]).toEqual(
      stored.map(({ id: file, name: filename, type, size }) => ({ filename, type, size, file })),
    )
    expect([photos[0], photos[2]]).toEqual(['', 'between'])
    expect(Buffer.concat([...bytesOf(stored[0] as (typeof stored)[0])]).equals(pdf)).toBe(true)
    expectSound(data.folder)
    // Once more, it adds nothing.
    expect(await imported(data, Buffer.from(text), { format })).toMatchObject({ imported: 0, files: 0 })
    expect(rowsOf(data.folder, names)).toHaveLength(3)
    expectSound(data.folder)
  })

  test('leaves what only looks like one, and everything in an archive, which has its files', async () => {
    const cv = fileOf('cv.pdf', Buffer.from('A'))
    const like = { more: { ...cv, note: 'x' }, named: { ...cv, file: 'x' }, deep: { cv }, lists: [[cv]] }
    for (const [text, format] of [
      [json(like), 'ndjson'],
      [pack([submissionsOf(json({ cv }))]), 'zip'],
    ] as const) {
      const data = openData()
      expect(await imported(data, Buffer.from(text), { format })).toMatchObject({ imported: 1, files: 0 })
      const [row] = rowsOf(data.folder, 'SELECT data FROM submissions')
      expect(JSON.parse(String(row?.data))).toEqual(format === 'zip' ? { cv } : like)
    }
  })

  test.each(['ndjson', 'json', 'csv'] as const)(
    'makes no file of what a visitor sent as data: export as %s',
    async (format) => {
      const data = openData()
      const { formId } = data
      const like = fileOf('evil.exe', Buffer.from('MZ'))
      const texts = [
        { cv: like, more: [like, 'x', like] },
        { [`${like.base64}`]: like, id: 'x', createdAt: 'y' },
      ]
      for (const [i, text] of texts.entries()) {
        const submission = { formId, id: newId(Date.now() + i), data: JSON.stringify(text), fieldNames: ['cv'] }
        expect(data.run('createSubmission', submission)).toBeUndefined()
      }
      const before = await exported(data, format)
      const other = openData()
      expect(await imported(other, before, { format })).toMatchObject({ imported: 2, files: 0, missing: 0 })
      const stored = ({ folder }: typeof data) => rowsOf(folder, 'SELECT id, data FROM submissions ORDER BY id')
      expect(stored(other)).toEqual(stored(data))
      const after = (await exported(other, format)).toString().replaceAll(other.formId, formId)
      // The columns of CSV are those that the form has now.
      if (format !== 'csv') expect(after).toBe(before.toString())
      expectSound(other.folder)
    },
  )

  test.each<[string, settings: object, files: readonly string[]]>([
    ['no rules', {}, ['a.pdf', 'b.png', 'c.pdf', 'large.pdf']],
    ['no files', { acceptFiles: false }, []],
    ['other kinds', { fileTypes: ['.pdf'] }, ['a.pdf', 'large.pdf']],
    ['other kinds for the field', { fields: [{ name: 'cv', type: 'file', fileTypes: ['image/*'] }] }, ['b.png']],
    ['smaller files', { maxFileBytes: 1024 }, ['a.pdf', 'b.png', 'c.pdf']],
    ['fewer files', { maxFiles: 2 }, ['a.pdf', 'b.png']],
  ])('obeys the rules of the form, and leaves the others as data: %s', async (_what, settings, taken) => {
    const data = openData()
    const cv = [
      fileOf('a.pdf', pdf.subarray(0, 9)),
      fileOf('b.png', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), { type: 'image/png' }),
      fileOf('c.pdf', Buffer.from('MZ\0\0')),
      fileOf('large.pdf', pdf.subarray(0, 2000)),
    ]
    const outcome = await imported(data, Buffer.from(json({ cv })), { format: 'ndjson', settings })
    expect(outcome).toMatchObject({ imported: 1, files: taken.length })
    const stored = JSON.parse(String(rowsOf(data.folder, 'SELECT data FROM submissions')[0]?.data)).cv
    for (const [i, like] of cv.entries())
      if (taken.includes(like.filename))
        expect(stored[i]).toMatchObject({ filename: like.filename, file: expect.any(String) })
      else expect(stored[i]).toEqual(like)
    expectSound(data.folder)
  })

  test.each([
    ['that is not valid', { cv: fileOf('a.pdf', pdf, { base64: 'QQ=' }) }, 0],
    ['with other characters', { cv: fileOf('a', pdf, { base64: 'QQ==\n' }) }, 0],
    ['of another size', { cv: [fileOf('a.pdf', pdf.subarray(0, 9), { size: 5 })] }, 0],
    ['beyond the twentieth', { cv: Array(21).fill(fileOf('a', pdf.subarray(0, 9))) }, 20],
  ])('leaves one %s as it is, because anyone may have sent it', async (_what, like, files) => {
    const data = openData()
    const text = `${json(sent)}\n${json(like, newId(Date.now()))}\n`
    const before = await imported(openData(), Buffer.from(`${json(sent)}\n`), { format: 'ndjson' })
    const outcome = await imported(data, Buffer.from(text), { format: 'ndjson' })
    expect(outcome).toMatchObject({ imported: 2, files: before.files + files })
    const [row] = rowsOf(data.folder, 'SELECT data FROM submissions ORDER BY id DESC LIMIT 1')
    expect([JSON.parse(String(row?.data)).cv].flat().at(-1)).toEqual([like.cv].flat().at(-1))
  })
})

describe('formbox import refuses, and changes nothing,', () => {
  const bytes = Buffer.alloc(100_000, 'abc')
  const good = { name: path, bytes }
  const submissions = submissionsOf(line(bytes.length))
  const wrongs: Record<string, [archive: () => Buffer, problem: string | RegExp]> = {
    'what is no archive': [
      () => Buffer.from('id,createdAt\r\n'),
      /^is not an archive that can be read: End of central directory/,
    ],
    'an archive that was cut off': [
      () => pack([submissions, good]).subarray(0, -100),
      /^is not an archive that can be read: /,
    ],
    'an archive of another service': [
      () => pack([good]),
      'is a ZIP that Formbox has not exported: it has no submissions.ndjson. Unpack it, and import the CSV, XLSX or JSON that is in it',
    ],
    'two tables of submissions': [
      () =>
        pack([
          submissionsOf('', { name: 'a/submissions.ndjson' }),
          submissionsOf('', { name: 'b/submissions.ndjson' }),
        ]),
      'b/submissions.ndjson: is a second submissions.ndjson; the other is a/submissions.ndjson',
    ],
    'submissions that are wrong': [() => pack([submissionsOf('{}\n')]), 'line 1: body: must hold at least one field'],
    'submissions that are not UTF-8': [
      () => pack([submissionsOf('', { bytes: Buffer.from('{"a":"\xff"}', 'latin1') })]),
      /must be UTF-8/,
    ],
    'a damaged file': [
      () => pack([submissions, { ...good, method: 0, says: { crc: crc32(bytes) + 1 } }]),
      `${path}: is damaged: its checksum is another`,
    ],
    'damaged submissions': [
      () => pack([{ ...submissions, says: { crc: 1 } }, good]),
      'submissions.ndjson: is damaged: its checksum is another',
    ],
    'a file whose compression is damaged': [
      () => {
        const archive = pack([submissions, { ...good, bytes: someBytes(bytes.length) }])
        archive.fill(0xff, archive.indexOf(path) + path.length, archive.indexOf(path) + path.length + 1000)
        return archive
      },
      new RegExp(`^${path}: is damaged: `),
    ],
    'a file that is larger than it says': [
      () => pack([submissionsOf(line(10)), { ...good, says: { size: 10 } }]),
      `${path}: is larger than the archive says`,
    ],
    'a file that is smaller than it says': [
      () => pack([submissionsOf(line(200_000)), { ...good, says: { size: 200_000 } }]),
      `${path}: is smaller than the archive says`,
    ],
    'a file of another size than its submission says': [
      () => pack([submissionsOf(line(5)), good]),
      `line 1: ${path} has 100000 bytes in the archive, and 5 by this submission`,
    ],
    'a file of more than 100 MiB': [
      () => pack([submissions, { ...good, says: { size: 104_857_601 } }]),
      `${path}: must be at most 104857600 bytes`,
    ],
    'two files with the same number': [
      () => pack([submissions, good, { name: `files/${ids.submission}/1-other`, bytes }]),
      `files/${ids.submission}/1-other: is a second file with this number; the other is ${path}`,
    ],
    'one file of two submissions': [
      () => {
        const other = newId(Date.UTC(2026, 0, 2))
        const table = submissionsOf(line(bytes.length) + line(bytes.length, other))
        return pack([table, good, { name: `files/${other}/1-cv.pdf`, bytes }])
      },
      `line 2: has a file ${ids.file}, and so has another submission`,
    ],
    'more than 20 files of a submission': [
      () => {
        const files = Array.from({ length: 21 }, () => newId(Date.UTC(2026, 0, 1)))
        const objects = files.map((file) => ({ filename: 'a', type: '', size: 1, file }))
        const { submission: id } = ids
        const table = JSON.stringify({ id, createdAt: createdAt(id), data: { cv: objects }, files })
        const packed = files.map((_, i) => ({ name: `files/${id}/${i + 1}-a`, bytes: Buffer.from('x') }))
        return pack([submissionsOf(table), ...packed])
      },
      'line 1: must have at most 20 files',
    ],
    'an encrypted file': [() => pack([submissions, { ...good, says: { flags: 1 } }]), `${path}: is encrypted`],
    'a path that leads out': [
      () => pack([submissions, { name: '../../etc/passwd', bytes }]),
      'is not an archive that can be read: invalid relative path: ../../etc/passwd',
    ],
    'an absolute path': [
      () => pack([submissions, { name: '/etc/passwd', bytes }]),
      'is not an archive that can be read: absolute path: /etc/passwd',
    ],
    'entries that share their bytes': [
      () => pack([submissions, good, { name: `files/${ids.submission}/2-cv.pdf`, bytes, says: { offset: 0 } }]),
      /shares bytes with another entry$/,
    ],
    'an entry beyond the end': [
      () => pack([submissions, { ...good, says: { offset: 9_999_999 } }]),
      `${path}: goes beyond the end of the archive`,
    ],
    'fewer entries than it says': [() => pack([submissions, good], 3), /^is not an archive that can be read: /],
  }

  test.each(Object.entries(wrongs))('%s', async (_what, [archive, problem]) => {
    const data = openData()
    const problems = await refusal(data, archive())
    expect(problems).toEqual([typeof problem === 'string' ? problem : expect.stringMatching(problem)])
    expectNothingLeft(data)
  })

  test('a count of entries that is absurd, before it reads them', async () => {
    const data = openData()
    const archive = pack([submissions, good])
    const end = archive.subarray(-22)
    const wide = Buffer.alloc(76)
    wide.writeUInt32LE(0x06064b50, 0)
    wide.writeBigUInt64LE(44n, 4)
    wide.writeBigUInt64LE(10_000_000_000n, 32)
    wide.writeUInt32LE(0x07064b50, 56)
    wide.writeBigUInt64LE(BigInt(archive.length - 22), 64)
    expect(await refusal(data, Buffer.concat([archive.subarray(0, -22), wide, end]))).toEqual([
      'has 10000000000 entries; an archive has at most 130100',
    ])
    expectNothingLeft(data)
  })

  test('a bomb that would fill the disk, before it unpacks it', async () => {
    const data = openData()
    const huge = Array.from({ length: 2000 }, (_, i) => ({
      name: `files/${ids.submission}/${i + 1}-a`,
      bytes: Buffer.alloc(0),
      says: { size: 104_857_600 },
    }))
    // 200 GB
    const [problem] = await refusal(data, pack([submissions, ...huge]))
    expect(problem).toMatch(/^that needs \d+ MB of free disk space in its folder, which has \d+ MB$/)
    expectNothingLeft(data)
  })
})
