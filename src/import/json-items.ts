/** What is found in a chunk. */
interface Found {
  /** Where items begin and end. */
  readonly items: readonly (readonly [start: number, end: number])[]
  /** Where the rest begins, which the caller puts before the next chunk. */
  readonly restStart: number
}

/**
 * Finds the items of a JSON array, or of the array `name` in an object, in a text that arrives in chunks. It looks only
 * at brackets, commas and quotation marks, whose bytes UTF-8 uses for nothing else. Whether an item is valid shows when
 * it is parsed.
 */
export const jsonItems = (name: string) => {
  let depth = 0
  /** Depth inside the array; 0 before it and -1 after it. */
  let arrayDepth = 0
  let itemStart = -1
  let stringStart = -1
  let isEscaped = false
  let lastName = ''
  let isBroken = false

  /** Returns whether the byte was part of a string. */
  const skipString = (bytes: Buffer, at: number): boolean => {
    if (stringStart === -1) return false
    if (isEscaped) isEscaped = false
    else if (bytes[at] === 0x5c) isEscaped = true
    else if (bytes[at] === 0x22) {
      if (depth === 1 && arrayDepth === 0) lastName = bytes.toString('utf8', stringStart + 1, at)
      stringStart = -1
    }
    return true
  }

  const open = (isArray: boolean): void => {
    const isIt = isArray && arrayDepth === 0 && (depth === 0 || (depth === 1 && lastName === name))
    depth++
    if (isIt) arrayDepth = depth
  }

  /** @param bytes the rest of the last call, and then the next chunk @param from length of that rest */
  const find = (bytes: Buffer, from: number): Found => {
    const items: [number, number][] = []
    const endItem = (at: number): void => {
      if (itemStart !== -1) items.push([itemStart, at])
      itemStart = -1
    }
    for (let at = from; at < bytes.length; at++) {
      if (skipString(bytes, at)) continue
      const byte = bytes[at] as number
      if (isSpace(byte)) continue
      const isEnd = byte === 0x5d || byte === 0x7d
      const isInArray = arrayDepth > 0 && depth === arrayDepth
      if (isInArray && (byte === 0x2c || isEnd)) endItem(at)
      else if (isInArray && itemStart === -1) itemStart = at
      if (depth === 0 && (arrayDepth !== 0 || lastName !== '' || (byte !== 0x5b && byte !== 0x7b))) isBroken = true
      if (byte === 0x22) stringStart = at
      else if (byte === 0x5b || byte === 0x7b) open(byte === 0x5b)
      else if (isEnd && depth-- === arrayDepth) arrayDepth = -1
    }
    const restStart = itemStart !== -1 ? itemStart : stringStart !== -1 ? stringStart : bytes.length
    if (itemStart !== -1) itemStart -= restStart
    if (stringStart !== -1) stringStart -= restStart
    return { items, restStart }
  }

  return { find, isWhole: (): boolean => arrayDepth === -1 && depth === 0 && !isBroken }
}

/** Includes the bytes of a byte order mark. */
const isSpace = (byte: number): boolean =>
  byte === 0x20 || (byte >= 0x09 && byte <= 0x0d) || byte === 0xef || byte === 0xbb || byte === 0xbf
