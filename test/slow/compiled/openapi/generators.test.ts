// Clients that openapi-generator writes without any option are compiled, and run.
import { describe, expect, test } from 'bun:test'
import { copyFileSync, existsSync, mkdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { noMailServer } from '../../../contract/api-routes.ts'
import { serverWithUser, temporaryFolder } from '../../../harness.ts'
import { noteSkipped } from '../../../skips.ts'

/** Fetched by `.ci/run`. */
const generator = join(import.meta.dir, '../../../../.tools/openapi-generator-cli-7.23.0.jar')

interface Language {
  readonly name: string
  /** Where the program goes, in the folder of the client. */
  readonly main: string
  readonly command: readonly string[]
  /** Fails if something is missing that the client needs. */
  readonly tryTools: readonly string[]
}

const languages: readonly Language[] = [
  {
    name: 'go',
    main: 'program/main.go',
    command: ['go', 'run', './program'],
    // From the module proxy, or what is left of an earlier run.
    tryTools: ['go', 'mod', 'download'],
  },
  {
    name: 'ruby',
    main: 'main.rb',
    command: ['ruby', '-W0', '-Ilib', 'main.rb'],
    tryTools: ['ruby', '-e', 'require "typhoeus"; require "marcel"'],
  },
  {
    name: 'php',
    main: 'main.php',
    command: ['php', 'main.php'],
    tryTools: ['php', '-r', 'require "/usr/share/php/GuzzleHttp/autoload.php"; curl_init(); mb_strlen("");'],
  },
]

describe('openapi-generator', () => {
  test.each(languages)(
    'writes a client in $name that compiles and works',
    async ({ name, ...language }) => {
      const missing = missingFor(language)
      if (missing.length > 0) return skip(name, `there is no ${missing.join(', no ')} here`)
      const folder = temporaryFolder()
      const { server, ada } = await serverWithUser(noMailServer)
      const document = await (await server.fetch('/api/v1/openapi.json')).text()
      await Bun.write(join(folder, 'openapi.json'), document.replaceAll(noMailServer.FORMBOX_URL, server.url))
      const words = ['generate', '-i', 'openapi.json', '-g', name, '-o', '.']
      const made = await run(folder, ['java', '-jar', generator, ...words])
      expect(made.code, made.output).toBe(0)
      const tried = await run(folder, language.tryTools)
      if (tried.code !== 0) return skip(name, `\`${language.tryTools.join(' ')}\` fails`)
      const main = join(folder, language.main)
      mkdirSync(dirname(main), { recursive: true })
      copyFileSync(join(import.meta.dir, '../../../openapi/programs', basename(main)), main)

      const returnUrl = 'https://example.com/größe/日本'
      const { code, output } = await run(folder, [...language.command, ada.key, returnUrl])

      expect(code, output).toBe(0)
      const csv = /^id,createdAt,address,name,more\r\n\w+,[\w.:-]+,"{""city"":""Berlin""}",Zoë,\r\n$/
      const data = { address: { city: 'Berlin' }, name: 'Zoë' }
      // Ruby's HTTP library may print a line of its own.
      expect(JSON.parse(output.trim().split('\n').at(-1) ?? '')).toEqual([
        returnUrl,
        data,
        1,
        expect.stringMatching(csv),
        404,
      ])
    },
    600_000,
  )
})

const missingFor = ({ command: [program = ''] }: Pick<Language, 'command'>): string[] => [
  ...['java', program].filter((tool) => Bun.which(tool) === null),
  ...(existsSync(generator) ? [] : [basename(generator)]),
]

const skip = (name: string, reason: string): void =>
  noteSkipped(`The test of a generated client in ${name} is skipped: ${reason}.`)

/** What a command prints; if it fails, its errors. Gives up after four minutes, such as on a network that does not respond. */
const run = async (folder: string, words: readonly string[]) => {
  const child = Bun.spawn([...words], { cwd: folder, stdout: 'pipe', stderr: 'pipe', timeout: 240_000 })
  const [out, error, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { code, output: code === 0 ? out : error }
}
