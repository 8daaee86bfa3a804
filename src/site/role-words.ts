import type { MemberRole } from '../forms/access.ts'

// Roles in words for someone who has never heard of one.

export const roleNames: Readonly<Record<MemberRole, string>> = {
  reader: 'Reader',
  editor: 'Editor',
  manager: 'Manager',
}

/** What someone with the role does with a form. */
export const memberWords: Readonly<Record<MemberRole, string>> = {
  reader: 'Can read and download.',
  editor: 'Can also write notes, mark and delete.',
  manager: 'Can do all but copy, hand over and delete the form.',
}

/** What a role allows, at the end of a sentence. */
export const refusedWords: Readonly<Record<MemberRole, string>> = {
  reader: ', and may read and download.',
  editor: ', and may read, write notes, mark and delete.',
  manager: ', and may do all but copy, hand over and delete it.',
}

/** For someone who chooses a role, of each in turn. */
const choices: Readonly<Record<MemberRole, string>> = {
  reader: 'A Reader reads and downloads',
  editor: 'an Editor also writes notes, marks and deletes',
  manager: 'a Manager also changes settings and people',
}
export const rolesHint = `${Object.values(choices).join('; ')}.`

/** For the person who is invited. */
export const invitationWords: Readonly<Record<MemberRole, string>> = {
  reader: 'You can read, search and download what people send.',
  editor: 'You can read, search and download what people send, mark it as done or as spam, add notes, and delete it.',
  manager:
    'You can read, search, download and delete what people send, and change the form’s settings and who else can see it.',
}
