import { type Command, type Flag, firstWords, flagsWithoutCommand, groups, secondWords } from './command.ts'

/** A script for zsh, to source or to save as `_formbox` in a folder of `fpath`. */
export const zshCompletions = (commands: readonly Command[]): string => `#compdef formbox
_formbox() {
  local command=\${words[2]}
  local -a names
  if (( CURRENT == 2 )); then
    names=(${firstWords(commands)
      .map((word) => quote(described(word, summaryOf(commands, word))))
      .join(' ')})
    _describe command names
    _arguments ${[...flagsWithoutCommand(commands).map(toArgument), '--help[show this help]', '--version[print the version]'].map(quote).join(' ')}
    return
  fi
  case $command in
${groups(commands)
  .map(
    (group) => `    ${group})
      if (( CURRENT == 3 )); then
        names=(${secondWords(commands, group)
          .map((word) =>
            quote(described(word, commands.find(({ words }) => words.join(' ') === `${group} ${word}`)?.summary ?? '')),
          )
          .join(' ')})
        _describe command names
        return
      fi
      command="$command \${words[3]}"
      shift 2 words
      (( CURRENT -= 2 )) ;;`,
  )
  .join('\n')}
    -*) command=serve ;;
    *)
      shift words
      (( CURRENT -= 1 )) ;;
  esac
  case $command in
${commands.map((command) => `    '${command.words.join(' ')}') _arguments ${argumentsOf(command).map(quote).join(' ')} ;;`).join('\n')}
  esac
}

if [ "$funcstack[1]" = _formbox ]; then
  _formbox "$@"
else
  compdef _formbox formbox
fi
`

const summaryOf = (commands: readonly Command[], word: string): string => {
  const [first, ...more] = commands.filter(({ words }) => words[0] === word)
  return more.length === 0 ? (first?.summary ?? '') : `commands: ${secondWords(commands, word).join(', ')}`
}

const described = (name: string, text: string): string => `${name}:${text.replaceAll(':', '\\:')}`

const argumentsOf = ({ flags, operands = [], choices }: Command): string[] => [
  ...flags.map(toArgument),
  '--help[show this help]',
  // An e-mail address cannot be completed. If it were listed here, zsh would complete no flag in its place.
  ...(choices ? [`1:${operands[0]}:(${choices.join(' ')})`] : []),
  ...operands.flatMap((operand, i) => (operand === 'FILE' ? [`${i + 1}:FILE:_files`] : [])),
]

const toArgument = ({ name, value, help }: Flag): string =>
  `--${name}[${help.replaceAll(/[[\]\\:]/g, '\\$&')}]${value ? `:${value}:${completed[value] ?? ''}` : ''}`

/** Completes the value of a flag, by what the help calls it. */
const completed: Readonly<Record<string, string>> = { DIR: '_directories', FILE: '_files' }

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
