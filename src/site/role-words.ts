import type { MemberRole } from '../forms/ownership.ts'

// Roles in words for somebody who has never heard of one.

export const roleNames: Readonly<Record<MemberRole, string>> = {
  reader: 'Can read',
  editor: 'Can answer',
  manager: 'Can manage',
}

const sentences: Readonly<Record<MemberRole, string>> = {
  reader: 'Read what people send, search it and download it.',
  editor: 'Also mark it as done or as spam, put notes on it, and delete it.',
  manager: 'Also change the form’s settings, and who else may see it.',
}

export const roleSentence = (role: MemberRole): string => sentences[role]

const invitations: Readonly<Record<MemberRole, string>> = {
  reader: 'You can read what people send, search it and download it.',
  editor: 'You can read what people send, mark it as done or as spam, and delete it.',
  manager: 'You can read what people send, delete it, and change the form’s settings and who else may see it.',
}

/** The same for the person who is invited. */
export const invitationSentence = (role: MemberRole): string => invitations[role]
