import { crc32 } from 'node:zlib'

interface Entry {
  readonly name: string
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly isExecutable: boolean
}

/** In a tar archive, a name with a slash at the end is a folder, which has no bytes. */
export interface TarEntry extends Entry {
  /** Instead of the usual one. */
  readonly mode?: number
}

// Written here rather than by the system's tar and zip, whose bytes differ from one machine to the next: they keep the
// names of the owner and the order of the folder, and compress each in their own way.

/** A tar archive (POSIX ustar) with gzip around it. Its bytes depend on the arguments and Bun's version alone. */
export const toTarGz = (entries: readonly TarEntry[], time: number): Uint8Array<ArrayBuffer> => {
  const blocks = entries.flatMap((entry) => [
    tarHeader(entry, time),
    entry.bytes,
    new Uint8Array(-entry.bytes.length & (tarBlock - 1)),
  ])
  return toGzip(Buffer.concat([...blocks, new Uint8Array(2 * tarBlock)]))
}

export const toGzip = (bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> => {
  const gzip = Bun.gzipSync(bytes, strongest)
  // Neither a time nor the system that compressed it (RFC 1952, section 2.3.1).
  gzip.set([0, 0, 0, 0], 4)
  gzip[9] = 255
  return gzip
}

/** 2.7 % less than gzip -9 makes, in 7 s instead of 10 for 116 MB; level 12 takes 14 s for another 0.05 %. */
const strongest = { library: 'libdeflate', level: 10 } as const
const tarBlock = 512

const tarHeader = (entry: TarEntry, time: number): Uint8Array => {
  const { name, bytes } = entry
  const header = Buffer.alloc(tarBlock)
  const octal = (value: number, at: number, length: number) =>
    header.write(value.toString(8).padStart(length - 1, '0'), at)
  if (Buffer.byteLength(name) > 100) throw new Error(`${name}: a name in a tar archive has at most 100 bytes`)
  header.write(name, 0)
  octal(entry.mode ?? modeOf(entry), 100, 8)
  octal(0, 108, 8)
  octal(0, 116, 8)
  octal(bytes.length, 124, 12)
  octal(time, 136, 12)
  header.write(`        ${name.endsWith('/') ? 5 : 0}`, 148)
  header.write('ustar\x0000root', 257)
  header.write('root', 297)
  header.write(
    header
      .reduce((sum, byte) => sum + byte, 0)
      .toString(8)
      .padStart(6, '0'),
    148,
  )
  header.write('\0 ', 154)
  return header
}

/** A zip archive, as Windows opens it. Its bytes depend on the arguments and Bun's version alone. */
export const toZip = (entries: readonly Entry[], time: number): Uint8Array => {
  const parts: Uint8Array[] = []
  const directory: Uint8Array[] = []
  let at = 0
  for (const entry of entries) {
    const packed = Bun.deflateSync(entry.bytes, strongest)
    const common = zipFields(entry, packed.length, time)
    const name = Buffer.from(entry.name)
    parts.push(Buffer.from('PK\x03\x04', 'latin1'), common, name, packed)
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(((modeOf(entry) | 0o100000) << 16) >>> 0, 6)
    rest.writeUInt32LE(at, 10)
    // Made by version 2.0 on Unix, so that the modes count where there are any.
    directory.push(Buffer.from('PK\x01\x02\x14\x03', 'latin1'), common, rest, name)
    at += 4 + common.length + name.length + packed.length
  }
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(entries.length, 8)
  end.writeUInt16LE(entries.length, 10)
  end.writeUInt32LE(
    directory.reduce((sum, { length }) => sum + length, 0),
    12,
  )
  end.writeUInt32LE(at, 16)
  return Buffer.concat([...parts, ...directory, end])
}

const modeOf = ({ isExecutable }: Entry): number => (isExecutable ? 0o755 : 0o644)

/** What the local header and the directory have in common, from the version needed to the length of the extra field. */
const zipFields = ({ name, bytes }: Entry, packedLength: number, time: number): Uint8Array => {
  const date = new Date(time * 1000)
  const fields = Buffer.alloc(26)
  fields.writeUInt16LE(20, 0)
  fields.writeUInt16LE(8, 4)
  // The format of MS-DOS: two seconds a step, years from 1980, no time zone.
  fields.writeUInt16LE((date.getUTCHours() << 11) | (date.getUTCMinutes() << 5) | (date.getUTCSeconds() >> 1), 6)
  fields.writeUInt16LE(((date.getUTCFullYear() - 1980) << 9) | ((date.getUTCMonth() + 1) << 5) | date.getUTCDate(), 8)
  fields.writeUInt32LE(crc32(bytes), 10)
  fields.writeUInt32LE(packedLength, 14)
  fields.writeUInt32LE(bytes.length, 18)
  fields.writeUInt16LE(Buffer.byteLength(name), 22)
  return fields
}
