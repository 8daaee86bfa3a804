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

const invitations: Readonly<Record<MemberRole, string>> = {
  reader: 'You can read, search and download what people send.',
  editor: 'You can read, search and download what people send, mark it as done or as spam, add notes, and delete it.',
  manager:
    'You can read, search, download and delete what people send, and change the form’s settings and who else can see it.',
}

/** The sentence for the person who is invited. */
export const invitationSentence = (role: MemberRole): string => invitations[role]
