// What the first bytes of a file say it is.
import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { disagrees, kindBytes, kindOf, kindWords } from '../../src/submissions/files/kind.ts'

/** One byte a character. */
const bytes = (text: string): Uint8Array => Buffer.from(text, 'latin1')
const ftyp = (brand: string) => `\0\0\0\x20ftyp${brand}\0\0\0\0`
const windowsProgram = `MZ\x90\0\x03${'\0'.repeat(60)}This program cannot be run in DOS mode.`

const samples: readonly (readonly [what: string, beginning: string, kind: string])[] = [
  ['PNG', '\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'image/png'],
  ['JPEG', '\xff\xd8\xff\xe0\0\x10JFIF', 'image/jpeg'],
  ['GIF of 1987', 'GIF87a\x01', 'image/gif'],
  ['GIF of 1989', 'GIF89a\x01', 'image/gif'],
  ['WebP', 'RIFF\x24\0\0\0WEBPVP8 ', 'image/webp'],
  ['HEIC of an iPhone', ftyp('heic'), 'image/heic'],
  ['HEIC of several images', ftyp('mif1'), 'image/heic'],
  ['AVIF', ftyp('avif'), 'image/avif'],
  ['PDF', '%PDF-1.7\n', 'application/pdf'],
  ['PDF with other bytes before it', `\xef\xbb\xbf\n${' '.repeat(900)}%PDF-1.4\n`, 'application/pdf'],
  ['ZIP and Office', 'PK\x03\x04\x14\0', 'application/zip'],
  ['empty ZIP', `PK\x05\x06${'\0'.repeat(18)}`, 'application/zip'],
  ['old Office', '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0', 'application/x-cfb'],
  ['MP3 with tags', 'ID3\x04\0', 'audio/mpeg'],
  ['MP3 without tags', '\xff\xfb\x90\x64\0', 'audio/mpeg'],
  ['MP4', ftyp('isom'), 'video/mp4'],
  ['MP4 of sound', ftyp('M4A '), 'video/mp4'],
  ['MOV', ftyp('qt  '), 'video/quicktime'],
  ['old MOV', '\0\0\0\x08wide\0\0\0\0mdat', 'video/quicktime'],
  ['WebM of sound', '\x1a\x45\xdf\xa3\x9fwebm\x86\x86A_OPUS', 'audio/webm'],
  ['WebM', '\x1a\x45\xdf\xa3\x9fwebm\x86\x85V_VP9\x86\x86A_OPUS', 'video/webm'],
  ['Matroska that begins with other things', '\x1a\x45\xdf\xa3\x9fmatroska', 'video/webm'],
  ['Ogg of sound', 'OggS\0\x02OpusHead', 'audio/ogg'],
  ['Ogg', 'OggS\0\x02\x80theora', 'video/ogg'],
  ['program of Windows', windowsProgram, 'application/x-executable'],
  ['program of Linux', '\x7fELF\x02\x01\x01\0', 'application/x-executable'],
  ['program of macOS', '\xcf\xfa\xed\xfe\x07\0\0\x01', 'application/x-executable'],
  ['class of Java', '\xca\xfe\xba\xbe\0\0\0\x34', 'application/x-executable'],
  ['WebAssembly', '\0asm\x01\0\0\0', 'application/x-executable'],
  ['script', '#!/bin/sh\nrm -rf /', 'text/x-script'],
  ['script with a space', '#! /usr/bin/env python3\n', 'text/x-script'],
]

describe('kindOf', () => {
  test.each(samples)('knows %s', (_what, beginning, kind) => {
    expect(kindOf(bytes(beginning))).toBe(kind)
    expect(kindOf(bytes(beginning.padEnd(kindBytes, 'x')))).toBe(kind)
  })

  test.each([
    ['nothing', ''],
    ['text', 'Dear Ada,\n'],
    [
      'text that begins like a program of Windows',
      'MZ and PZ are the initials of two people, who wrote a lot of programs.',
    ],
    ['text in UTF-16', '\xff\xfeH\0i\0'],
    ['a page', '<!doctype html><script>alert(1)</script>'],
    ['SVG', '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'],
    ['a recording of a telephone', '#!AMR\n\x3c'],
    ['sound in RIFF', 'RIFF\x24\0\0\0WAVEfmt '],
    ['a PDF that begins after 2,000 bytes', `${'x'.repeat(2000)}%PDF-1.7`],
    ['half a signature', '\x89PNG'],
  ])('knows nothing of %s', (_what, beginning) => {
    expect(kindOf(bytes(beginning))).toBeNull()
  })

  test('is not deceived by a program that holds a PDF', () => {
    expect(kindOf(bytes(`${windowsProgram}%PDF-1.7`))).toBe('application/x-executable')
    expect(kindOf(bytes('#!/bin/sh\n# %PDF-1.7'))).toBe('text/x-script')
  })

  test('reads 4,096 bytes at most, whatever follows', () => {
    const long = new Uint8Array(1024 * 1024)
    long.set(bytes('GIF89a'))
    expect(kindOf(long)).toBe('image/gif')
    expect(kindOf(long.subarray(0, kindBytes))).toBe('image/gif')
  })

  test('knows the program that runs this test', () => {
    expect(kindOf(readFileSync(process.execPath).subarray(0, kindBytes))).toBe('application/x-executable')
  })
})

describe('kindWords', () => {
  test('has words for each kind, and for none', () => {
    for (const [, , kind] of samples) expect(kindWords(kind)).toMatch(/^(an? |MP3 audio)/)
    expect(kindWords('application/x-executable')).toBe('a program')
    expect(kindWords(null)).toBe('of another kind')
    expect(kindWords('constructor')).toBe('of another kind')
  })
})

describe('disagrees', () => {
  const exe = 'application/x-executable'
  test.each<[name: string, type: string, kind: string | null]>([
    ['cv.pdf', 'application/pdf', exe],
    ['cv.pdf', '', exe],
    ['cv', 'application/pdf', exe],
    ['CV.PDF ', 'application/octet-stream', 'application/zip'],
    ['cv', 'Application/PDF; charset=x', 'text/x-script'],
    ['cv.pdf', 'application/pdf', null],
    ['photo.jpg', 'image/jpeg', 'image/webp'],
    ['photo.png', 'image/png', null],
    ['notes.txt', 'text/plain', exe],
    ['table.csv', 'text/csv', 'application/zip'],
    ['drawing.svg', 'image/svg+xml', exe],
    ['scan.xyz', 'image/x-unheard-of', exe],
    ['cv.docx', '', exe],
    ['cv.doc', '', 'application/pdf'],
    ['film.mp4', 'video/mp4', 'application/zip'],
  ])('finds that %s, declared as “%s”, is not %s', (name, type, kind) => {
    expect(disagrees(name, type, kind)).toBe(true)
  })

  test.each<[name: string, type: string, kind: string | null]>([
    ['cv.pdf', 'application/pdf', 'application/pdf'],
    ['photo.JPG', 'image/jpeg', 'image/jpeg'],
    ['IMG_1.heic', '', 'image/heic'],
    ['cv.docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'application/zip'],
    // Encrypted.
    ['cv.docx', '', 'application/x-cfb'],
    ['cv.doc', 'application/msword', 'application/x-cfb'],
    // As banks and other programs write tables: text, or of today under the name of earlier.
    ['table.xls', 'application/vnd.ms-excel', null],
    ['table.xls', 'application/vnd.ms-excel', 'application/zip'],
    // What Windows says of a table.
    ['table.csv', 'application/vnd.ms-excel', null],
    ['notes.txt', 'text/plain', null],
    ['build.sh', 'text/x-sh', 'text/x-script'],
    ['voice.m4a', 'audio/mp4', 'video/mp4'],
    ['song.mp3', 'audio/mpeg', null],
    ['voice.webm', 'video/webm', 'audio/webm'],
    ['voice.wav', 'audio/wav', 'audio/webm'],
    ['scan.tiff', 'image/tiff', null],
    ['setup.exe', 'application/x-msdownload', exe],
    ['data', '', exe],
    ['data.bin', 'application/octet-stream', 'application/zip'],
  ])('believes that %s, declared as “%s”, is %s', (name, type, kind) => {
    expect(disagrees(name, type, kind)).toBe(false)
  })
})
