import type { MemberRole } from '../forms/ownership.ts'

/** What a role may, in words for somebody who has never heard of one. */
const sentences: Readonly<Record<MemberRole, string>> = {
  reader: 'You can read what people send, search it, and download it.',
  editor: 'You can read what people send, mark it as done or as spam, and delete it.',
  manager: 'You can read and handle what people send, and change the form’s settings and who else may see it.',
}

export const roleSentence = (role: MemberRole): string => sentences[role]
