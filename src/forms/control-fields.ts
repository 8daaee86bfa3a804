// Fields by which a page controls Formbox, with the names that Formspree made common. They are not part of the
// data of a submission. Neither is the trap field, whose name each form may choose.

/** Where to send this visitor's browser. */
export const nextField = '_next'

/** The subject of the e-mail about this submission. */
export const subjectField = '_subject'

/** Names a submission that may be sent twice. */
export const idempotencyField = '_idempotency'

/** The proof of work, for a form that asks for one. */
export const challengeField = '_challenge'

const names = new Set([nextField, subjectField, idempotencyField, challengeField])

/** @param honeypot the form's setting */
export const isControlField = (name: string, honeypot: string): boolean => name === honeypot || names.has(name)

/** The address to which a reply to the e-mail goes. It is part of the data, like any other field. */
export const replyToField = '_replyto'

/** The language in which the visitor is answered. It is part of the data. */
export const languageField = '_language'

/** Fields that mean something, so that the trap cannot have their names. */
export const takenNames: readonly string[] = [
  nextField,
  subjectField,
  replyToField,
  languageField,
  idempotencyField,
  challengeField,
]
