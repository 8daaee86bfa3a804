import { type Command, groups } from './command.ts'

/** A script for fish. */
export const fishCompletions = (commands: readonly Command[]): string =>
  [
    `# Completions for formbox.
function __formbox_begins --description 'Whether the command line begins with these words and has more'
    set -l words (commandline -opc)
    test (count $words) -gt (count $argv); or return 1
    test (count $argv) -eq 0; or test "$words[2..$(math (count $argv) + 1)]" = "$argv"
end

function __formbox_is --description 'Whether the command line has exactly these words so far'
    test (count (commandline -opc)) -eq (math (count $argv) + 1); and __formbox_begins $argv
end

function __formbox_serves --description 'Whether no command is named, which means serve'
    set -l words (commandline -opc)
    test (count $words) -eq 1; or string match -q -- '-*' $words[2]
end

complete -c formbox -f`,
    ...groups(commands).map((group) => complete('__formbox_is', `-a ${group}`)),
    complete('__formbox_is', `-l version -d 'print the version'`),
    complete('true', `-s h -l help -d 'show this help'`),
    ...commands.flatMap(ofCommand),
    '',
  ].join('\n')

const ofCommand = ({ words, summary, flags, operands = [], choices }: Command): string[] => {
  const begins = `__formbox_begins ${words.join(' ')}`
  // `serve` also runs without its name.
  const condition = words[0] === 'serve' ? `${begins}; or __formbox_serves` : begins
  return [
    complete(`__formbox_is ${words.slice(0, -1).join(' ')}`.trim(), `-a ${words.at(-1)} -d ${quote(summary)}`),
    ...flags.map(({ name, value, help }) => {
      const takes = value ? (completed[value] ?? ' -x') : ''
      return complete(condition, `-l ${name}${takes} -d ${quote(help)}`)
    }),
    ...(operands.includes('FILE') ? [complete(begins, '-F')] : []),
    ...(choices ? [complete(`__formbox_is ${words.join(' ')}`, `-a '${choices.join(' ')}'`)] : []),
  ]
}

/** Completes the value of a flag, by what the help calls it. */
const completed: Readonly<Record<string, string>> = {
  DIR: ` -x -a '(__fish_complete_directories (commandline -ct))'`,
  FILE: ' -r -F',
}

const complete = (condition: string, rest: string): string => `complete -c formbox -n ${quote(condition)} ${rest}`

const quote = (text: string): string => `'${text.replaceAll(/['\\]/g, '\\$&')}'`
