import { describe, expect, test } from 'bun:test'
import { AppError } from '../../src/base/errors.ts'
import { type BodyShare, createBodyMemory } from '../../src/http/body-memory.ts'

const megabyte = 1024 * 1024

/** 10 MB, of which one owner may hold 4, and where others need them for 5 seconds. */
const prepare = () => {
  let seconds = 0
  const memory = createBodyMemory({
    maxBytes: 10 * megabyte,
    maxBytesOfOwner: 4 * megabyte,
    maxSeconds: 5,
    now: () => seconds * 1000,
  })
  const gaveWay: string[] = []
  return {
    gaveWay,
    sleep: (more: number) => {
      seconds += more
    },
    open: (owner: string, name = owner) => {
      let share: BodyShare | undefined
      const open = () =>
        memory.open(owner, (error) => {
          expect(error).toMatchObject({ code: 'unavailable', retryAfterSeconds: 5 })
          gaveWay.push(name)
        })
      const fits = (megabytes: number): boolean => {
        try {
          share ??= open()
          share.hold(megabytes * megabyte)
          return true
        } catch (error) {
          expect(error).toBeInstanceOf(AppError)
          return false
        }
      }
      return { fits, finish: () => share?.finish(), release: () => share?.release() }
    },
  }
}

describe('the memory that bodies share', () => {
  test('has no more for one owner than its share, and all of it for others', () => {
    const { open, gaveWay } = prepare()
    const [first, second] = [open('ada'), open('ada')]
    expect([first.fits(3), second.fits(2), second.fits(1), second.fits(0.1)]).toEqual([true, false, true, false])
    expect([open('bob').fits(4), open('eve').fits(2)]).toEqual([true, true])
    expect(gaveWay).toEqual([])
  })

  test('has each complete body parsed in a turn of the event loop of its own', async () => {
    const { open } = prepare()
    let turn = 0
    const count = (): void => {
      turn++
      if (turn < 20) setImmediate(count)
    }
    setImmediate(count)
    const turns = await Promise.all(
      ['ada', 'ada', 'bob'].map(async (owner) => {
        const body = open(owner)
        expect(body.fits(1)).toBe(true)
        await body.finish()
        return turn
      }),
    )
    expect(turns).toEqual([...new Set(turns)])
  })

  test('is free again as far as bytes are passed on, and what is left counts as new', () => {
    const { open, sleep, gaveWay } = prepare()
    const upload = open('ada', 'upload')
    expect(upload.fits(4)).toBe(true)
    sleep(6)
    expect([upload.fits(-3), upload.fits(1)]).toEqual([true, true])
    expect([open('ada', 'next').fits(1), open('ada', 'last').fits(2)]).toEqual([true, false])
    expect(gaveWay).toEqual([])
    sleep(6)
    expect(open('ada', 'later').fits(2)).toBe(true)
    expect(gaveWay).toEqual(['upload'])
  })

  test('takes nothing for a body that had to give way', () => {
    const { open, sleep, gaveWay } = prepare()
    const old = open('ada', 'old')
    old.fits(4)
    sleep(6)
    const next = open('ada', 'next')
    expect(next.fits(4)).toBe(true)
    expect(gaveWay).toEqual(['old'])
    next.release()
    expect(old.fits(1)).toBe(false)
    old.release()
    expect(open('ada').fits(4)).toBe(true)
  })

  test('is free again when a body is done, once', () => {
    const { open } = prepare()
    const body = open('ada')
    body.fits(4)
    body.release()
    body.release()
    expect([open('ada').fits(4), open('ada').fits(0.1)]).toEqual([true, false])
  })

  test('goes to those that began first: the last one gives way, or is refused if it is the one that asks', () => {
    const { open, gaveWay } = prepare()
    const bodies = ['a', 'b', 'c', 'd', 'e'].map((name) => open(name))
    expect(bodies.map((body) => body.fits(2))).toEqual(Array(5).fill(true))

    expect(open('f').fits(1)).toBe(false)
    expect(bodies[0]?.fits(2)).toBe(true)
    expect(gaveWay).toEqual(['e'])
    expect(bodies[1]?.fits(2)).toBe(true)
    expect(gaveWay).toEqual(['e', 'd'])
    expect(bodies[2]?.fits(1)).toBe(false)
  })

  test('lets all bodies that come together but the last ones get through', () => {
    const { open, gaveWay } = prepare()
    const bodies = Array.from({ length: 20 }, (_, i) => ({ ...open(`${i}`), i, size: 0 }))
    const refused = new Set<number>()
    // Each sends its 2 MB in pieces, in turn.
    for (let piece = 0; piece < 20; piece++)
      for (const body of bodies) {
        if (refused.has(body.i) || gaveWay.includes(`${body.i}`)) continue
        if (body.fits(0.1)) body.size++
        else {
          refused.add(body.i)
          body.release()
        }
      }
    expect(bodies.filter(({ size }) => size === 20).map(({ i }) => i)).toEqual([0, 1, 2, 3, 4])
  })

  test('is taken from whoever held most for longest, as soon as someone needs it', () => {
    const { open, gaveWay, sleep } = prepare()
    const [large, small, steady] = [open('ada', 'large'), open('bob', 'small'), open('eve', 'steady')]
    small.fits(2)
    large.fits(4)
    sleep(4)
    steady.fits(4)
    expect(open('kim').fits(1)).toBe(false)
    sleep(2)
    expect(gaveWay).toEqual([])
    expect(open('kim').fits(1)).toBe(true)
    expect(gaveWay).toEqual(['large'])
    expect(open('kim').fits(3)).toBe(true)
    expect(open('kim').fits(0.1)).toBe(false)
    expect(open('max').fits(2)).toBe(true)
    expect(gaveWay).toEqual(['large', 'small'])
  })

  test('is not taken from bodies of others if the owner has used up its share, nor from a complete body', () => {
    const { open, gaveWay, sleep } = prepare()
    const [old, own] = [open('bob', 'old'), open('ada', 'own')]
    old.fits(4)
    own.fits(4)
    sleep(6)
    expect(open('ada').fits(1)).toBe(true)
    expect(gaveWay).toEqual(['own'])

    const { open: openAnother, gaveWay: others, sleep: wait } = prepare()
    const whole = openAnother('ada')
    whole.fits(4)
    void whole.finish()
    wait(6)
    expect(openAnother('ada').fits(1)).toBe(false)
    expect(others).toEqual([])
  })
})
