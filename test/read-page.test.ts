import { expect, test } from 'bun:test'
import { readPage } from './read-page.ts'

test('reads a page by its roles and names, and takes texts as people see them', () => {
  const page = readPage(`<!doctype html><html><head><title>Tea &amp; more</title></head><body>
    <h1>Hello <bdi>&lt;b&gt;</bdi></h1><p dir="auto">one<br>two</p><a href="/a?b&amp;c">Go <b>on</b></a>
    <form><fieldset><legend>Files</legend><input type="hidden" name="n" value="&quot;"></fieldset>
    <button formaction="/save">Save</button><button aria-label="Close it">×</button></form></body></html>`)
  expect([page.title, page.heading, page.headings]).toEqual(['Tea & more', 'Hello <b>', ['Hello <b>']])
  expect([page.isolated, page.groups]).toEqual([['<b>', 'onetwo'], ['Files']])
  expect([page.link('Go on'), page.link('Go'), page.links]).toEqual(['/a?b&c', undefined, ['/a?b&c']])
  expect([page.button('Save'), page.button('Send')]).toEqual([{ formaction: '/save' }, undefined])
  expect(page.button('Close it')).toBeDefined()
  expect([page.hidden('n'), page.hidden('m')]).toEqual(['"', undefined])
  expect(page.texts).toContain('on')
})
