import { confirmWrites } from '../src/submissions/confirm/confirm-writes.ts'
import { type Server, writeTo } from './harness.ts'

/** A form whose visitors confirm their address, with a box. */
export const confirmedForm = {
  fields: [
    { name: 'name', type: 'text' },
    { name: 'email', type: 'email', label: 'Email', required: true },
    { name: 'news', type: 'checkbox', label: 'Send me the newsletter' },
  ],
  confirm: { field: 'email', subject: 'Please confirm', text: 'You asked for our news, {name}.\n{link}', days: 7 },
}

/** Does what the link in the mail about this submission does, with all that is held for its address. */
export const confirmAll = (server: Pick<Server, 'folder'>, formId: string, id: string): void =>
  writeTo(server.folder, (db) => {
    const { confirmSubmissions } = confirmWrites(db)
    const link = { formId, id, now: Date.now() }
    const found = confirmSubmissions({ ...link, ready: [] })
    if (found.state !== 'unready') throw new Error(`it is ${found.state}`)
    confirmSubmissions({ ...link, ready: found.ids.map((one) => ({ id: one, isConfirmed: false })) })
  })
