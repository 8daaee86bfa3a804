import { describe, expect, test } from 'bun:test'
import { attachment, attachmentNamed } from '../../src/http/attachment.ts'

describe('attachment', () => {
  test.each([
    ['Contact', 'attachment; filename="Contact.csv"'],
    ['Contact us, please', 'attachment; filename="Contact us, please.csv"'],
    ['a/b\\c:d*e?f"g<h>i|j', 'attachment; filename="a-b-c-d-e-f-g-h-i-j.csv"'],
    ['../../etc/passwd', 'attachment; filename="-..-etc-passwd.csv"'],
    ['  .hidden.  ', 'attachment; filename="hidden.csv"'],
    ['...', 'attachment; filename="submissions.csv"'],
    ['a\r\nSet-Cookie: x', 'attachment; filename="a Set-Cookie- x.csv"'],
    ['CON', 'attachment; filename="form CON.csv"'],
    ['Größe', `attachment; filename="Gro_e.csv"; filename*=UTF-8''Gr%C3%B6%C3%9Fe.csv`],
    ['日本', `attachment; filename="__.csv"; filename*=UTF-8''%E6%97%A5%E6%9C%AC.csv`],
    ["100% (it's)*", `attachment; filename="100_ (it's)-.csv"; filename*=UTF-8''100%25%20%28it%27s%29-.csv`],
    // Direction characters would show `gpj.exe` as `exe.jpg`.
    ['bill\u202egpj', 'attachment; filename="bill gpj.csv"'],
    ['👩‍💻', `attachment; filename="_ _.csv"; filename*=UTF-8''%F0%9F%91%A9%20%F0%9F%92%BB.csv`],
  ])('names the file of a form called %j', (title, header) => {
    expect(attachment(title, '.csv')).toBe(header)
  })

  test('names no folder in the name for old programs either', () => {
    // U+FF0E and U+FF0F become a full stop and a slash in plain letters, U+2105 becomes c/o.
    expect(attachmentNamed('．．／．．／passwd')).toStartWith('attachment; filename="__.._passwd"; ')
    expect(attachmentNamed('℅：a')).toStartWith('attachment; filename="c_o_a"; ')
  })

  test('cuts a long title, and never through a character', () => {
    expect(attachment('a'.repeat(255), '.csv')).toBe(`attachment; filename="${'a'.repeat(80)}.csv"`)
    expect(attachment('a'.repeat(255), ' spam.csv')).toBe(`attachment; filename="${'a'.repeat(80)} spam.csv"`)
    // A file system takes 255 bytes.
    expect(attachment('😀'.repeat(255), '.csv')).toEndWith(`''${'%F0%9F%98%80'.repeat(50)}.csv`)
  })

  test.each([
    [`${'a'.repeat(5000)}.pdf`, `${'a'.repeat(76)}.pdf`],
    [`${'a'.repeat(5000)}.no extension, a sentence`, 'a'.repeat(80)],
  ])('cuts a long name of a file, but not its extension', (name, saved) => {
    expect(attachmentNamed(name)).toBe(`attachment; filename="${saved}"`)
  })
})
