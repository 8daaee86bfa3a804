import type { FieldAnswers } from './field-answers.ts'

type Row = readonly [label: string, answer: string, value: number]

/** The answers to a field as rows of a table: its label, what was answered, and how many did, or a number about them. */
export const answerRows = ({ label, answered, options = [], number, months = [], files }: FieldAnswers): Row[] =>
  [
    ['answered', answered] as const,
    ...options.map(({ value, count }) => [optionWords(value), count] as const),
    ...(['least', 'median', 'most', 'mean'] as const).map((name) => [name, number?.[name] ?? undefined] as const),
    ...months.map(({ month, count }) => [month, count] as const),
    ['files', files?.count] as const,
    ['bytes', files?.bytes] as const,
  ].flatMap(([name, value]) => (value === undefined ? [] : [[label, name, value] as const]))

const optionWords = (value: string | boolean | null): string =>
  value === null ? '(other)' : typeof value === 'string' ? value : value ? 'yes' : 'no'
