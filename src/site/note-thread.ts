import { creationTime } from '../base/id.ts'
import { visible } from '../base/visible.ts'
import { notesPath, removeNotePath } from '../config/addresses.ts'
import { time } from '../html/format.ts'
import { type Html, html } from '../html/html.ts'
import { maxNotes, type Note } from '../submissions/notes.ts'

/** Notes that are shown at first. */
const shownNotes = 20

/** A note that could not be saved. */
export interface UnsavedNote {
  readonly text: string
  readonly error: string
}

interface Thread {
  /** Oldest first. */
  readonly notes: readonly Note[]
  /** E-mail address of the reader. */
  readonly email: string
  readonly formId: string
  readonly submissionId: string
  readonly mayWrite: boolean
  /** Whether the reader may remove what others wrote. */
  readonly mayRemove: boolean
  /** Whether all of them are shown, however many they are. */
  readonly isWhole: boolean
  /** A link to this page with all of them. */
  readonly wholePath: string
  readonly unsaved: UnsavedNote | undefined
  /** Hidden inputs that bring back what led here. */
  readonly back: Html | readonly Html[]
}

/** What people wrote about a submission, and a field for more. */
export const noteThread = (thread: Thread): Html | false => {
  const { notes, isWhole, wholePath, mayWrite } = thread
  if (notes.length === 0 && !mayWrite) return false
  const shown = isWhole ? notes : notes.slice(-shownNotes)
  return html`<h2 id="notes">Notes</h2>
<div class="thread">
${shown.length < notes.length && html`<p><a href="${wholePath}">Earlier notes</a></p>`}
${
  shown.length > 0 &&
  html`<ol class="thread" aria-labelledby="notes">
${shown.map((note) => listedNote(note, thread))}</ol>`
}
${mayWrite && noteForm(thread)}
</div>`
}

const listedNote = (
  { id, text, by }: Note,
  { email, mayWrite, mayRemove, formId, submissionId, back }: Thread,
): Html => {
  const isOwn = by === email
  return html`<li><small>${isOwn ? 'You' : html`<bdi>${by ?? 'Unknown'}</bdi>`}, ${time(creationTime(id))}</small><p dir="auto">${visible(text)}</p>${
    mayWrite &&
    (isOwn || mayRemove) &&
    html`<form method="post" action="${removeNotePath(formId, submissionId)}">
${back}<button class="as-link small" name="note" value="${id}">Remove<span class="visually-hidden"> the note of ${time(creationTime(id))}</span></button>
</form>`
  }</li>
`
}

const noteForm = ({ notes, formId, submissionId, unsaved, back }: Thread): Html => {
  if (notes.length >= maxNotes) return html`<p class="muted small">A submission has at most ${maxNotes} notes.</p>`
  return html`<form method="post" action="${notesPath(formId, submissionId)}" data-edits>
${back}<label class="visually-hidden" for="note">Add a note</label>
<textarea id="note" name="text" rows="2" autocomplete="off" placeholder="Add a note. Visitors never see it."${unsaved && html` autofocus aria-invalid="true" aria-describedby="text-error"`}>\n${unsaved?.text}</textarea>
${unsaved && html`<p class="error" id="text-error">${unsaved.error}</p>`}
<button>Save note</button>
</form>`
}
