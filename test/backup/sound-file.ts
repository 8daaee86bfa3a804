import { Database } from 'bun:sqlite'

/** What a full check says about one database, and how many submissions are in it. */
export const checkFile = (path: string): { check: unknown; submissions: unknown } => {
  const db = new Database(path, { readonly: true })
  try {
    const [[check]] = db.query('PRAGMA integrity_check').values() as [[unknown]]
    const [[submissions]] = db.query('SELECT count(*) FROM submissions').values() as [[unknown]]
    return { check, submissions }
  } finally {
    db.close()
  }
}
