/** The tags of operations, in the order of the OpenAPI document, and what it says of each. */
export const tagWords = {
  Collecting: 'Send submissions from pages and programs, without a key',
  Forms: 'Create, read, change, duplicate and delete forms',
  Settings: 'Read and change the settings of a form',
  Submissions: 'Read and delete submissions',
  Handling: 'Mark submissions as done',
  Notes: 'Discuss a submission with those who share its form',
  Spam: 'Read, accept and delete submissions in quarantine',
  Files: 'Download the files of submissions',
  Inbox: 'The submissions of all forms together',
  Search: 'Find submissions by what is in them',
  Export: 'Download submissions as files',
  Import: 'Add the submissions of a file',
  Webhooks: 'Send submissions to other programs',
  Sheets: 'Let spreadsheets read submissions at an address',
  Deliveries: 'See the deliveries of submissions, and try again',
  Members: 'Share forms with other people',
  'Data about a person': 'Find, export and erase what a person has sent, in all forms',
}

export type Tag = keyof typeof tagWords
