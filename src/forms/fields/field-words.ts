import { shownLine } from '../../base/short-text.ts'
import { foreign } from '../../languages/foreign.ts'
import type { Texts } from '../../languages/texts.ts'
import type { FieldProblem } from './field-problem.ts'
import { factsOf } from './form-field.ts'

/** The problem as a visitor is told, next to the input. */
export const problemInWords = (texts: Texts, { name, field, rule, bound, file }: FieldProblem): string => {
  const { type } = field ?? {}
  const facts = type && factsOf(type)
  const isOfList = facts?.sends === 'list'
  const words = texts.fields
  const amount = Number(bound)
  switch (rule) {
    case 'required':
      return words[facts?.whenEmpty ?? 'fillIn']
    case 'one':
      return words.oneOnly
    case 'type':
      return words.textOnly
    case 'email':
      return words.email
    case 'tel':
      return words.tel
    case 'url':
      return words.url
    case 'number':
      return words.number
    case 'date':
      return words.date
    case 'option':
      return isOfList ? words.chooseOnly : words.chooseOne
    case 'full':
      return words.optionFull(foreign(shownLine(String(bound), 100)))
    case 'repeated':
      return words.repeated
    case 'min':
      if (type === 'date') return words.earliest(String(bound))
      return isOfList ? words.fewest(amount) : words.atLeast(amount)
    case 'max':
      if (type === 'date') return words.latest(String(bound))
      return isOfList ? words.most(amount) : words.atMost(amount)
    case 'minLength':
      return words.shortest(amount)
    case 'maxLength':
      return words.longest(amount)
    case 'file':
      return words.fileMissing
    case 'fileTypes':
      if (!file) return words.chooseFile
      return (file.isOfField ? words : texts.reasons).wrongKind(
        foreign(shownLine(file.filename, 100)),
        file.kinds,
        file.found,
        file.format,
      )
    case 'maxFiles':
      return words.mostFiles(amount)
    case 'other':
      // Anyone may send names of a megabyte.
      return words.unknown(foreign(shownLine(name, 100)))
  }
}
