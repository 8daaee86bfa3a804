import { join } from 'node:path'
import { zipParts } from '../../src/transfer/export/archive.ts'
import { temporaryFolder } from '../harness.ts'

const namespaces =
  'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" ' +
  'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
const packages = 'http://schemas.openxmlformats.org/package/2006/relationships'
const related = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

export interface Parts {
  /** The rows of the first sheet. */
  readonly rows: string
  /** The items `si`. */
  readonly texts?: string
  /** Codes of number formats: the styles from 1 on. */
  readonly styles?: readonly string[]
  readonly workbookPr?: string
  /** The elements `sheet`; those with `r:id="rId1"` have the rows. */
  readonly sheets?: string
  readonly prefix?: string
}

/** Parts by their names. */
export type Files = Readonly<Record<string, string | Iterable<Uint8Array>>>

/** The parts of an XLSX file, as most programs name them. */
export const partsOf = ({ rows, texts, styles, workbookPr = '', sheets, prefix = '' }: Parts): Files => ({
  '[Content_Types].xml': '<Types/>',
  '_rels/.rels': `<Relationships xmlns="${packages}"><Relationship Id="rId1" Type="${related}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  'xl/workbook.xml': `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\r\n<workbook ${namespaces}><workbookPr ${workbookPr}/><sheets>${
    sheets ?? '<sheet name="Sheet1" sheetId="1" r:id="rId1"/>'
  }</sheets></workbook>`,
  'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${packages}">
    <Relationship Id="rId1" Type="${related}/worksheet" Target="worksheets/sheet1.xml"/>
    <Relationship Id="rId2" Type="${related}/sharedStrings" Target="/xl/sharedStrings.xml"/>
    <Relationship Id="rId3" Type="${related}/styles" Target="styles.xml"/></Relationships>`,
  'xl/worksheets/sheet1.xml': `<?xml version="1.0"?><${prefix}worksheet ${namespaces} xmlns:x="x"><${prefix}sheetData>${rows}</${prefix}sheetData></${prefix}worksheet>`,
  ...(texts === undefined ? {} : { 'xl/sharedStrings.xml': `<sst ${namespaces}>${texts}</sst>` }),
  ...(styles === undefined ? {} : { 'xl/styles.xml': styleSheet(styles) }),
})

const styleSheet = (codes: readonly string[]): string =>
  `<styleSheet ${namespaces}><numFmts>${codes
    .map((code, i) => `<numFmt numFmtId="${164 + i}" formatCode="${code.replaceAll('"', '&quot;')}"/>`)
    .join('')}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/>${codes
    .map((_, i) => `<xf numFmtId="${164 + i}" applyNumberFormat="1"/>`)
    .join('')}</cellXfs><cellStyles><xf numFmtId="14"/></cellStyles></styleSheet>`

/** Writes them into a file, and returns its path. */
export const workbookFile = async (parts: Files): Promise<string> => {
  const path = join(temporaryFolder(), 'in.xlsx')
  const entries = Object.entries(parts).map(([name, text]) => ({
    name,
    parts: typeof text === 'string' ? [text] : text,
    at: 0,
  }))
  const file = Bun.file(path).writer()
  for await (const part of zipParts(entries)) file.write(part)
  await file.end()
  return path
}
