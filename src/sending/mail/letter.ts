import { type Html, html } from '../../html/html.ts'
import { english } from '../../languages/english.ts'
import type { Texts } from '../../languages/texts.ts'
import type { ShownField, ShownFields } from './shown-fields.ts'

/** The content of a mail. Both of its parts are made from it, so that neither says less. */
export interface Letter {
  readonly subject: string
  /** Above the rest; null for none. */
  readonly title: string | null
  readonly lines: readonly string[]
  /** Text of the form's owner. */
  readonly body?: string
  /** An address in it that is ours. */
  readonly link?: string | undefined
  readonly fields?: ShownFields
  readonly button: { readonly label: string; readonly url: string } | null
  /** Why the reader gets it, and how to stop that. */
  readonly footer: readonly string[]
  readonly stop: { readonly label: string; readonly url: string } | null
  /** The texts of a mail to a visitor; all others are in English. */
  readonly texts?: Texts
}

/** The subject, and both parts of the mail. */
export const toParts = (letter: Letter): { subject: string; text: string; html: string } => ({
  subject: letter.subject,
  text: toText(letter),
  html: toHtml(letter).markup,
})

/** All that a visitor sent is indented, each line of it: so it cannot look like a line of ours. */
const toText = ({ title, lines, body, fields, button, footer, stop, texts = english }: Letter): string =>
  [
    ...(title === null ? [] : [title]),
    ...lines,
    ...(body === undefined ? [] : [body]),
    ...(button ? ['', `${button.label}: ${button.url}`] : []),
    '',
    ...(fields ? fieldLines(fields, texts) : []),
    ...footer,
    ...(stop === null ? [] : [texts.labelled(stop.label, stop.url)]),
    '',
  ].join('\n')

const fieldLines = ({ shown, rest }: ShownFields, { mail, labelled }: Texts): string[] => [
  ...shown.flatMap(({ name, text, files, rest }) => [
    `  ${labelled(name, '').trimEnd()}`,
    ...(text === '' ? [] : wrapped(text ?? mail.empty)),
    ...files.map(({ name, facts, url }) => `${indentOfLinks}${name} (${facts})${url === null ? '' : `: ${url}`}`),
    ...(rest ? [indentOfLinks + linkText(rest)] : []),
    '',
  ]),
  ...(rest ? [linkText(rest), ''] : []),
]

const linkText = ({ label, url }: NonNullable<ShownFields['rest']>): string =>
  url === null ? label : `${label}: ${url}`

/** No line of a value begins there. */
const indentOfLinks = '    '
const indent = '      '
const maxColumns = 76

/** A line that the mail program breaks would go on at the left edge. Long words, such as addresses, stay whole. */
const wrapped = (text: string): string[] =>
  text.split(/\r\n|[\n\r\u2028\u2029]/).flatMap((line) => {
    const broken: string[] = []
    let current = ''
    for (const word of line.split(/(?<=\S)(?=\s)/)) {
      if (current.trim() !== '' && indent.length + current.length + word.length > maxColumns) {
        broken.push(current)
        current = word.trimStart()
      } else current += word
    }
    return [...broken, current].map((part) => (indent + part.replace(/^\s{40,}/, ' '.repeat(40))).trimEnd())
  })

// Colours and sizes are those of the pages. Each is written beside its element for programs that drop the style sheet,
// which holds what is different in the dark.
const toHtml = ({
  subject,
  title,
  lines,
  body,
  link,
  fields,
  button,
  footer,
  stop,
  texts = english,
}: Letter): Html => html`<!doctype html>
<html ${inLanguage(texts)}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${subject}</title>
<style>
:root { color-scheme: light dark; }
@media (prefers-color-scheme: dark) {
  .ground { background: #131615 !important; color: #e8ecea !important; }
  .card { background: #1b1f1e !important; border-color: #2e3533 !important; }
  .muted { color: #a3aeaa !important; }
  a { color: #63ccb5 !important; }
  .button { background: #63ccb5 !important; color: #0c1f1b !important; }
}
</style>
</head>
<body class="ground" style="margin:0;background:#f5f6f5;color:#1a201e">
<div class="ground" ${inLanguage(texts)} style="padding:24px 16px;background:#f5f6f5;color:#1a201e;font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;overflow-wrap:anywhere;word-break:break-word">
<div style="max-width:600px;margin:0 auto">
${title !== null && html`<h1 style="margin:0;font-size:22px;line-height:1.3;font-weight:650"><bdi>${title}</bdi></h1>`}
${lines.map((line) => html`<p style="margin:4px 0 0"><span class="muted" style="color:#57615d">${line}</span></p>\n`)}
${body !== undefined && html`<div dir="auto" lang="" style="white-space:pre-wrap">${withLink(body, link)}</div>`}
${fields && toRows(fields, texts)}
${button && html`<p style="margin:24px 0"><a class="button" href="${button.url}" style="display:inline-block;padding:10px 18px;border-radius:8px;background:#17685a;color:#ffffff;font-weight:600;text-decoration:none">${button.label}</a></p>`}
<p class="muted" style="margin:24px 0 0;font-size:14px;color:#57615d">${footer.map((line) => html`${line}${texts.space}`)}${
  stop !== null && html`<a href="${stop.url}" style="color:#17685a">${stop.label}</a>`
}</p>
</div>
</div>
</body>
</html>
`

/** Not all mail programs make a link of an address. */
const withLink = (body: string, link: string | undefined): Html | string =>
  link === undefined
    ? body
    : html`${body.split(link).map((part, position) => html`${position > 0 && linked(link, link)}${part}`)}`

/** Some mail programs drop the attributes of `html`. */
const inLanguage = ({ tag, dir }: Texts): Html => html`lang="${tag}"${dir === 'rtl' && html` dir="rtl"`}`

// The rows stand close together, because white space counts in them.
const toRows = ({ shown, rest }: ShownFields, texts: Texts): Html =>
  html`<div class="card" style="margin:24px 0 0;padding:20px 20px 4px;background:#ffffff;border:1px solid #dfe3e1;border-radius:12px;white-space:pre-wrap">${shown.map((field) => toRow(field, texts))}${
    rest && html`<div style="margin:0 0 16px">${linked(rest.label, rest.url)}</div>`
  }</div>`

const toRow = ({ name, text, files, rest, isCode }: ShownField, { mail }: Texts): Html =>
  html`<div style="margin:0 0 16px"><div class="muted" style="font-size:14px;color:#57615d"><bdi lang="">${name}</bdi></div>${
    text === null
      ? html`<div class="muted" style="color:#57615d">${mail.empty}</div>`
      : text !== '' &&
        (
          isCode
            ? html`<div dir="ltr" style="font:14px/1.5 monospace">${text}</div>`
            : html`<div dir="auto" lang="">${text}</div>`
        )
  }${files.map(
    (file) =>
      html`<div>${linked(html`<bdi lang="">${file.name}</bdi>`, file.url)} <span class="muted" style="color:#57615d">${file.facts}</span></div>`,
  )}${rest && html`<div>${linked(rest.label, rest.url)}</div>`}</div>`

const linked = (text: string | Html, url: string | null): Html =>
  url === null ? html`${text}` : html`<a href="${url}" style="color:#17685a">${text}</a>`
