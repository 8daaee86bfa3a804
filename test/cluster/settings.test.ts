import { describe, expect, test } from 'bun:test'
import { parseEngine, showEngine } from '../../src/config/cluster.ts'

const parse = (value: string) => parseEngine('FORMBOX_CLUSTER', value)

describe('FORMBOX_CLUSTER', () => {
  test('is off if empty', () => {
    expect(parse('')).toBeNull()
    expect(showEngine('')).toBe('')
  })

  test.each([
    ['postgres://me:secret@db.example.com/formbox', 'postgres://***@db.example.com:5432/formbox'],
    ['postgresql://me@10.0.0.1:6432/a%20b?sslmode=verify-full', 'postgresql://***@10.0.0.1:6432/a%20b'],
    [
      'postgres://me:sec,ret%40@db1/formbox, postgres://me:secret@[::1]:5433/formbox',
      'postgres://***@db1:5432/formbox,postgres://***@[::1]:5433/formbox',
    ],
    ['http://10.0.0.1:4001', 'http://10.0.0.1:4001'],
    ['http://me:secret@box1:4001/,https://box2', 'http://***@box1:4001,https://box2:443'],
  ])('shows %s without user and password', (value, shown) => {
    expect(showEngine(value)).toBe(shown)
  })

  test('is one URL for each server', () => {
    expect(
      parse('postgres://me%40x:sec,ret%2F@db1/formbox, postgres://you@[::1]:5433/formbox?sslmode=require'),
    ).toEqual(['postgres://me%40x:sec,ret%2F@db1/formbox', 'postgres://you@[::1]:5433/formbox?sslmode=require'])
  })

  test.each([
    ['mysql://me:secret@db/formbox', /^must be postgres:/],
    ['postgres://me:secret@/formbox', /^must be postgres:/],
    ['postgres://me:secret@db:0/formbox', /^must be postgres:/],
    ['postgres://me:secret@db:70000/formbox', /^must be postgres:/],
    ['postgres://me:secret@db1,db2/formbox', /^must be postgres:/],
    ['postgres://me:secret@db/formbox#secret', /^must be postgres:/],
    ['postgres://me:sec ret@db/formbox', /^must be postgres:/],
    ['postgres://me:secret@db/formbox,', /^must be postgres:|^must have one database/],
    ['postgres://db/formbox', /must have a user/],
    ['postgres://me:secret@db', /must have one database/],
    ['postgres://me:secret@db/a/b', /must have one database/],
    ['postgres://me:sec%ret@db/formbox', /write %25$/],
    ['postgres://me:secret%00@db/formbox', /control characters/],
    ['postgres://me:secret@db/formbox?sslmode=secret', /must have one of disable, .* as sslmode$/],
    ['postgres://me:secret@db/formbox?ssl_mode=require', /must say sslmode instead of ssl_mode$/],
    ['postgres://me:secret@db/formbox?SSLMODE=require', /must say sslmode instead of SSLMODE$/],
    ['postgres://me:secret@db/formbox?sslmode=require&ssl=true', /must say sslmode instead of ssl$/],
    ['postgres://me:secret@db/formbox?useSSL=true', /must say sslmode instead of useSSL$/],
    ['http://me@box1:4001', /both a user and a password/],
    ['http://box1:4001/secret', /must end after/],
    ['http://box1:4001?level=secret', /must end after/],
    ['http://box1:4001,postgres://me:secret@db/formbox', /must not mix/],
    ['http://box1:4001,http://box1:4001', /twice/],
    [Array.from({ length: 10 }, (_, index) => `http://box${index}`).join(','), /at most 9/],
  ])('refuses %s, and does not repeat it', (value, message) => {
    let issue = { field: '', message: '' }
    try {
      parse(value)
    } catch (error) {
      issue = (error as { issues: [typeof issue] }).issues[0]
    }
    expect(issue.field).toBe('FORMBOX_CLUSTER')
    expect(issue.message).toMatch(message)
    expect(issue.message).not.toMatch(/sec,?ret/)
  })
})
