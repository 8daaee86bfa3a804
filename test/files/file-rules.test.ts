// Which files a form takes.
import { describe, expect, test } from 'bun:test'
import { attributesOf } from '../../src/forms/fields/field-attributes.ts'
import { checkFile, maxFileBytesOf, maxFilesOf } from '../../src/submissions/files/file-rules.ts'
import { refusalOf } from '../refusal.ts'

const bytesOf = {
  pdf: '%PDF-1.7\n',
  png: '\x89PNG\r\n\x1a\n',
  webp: 'RIFF\x24\0\0\0WEBPVP8 ',
  zip: 'PK\x03\x04',
  program: '\x7fELF\x02',
  text: 'Hello',
  nothing: '',
  jpeg: '\xff\xd8\xff\xe0\0\x10JFIF',
  heic: '\0\0\0\x18ftypheic',
  mp3: 'ID3\x04\0',
  mp4: '\0\0\0\x20ftypisom',
  gifWithPhp: 'GIF89a<?php system($_GET["c"]);',
  pdfWithPage: '<script>alert(1)</script>%PDF-1.4',
  script: '#!/bin/sh\n',
  // What Chromium and Firefox record. In WebM, the codec of a track is the element 86.
  webmSound: '\x1a\x45\xdf\xa3\x9f\x42\x82\x84webm\x16\x54\xae\x6b\xae\x83\x81\x02\x86\x86A_OPUS',
  webmFilm: '\x1a\x45\xdf\xa3\x9f\x42\x82\x84webm\x16\x54\xae\x6b\xae\x83\x81\x01\x86\x85V_VP8\xae\x86\x86A_OPUS',
  oggSound: `OggS\0\x02${'\0'.repeat(20)}\x01\x13OpusHead`,
}

const check = (fileTypes: readonly string[], filename: string, type: string, content: keyof typeof bytesOf): void =>
  checkFile({ fileTypes }, { field: 'cv', filename, type, firstBytes: Buffer.from(bytesOf[content], 'latin1') })

describe('checkFile', () => {
  test.each<[fileTypes: string[], filename: string, type: string, content: keyof typeof bytesOf]>([
    [[], 'anything.exe', '', 'program'],
    [['application/pdf'], 'cv.pdf', 'application/pdf', 'pdf'],
    // What curl declares, and browsers for a name that their system does not know.
    [['application/pdf'], 'cv.PDF', 'application/octet-stream', 'pdf'],
    [['application/pdf'], 'cv', 'application/pdf', 'pdf'],
    [['image/*', '.docx'], 'cv.docx', '', 'zip'],
    [['.tar.gz'], 'all.tar.gz', 'application/gzip', 'text'],
    [['image/*'], 'photo.png', '', 'png'],
    [['image/*'], 'scan.tiff', 'image/tiff', 'text'],
    [['image/*'], 'photo.cr3', 'image/x-canon-cr3', 'text'],
    [['text/*'], 'page.html', 'text/html', 'text'],
    [['text/html'], 'page.htm', 'text/html', 'text'],
    [['text/x-python'], 'a.py', 'text/x-python', 'text'],
    [['application/x-sh'], 'a.sh', 'application/x-sh', 'text'],
    // The name is that of another kind, but it is an image.
    [['image/*'], 'photo.jpg', 'image/jpeg', 'webp'],
    [['.jpg', 'image/webp'], 'photo.jpg', 'image/webp', 'webp'],
    [['text/*'], 'notes.txt', 'text/plain; charset=utf-8', 'text'],
    [['text/csv'], 'table.csv', 'application/vnd.ms-excel', 'text'],
    [['.exe'], 'setup.exe', '', 'program'],
    [['.dat'], 'x.dat', '', 'nothing'],
    // Endings of one format are one.
    [['.jpg', '.png'], 'IMG_0001.jpeg', 'image/jpeg', 'jpeg'],
    [['.jpeg'], 'IMG_0001.JPG', '', 'jpeg'],
    [['.jpg', '.jpeg'], 'photo.jfif', 'image/jpeg', 'jpeg'],
    [['.heif'], 'IMG_1.HEIC', '', 'heic'],
    [['.tif'], 'scan.tiff', 'image/tiff', 'text'],
    [['.mov'], 'film.qt', 'video/quicktime', 'mp4'],
    [['.mp3'], 'song.mpga', 'audio/mpeg', 'mp3'],
    [['.htm'], 'page.html', 'text/html', 'text'],
    [['.mpg'], 'film.MPEG', 'video/mpeg', 'text'],
    [['.aiff'], 'sound.aif', '', 'text'],
    [['.mid'], 'song.midi', '', 'text'],
    [['.3gpp'], 'film.3gp', 'video/3gpp', 'mp4'],
    [['.yml'], 'settings.yaml', '', 'text'],
    [['.md'], 'notes.markdown', '', 'text'],
    // The declared type counts for an ending, too, if the bytes agree.
    [['.jpg'], '1000012345', 'image/jpeg', 'jpeg'],
    [['.jpg'], 'photo.heic', 'image/jpg', 'jpeg'],
    [['.pdf'], 'Bewerbung vom 3.4.', 'application/pdf', 'pdf'],
    [['.m4a'], 'voice.mp4', 'audio/mp4', 'mp4'],
    [['.mp4'], 'voice.m4a', 'audio/x-m4a', 'mp4'],
    [['.webm'], 'blob', 'audio/webm;codecs=opus', 'webmSound'],
    [['.ogg'], 'blob', 'audio/ogg; codecs=opus', 'oggSound'],
    // Voice notes of browsers.
    [['audio/*'], 'blob', 'audio/webm;codecs=opus', 'webmSound'],
    [['audio/*'], 'voice.webm', 'video/webm', 'webmSound'],
    [['audio/*'], 'voice.webm', '', 'webmSound'],
    [['audio/*'], 'voice.ogg', 'video/ogg', 'oggSound'],
    [['audio/*'], 'voice.oga', 'application/ogg', 'oggSound'],
    [['audio/*'], 'blob', 'audio/mp4', 'mp4'],
    [['video/*'], 'film.webm', '', 'webmFilm'],
    [['video/*'], 'film.mkv', 'video/x-matroska', 'webmFilm'],
    // As pages name what a browser has recorded.
    [['.wav', '.mp3'], 'voice.wav', 'audio/wav', 'webmSound'],
    [['audio/mpeg'], 'voice.mp3', 'audio/mpeg', 'oggSound'],
    [['.mp4'], 'film.mp4', 'video/mp4', 'webmFilm'],
  ])('takes for %j the file %s, declared as “%s”, with the bytes of: %s', (fileTypes, filename, type, content) => {
    expect(refusalOf(() => check(fileTypes, filename, type, content))).toBeUndefined()
  })

  test.each<[fileTypes: string[], filename: string, type: string, content: keyof typeof bytesOf, found: string]>([
    [['application/pdf'], 'cv.pdf', 'application/pdf', 'program', 'is a program, as its first bytes show'],
    [['.pdf'], 'cv.pdf', '', 'program', 'is a program, as its first bytes show'],
    [['application/pdf'], 'cv.pdf', '', 'text', 'is of another kind, as its first bytes show'],
    [['application/pdf'], 'cv.pdf', '', 'nothing', 'is of another kind, as its first bytes show'],
    [['application/pdf'], 'cv.png', 'image/png', 'png', 'is not one'],
    [['application/pdf', '.docx'], 'cv.odt', '', 'pdf', 'is not one'],
    [['image/*'], 'photo.png', 'image/png', 'text', 'is of another kind, as its first bytes show'],
    [['image/*'], 'photo.tiff', 'image/tiff', 'program', 'is a program, as its first bytes show'],
    [['image/jpeg'], 'photo.jpg', 'image/jpeg', 'webp', 'is a WebP image, as its first bytes show'],
    [['application/*'], 'cv.pdf', 'application/pdf', 'program', 'is a program, as its first bytes show'],
    [['.dat'], 'x.dat', 'application/pdf', 'program', 'is a program, as its first bytes show'],
    [['.txt'], 'notes.txt', 'text/plain', 'program', 'is a program, as its first bytes show'],
    [['.docx'], 'docx', '', 'zip', 'is not one'],
    // Under a type that no one knows.
    [['image/*'], 'photo.html', 'image/x-photo', 'text', 'is not one'],
    [['image/*'], 'photo.PHP', 'image/x-photo', 'text', 'is not one'],
    [['image/*'], 'photo.bat', 'image/x-photo', 'text', 'is not one'],
    [['image/*', 'video/*'], 'photo.hta', 'image/x-photo', 'nothing', 'is not one'],
    [['image/*'], 'photo.chm', 'image/x-photo', 'text', 'is not one'],
    // Windows takes the dots and spaces at the end away.
    [['image/*'], 'photo.html. .', 'image/x-photo', 'text', 'is not one'],
    // Under one that tells nothing of its first bytes, and with bytes that are a page as well.
    [['image/tiff'], 'scan.html', 'image/tiff', 'text', 'is not one'],
    [['image/x-photo'], 'photo.html', 'image/x-photo', 'text', 'is not one'],
    [['text/csv'], 'table.bat', 'text/csv', 'text', 'is not one'],
    [['application/pdf'], 'cv.html', 'application/pdf', 'pdf', 'is not one'],
    [['image/png'], 'photo.php', 'image/png', 'png', 'is not one'],
    [['.gif'], 'photo.php', 'image/gif', 'gifWithPhp', 'is not one'],
    [['.gif'], 'photo.PhtML.', 'image/gif', 'gifWithPhp', 'is not one'],
    [['.pdf'], 'cv.html', 'application/pdf', 'pdfWithPage', 'is not one'],
    [['.pdf'], 'cv.bat', 'application/pdf', 'pdfWithPage', 'is not one'],
    [['.jpg'], 'photo.js', 'image/jpeg', 'jpeg', 'is not one'],
    // A declared type alone makes no file one with an ending.
    [['.jpg'], '1000012345', 'image/jpeg', 'program', 'is not one'],
    [['.jpg'], '1000012345', 'image/jpeg', 'nothing', 'is not one'],
    [['.jpg'], '1000012345', 'image/jpeg', 'heic', 'is not one'],
    [['.jpg'], '1000012345', '', 'jpeg', 'is not one'],
    [['.png'], 'photo.jpeg', 'image/jpeg', 'jpeg', 'is not one'],
    [['.tif'], 'scan', 'image/tiff', 'text', 'is not one'],
    [['.txt'], 'notes', 'text/plain', 'script', 'is not one'],
    [['.jpeg'], 'photo.jpg', 'image/jpeg', 'webp', 'is a WebP image, as its first bytes show'],
    [['audio/*'], 'film.webm', 'video/webm', 'webmFilm', 'is not one'],
    [['image/*'], 'photo.bmp', 'image/bmp', 'webmFilm', 'is a WebM file, as its first bytes show'],
  ])(
    'refuses for %j the file %s, declared as “%s”, with the bytes of: %s',
    (fileTypes, filename, type, content, found) => {
      expect(refusalOf(() => check(fileTypes, filename, type, content))).toBe(
        `cv: must be a file of the kinds that this form takes (${fileTypes.join(', ')}); “${filename}” ${found}`,
      )
    },
  )

  test('names a file and a field in one line, whatever they are called', () => {
    const file = { field: 'a\n\ud83d'.padEnd(500, 'b'), filename: `x\r\n\u202efdp.${'y'.repeat(5000)}`, type: '' }
    const line = refusalOf(() => checkFile({ fileTypes: ['.pdf'] }, { ...file, firstBytes: new Uint8Array() })) ?? ''
    expect(line.length).toBeLessThan(300)
    expect(line).toMatch(
      /^a �b+…: must be a file of the kinds that this form takes \(\.pdf\); “x �fdp\.y+…” is not one$/,
    )
  })
})

test('an input offers what its field takes: browsers choose by the whole name', () => {
  const fileTypes = ['.jpeg', 'image/heic', '.tar.gz']
  const accept = '.jpeg,.jpg,.jfif,image/heic,.tar.gz'
  expect(attributesOf({ name: 'cv', type: 'file', fileTypes })).toContainEqual(['accept', accept])
})

describe('the limits of a form', () => {
  test('are its own, and at most those of the server', () => {
    expect([maxFilesOf({ maxFiles: null }), maxFilesOf({ maxFiles: 3 })]).toEqual([20, 3])
    expect([null, 5, 10, 20].map((maxFileBytes) => maxFileBytesOf({ maxFileBytes }, 10))).toEqual([10, 5, 10, 10])
  })
})
