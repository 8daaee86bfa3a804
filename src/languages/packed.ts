import { join } from 'node:path'

/**
 * The program of a language, compressed, as Base64. A macro: it runs when Formbox is built, or its sources are loaded. As
 * modules with their bytecode, the languages would take 470 kB of the executable instead of 100.
 *
 * @param name of its file
 */
export const packed = async (name: string): Promise<string> => {
  const source = await Bun.file(join(import.meta.dir, `${name}.ts`)).text()
  const program = new Bun.Transpiler({ loader: 'ts', minifyWhitespace: true })
    .transformSync(source)
    .replace(/^import\b[^;]*;/, '')
    .replace(/\bexport const \w+=/, 'return')
  return Buffer.from(Bun.zstdCompressSync(Buffer.from(program), { level: 19 })).toString('base64')
}
