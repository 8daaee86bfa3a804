import { afterEach, describe, expect, test } from 'bun:test'
import * as addresses from '../../src/config/addresses.ts'
import { siteRoutes } from '../site-routes.ts'

const { formPath, homePath, putAddressesBelow, sentFieldPath, signInPath, visitorsPlaceAt } = addresses
const all = Object.values(addresses).flatMap((one) => ('route' in one ? [one] : []))

describe('an address', () => {
  afterEach(() => putAddressesBelow(''))

  test('is a path made of what varies', () => {
    expect(signInPath()).toBe('/sign-in')
    expect(formPath('f1')).toBe('/forms/f1')
    expect(sentFieldPath('f1', 's1', 3)).toBe('/forms/f1/submissions/s1/fields/3')
  })

  test('has nothing in it that ends a part of a path', () => {
    expect(sentFieldPath('../a', '?b', '#c')).toBe('/forms/..%2Fa/submissions/%3Fb/fields/%23c')
  })

  test('lies below a path that all have in common, which routes do not know', () => {
    putAddressesBelow('/formbox')
    expect([homePath(), signInPath(), formPath('f1')]).toEqual(['/formbox/', '/formbox/sign-in', '/formbox/forms/f1'])
    expect(sentFieldPath('f1', 's1', 3)).toBe('/formbox/forms/f1/submissions/s1/fields/3')
    expect(formPath.route).toBe('/forms/:formId')
  })

  test('says where visitors are, and so does every path below its first part', () => {
    const paths = ['/s/f1', '/s/f1/nowhere', '/f/', '/c/x/not-me', '/unsubscribe/x/all', '/s', '/', '//s/', '/forms/s/']
    const places = paths.map((path) => visitorsPlaceAt(path) ?? 'none')
    expect(places.join(' ')).toBe('messages messages form link link none none none none')
  })

  test('stands in the list once, and every page has one', () => {
    const routes = all.map(({ route }): string => route)
    expect(routes.length).toBeGreaterThan(80)
    expect([...new Set(routes)]).toEqual(routes)
    expect(siteRoutes.filter(({ path }) => !routes.includes(path))).toEqual([])
  })
})
