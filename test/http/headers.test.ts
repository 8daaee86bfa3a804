import { expect, test } from 'bun:test'
import { acceptsGzip, acceptsHtml, isUnchanged } from '../../src/http/headers.ts'

test.each([
  [null, false],
  ['', false],
  ['text/html', true],
  ['Text/HTML', true],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', true],
  ['application/json, text/html ; level=1 ; q=0.001', true],
  ['text/html;q=0', false],
  ['*/*, text/html ; level=1; Q=0.000', false],
  ['text/html;q=nonsense', false],
  ['text/html5', false],
  ['text/*', false],
  ['*/*', false],
])('Accept: %s wants a page: %p', (header, expected) => {
  expect(acceptsHtml(header)).toBe(expected)
})

test.each([
  [null, false],
  ['', false],
  ['gzip', true],
  ['GZIP', true],
  ['x-gzip', true],
  ['deflate, gzip;q=1.0, *;q=0.5', true],
  ['br;q=1, gzip ; q=0.2', true],
  ['gzip;q=0', false],
  ['gzip;q=0.000', false],
  ['gzip;q=nonsense', false],
  ['*', true],
  ['*;q=0', false],
  ['gzip;q=0, *', false],
  ['identity', false],
  ['br', false],
  ['gzipped', false],
])('Accept-Encoding: %s takes gzip: %p', (header, expected) => {
  expect(acceptsGzip(header)).toBe(expected)
})

test.each([
  [null, false],
  ['', false],
  ['"a"', true],
  ['W/"a"', true],
  ['"b", "a"', true],
  ['*', true],
  ['"b"', false],
  ['a', false],
])('If-None-Match: %s names "a": %p', (header, expected) => {
  expect(isUnchanged(header, '"a"')).toBe(expected)
})
