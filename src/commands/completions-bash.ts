import { type Command, type Flag, firstWords, flagsWithoutCommand, groups, secondWords } from './command.ts'

/** A script for bash 3.2 and later. macOS has 3.2. */
export const bashCompletions = (commands: readonly Command[]): string => `# Completions for formbox.
_formbox_files() {
  local IFS=$'\\n'
  compopt -o filenames 2>/dev/null
  COMPREPLY=($(compgen "$1" -- "$current"))
}

_formbox() {
  local current=\${COMP_WORDS[COMP_CWORD]} command=\${COMP_WORDS[1]} place=1
  local before=\${COMP_WORDS[COMP_CWORD - 1]}
  COMPREPLY=()
  if [ "$COMP_CWORD" = 1 ]; then
    COMPREPLY=($(compgen -W '${[...firstWords(commands), ...flagNames(flagsWithoutCommand(commands)), '--version'].join(' ')}' -- "$current"))
    return
  fi
  case $command in
    ${groups(commands).join('|')})
      command="$command \${COMP_WORDS[2]}" place=2 ;;
    -*)
      command=serve place=0 ;;
  esac
  if [ "$COMP_CWORD" = "$place" ]; then
    case \${COMP_WORDS[1]} in
${groups(commands)
  .map(
    (group) => `      ${group}) COMPREPLY=($(compgen -W '${secondWords(commands, group).join(' ')}' -- "$current")) ;;`,
  )
  .join('\n')}
    esac
    return
  fi
  case "$command $before" in
${commands
  .flatMap(({ words, flags }) => flags.flatMap((flag) => (flag.value ? [[words, flag] as const] : [])))
  .map(([words, flag]) => `    '${words.join(' ')} --${flag.name}') ${completed[flag.value ?? ''] ?? ''}return ;;`)
  .join('\n')}
  esac
  case $command in
${commands.map(ofCommand).join('\n')}
  esac
}

complete -F _formbox formbox
`

const ofCommand = ({ words, flags, operands = [], choices }: Command): string => {
  const names = flagNames(flags)
  const all = [...names, ...(choices ?? [])].join(' ')
  const reply = `COMPREPLY=($(compgen -W '${all}' -- "$current"))`
  const files = operands.includes('FILE') ? `; case $current in -*) ;; *) _formbox_files -f ;; esac` : ''
  return `    '${words.join(' ')}') ${reply}${files} ;;`
}

/** Completes the value of a flag, by what the help calls it. */
const completed: Readonly<Record<string, string>> = { DIR: '_formbox_files -d; ', FILE: '_formbox_files -f; ' }

const flagNames = (flags: readonly Flag[]): string[] => [...flags.map(({ name }) => `--${name}`), '--help']
