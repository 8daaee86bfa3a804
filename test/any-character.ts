import fc from 'fast-check'

/** Any character of Unicode. It is what fast-check calls `binary`, which takes 600 ms to make. */
export const anyCharacter = fc
  .oneof(fc.nat(0xd7ff), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((code) => String.fromCodePoint(code))
