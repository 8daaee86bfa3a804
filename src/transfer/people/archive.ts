import { creationTime } from '../../base/id.ts'
import { formReader } from '../../forms/form.ts'
import type { Db } from '../../storage/open.ts'
import { fileReads } from '../../submissions/files/file-reads.ts'
import { handlingReads } from '../../submissions/handling.ts'
import { type List, listOf } from '../../submissions/lists.ts'
import { storedJson } from '../../submissions/stored-submission.ts'
import { wholeReader } from '../../submissions/whole-text.ts'
import { archivePath, fileBytes, type ZipEntry, zipParts } from '../export/archive.ts'
import { type ArchivedSubmission, aboutEnd, aboutStart, aboutSubmission, type PersonFile } from './about-page.ts'
import type { Match } from './scan.ts'

interface Options {
  readonly value: string
  readonly matches: readonly Match[]
  /** Unix milliseconds. */
  readonly now: number
}

/**
 * Makes a ZIP archive of the submissions of a person: a page to read, JSON, and the files. Submissions that were
 * deleted since they were found are left out. One submission at a time is in memory.
 *
 * @param db must be in a transaction, so that all of it shows the same state
 */
export const personArchive = (db: Db, { value, matches, now }: Options): AsyncGenerator<Uint8Array, void> => {
  const listOfMatch = matchPlace(db)
  const readWhole = wholeReader(db)
  const { list: listFiles } = fileReads(db)
  const bytesOf = fileBytes(db)
  const { listHandling } = handlingReads(db)

  const filesOf = (match: Match): PersonFile[] => {
    const place = listOfMatch(match)
    const { submissionId: submission } = match
    const files = place ? listFiles(place, submission) : []
    return files.map((file, position) => ({ ...file, path: archivePath({ ...file, submission, position }) }))
  }

  function* submissions(): Generator<ArchivedSubmission, void> {
    for (const match of matches) {
      const place = listOfMatch(match)
      const stored = place && readWhole(place, match.submissionId)
      if (!stored) continue
      const id = match.submissionId
      const note = listHandling({ number: place.form }, [id]).get(id)?.note ?? null
      yield { ...match, stored, note, files: filesOf(match) }
    }
  }

  function* about(): Generator<string, void> {
    yield aboutStart(value, now).markup
    for (const submission of submissions()) yield aboutSubmission(submission).markup
    yield aboutEnd.markup
  }

  function* entries(): Generator<ZipEntry, void> {
    yield { name: 'about.html', parts: about(), at: now }
    yield { name: 'submissions.json', parts: jsonParts(submissions()), at: now }
    for (const match of matches)
      for (const file of filesOf(match))
        yield { name: file.path, parts: bytesOf(file), at: creationTime(match.submissionId) }
  }
  return zipParts(entries())
}

/** The list in which a submission was found; undefined if its form was deleted. */
const matchPlace = (db: Db): ((match: Match) => List | undefined) => {
  const findForm = formReader(db)
  let last: { readonly formId: string; readonly form: ReturnType<typeof findForm> } | undefined
  return ({ formId, list }) => {
    if (last?.formId !== formId) last = { formId, form: findForm(formId) }
    return last.form && listOf(last.form, list)
  }
}

function* jsonParts(submissions: Iterable<ArchivedSubmission>): Generator<string, void> {
  let separator = '[\n'
  for (const { stored, formId, formTitle, list, note, files } of submissions) {
    const about = JSON.stringify({ formTitle, list, files: files.map(({ path }) => path), note })
    yield separator + storedJson(formId, stored, `,${about.slice(1, -1)}`)
    separator = ',\n'
  }
  yield separator === '[\n' ? '[]\n' : '\n]\n'
}
