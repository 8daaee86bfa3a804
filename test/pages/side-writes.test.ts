// The writes of a page that only shows something: that a submission was opened, and that the session is in use.
import { describe, expect, test } from 'bun:test'
import { startServer, takeReported, writeTo } from '../harness.ts'
import { siteWorld } from '../world.ts'

describe('a page whose own write fails', () => {
  test.each([
    ['an opened submission', 'INSERT', 'unread_marks', 'opened'],
    ['an extended session', 'UPDATE', 'sessions', 'extended'],
  ])('is shown, and the defect is reported: %s', async (_name, event, table, what) => {
    const { server, ada, formId: id } = await siteWorld({ server: await startServer() })
    const submission = await server.submit(id, { name: 'Grace' })
    writeTo(server.folder, ({ $client }) => {
      $client.run('UPDATE sessions SET expires_at = expires_at - 7200000')
      $client.run(`CREATE TRIGGER broken BEFORE ${event} ON ${table} BEGIN SELECT RAISE(ABORT, 'broken: ${what}'); END`)
    })
    const { status, html } = await ada.get(`/forms/${id}/submissions/${submission}`)
    expect(status).toBe(200)
    expect(html).toContain('Grace')
    await server.stop()
    expect(takeReported()).toEqual([expect.stringContaining(`broken: ${what}`)])
  })
})
