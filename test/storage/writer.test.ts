import { describe, expect, test } from 'bun:test'
import { notFound } from '../../src/base/errors.ts'
import { prepareDataFolder } from '../../src/storage/data-folder.ts'
import { connect } from '../../src/storage/open.ts'
import { startWriter } from '../../src/storage/writer/writer.ts'
import { expectBelow } from '../expect-below.ts'
import { afterThisTest, forThisFile, temporaryFolder, writeTo } from '../harness.ts'
import { expectUnavailable, holdUp, openWriter } from './open-writer.ts'
import { commitsIn, expectSound } from './sound.ts'

const names = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, i) => `${prefix}${i}@example.com`)

/** So large that a batch holds a hundred of them. */
const largeBytes = 80 * 1024

let opening: ReturnType<typeof openWriter> | undefined
/** The writer of the tests that do not end it, because its thread loads all sources. It has no users, and an empty log. */
const sharedWriter = async () => {
  opening ??= forThisFile(openWriter)
  const shared = await opening
  writeTo(shared.folder, ({ $client }) => {
    $client.run('DELETE FROM users')
    expect($client.query('PRAGMA wal_checkpoint(TRUNCATE)').get()).toMatchObject({ busy: 0 })
  })
  return shared
}

describe('a write', () => {
  test('is on the disk when its promise resolves', async () => {
    const { writer, emails } = await sharedWriter()
    expect(await writer.run('addUser', 'ada@example.com')).toBe('ada@example.com')
    expect(emails()).toEqual(['ada@example.com'])
  })

  test('is not answered before the commit of the batch that holds it', async () => {
    const { writer, emails } = await sharedWriter()
    const first = await holdUp(writer)
    await first.stands()
    let isAnswered = false
    const added = writer.run('addUser', 'ada@example.com').then(() => (isAnswered = true))
    const second = await holdUp(writer)
    await first.release()

    await second.stands()
    expect(isAnswered).toBe(false)
    expect(emails()).toEqual([])

    await second.release()
    await added
    expect(emails()).toEqual(['ada@example.com'])
  })

  test('shares one commit with all that arrive in the same turn', async () => {
    const { writer, folder } = await sharedWriter()
    await Promise.all(names('w', 300).map((email) => writer.run('addUser', email)))
    expect(commitsIn(folder)).toBe(1)
  })

  test('is refused if it has waited for too long before it is carried out, and those behind it are not', async () => {
    const { writer, emails } = await openWriter({ maxQueuedMilliseconds: 1000 })
    const held = await holdUp(writer)
    await held.stands()
    const late = names('late', 100).map((email) => expectUnavailable(writer.run('addUser', email), 5))
    await Bun.sleep(1001)
    const added = writer.run('addUser', 'ada@example.com')
    await held.release()
    await Promise.all(late)
    expect(await added).toBe('ada@example.com')
    expect(emails()).toEqual(['ada@example.com'])
  })

  test('is refused before the writer is closed if it has waited for too long', async () => {
    const { writer, emails } = await openWriter({ maxQueuedMilliseconds: 20 })
    const held = await holdUp(writer)
    await held.stands()
    let refused = 0
    const late = names('late', 100).map((email) =>
      expectUnavailable(writer.run('addUser', email), 5).then(() => {
        refused++
      }),
    )
    await Bun.sleep(21)
    const closed = writer.close()
    await held.release()
    await closed
    expect(refused).toBe(100)
    await Promise.all(late)
    expect(emails()).toEqual([])
  })

  test('leaves no copy of what it changes in a temporary file', async () => {
    const { writer } = await sharedWriter()
    expect(await writer.run('pragma', 'temp_store')).toEqual({ temp_store: 2 })
  })

  test('waits for those that come a moment later when the last commit took long', async () => {
    // They wait for a millisecond, in which this process may not have its turn.
    await expectBelow(2, async () => {
      const { writer, folder } = await sharedWriter()
      const held = await holdUp(writer)
      await held.stands()
      await Bun.sleep(50)
      await held.release()

      const waiting: Promise<string>[] = []
      for (const email of names('w', 3)) {
        waiting.push(writer.run('addUser', email))
        await new Promise(setImmediate)
      }
      await Promise.all(waiting)
      return commitsIn(folder)
    })
  })

  test('is answered in portions, between which reads are served', async () => {
    const { writer } = await sharedWriter()
    let told = 0
    let toldBeforeOthers = 0
    const all = names('w', 300).map(async (email, position) => {
      await writer.run('addUser', email)
      told++
      if (position === 0) setImmediate(() => (toldBeforeOthers = told))
    })
    await Promise.all(all)
    expect(toldBeforeOthers).toBeGreaterThan(0)
    expect(toldBeforeOthers).toBeLessThan(all.length / 2)
  })

  test('that arrives while a batch is under way forms one next batch with all the others', async () => {
    const { writer, folder, emails } = await sharedWriter()
    await writer.run('addUser', 'ada@example.com')
    const before = commitsIn(folder)
    const held = await holdUp(writer)
    await held.stands()

    const waiting = names('w', 300).map((email) => writer.run('addUser', email))
    await held.release()
    await Promise.all(waiting)

    // What held it up wrote nothing, so it left no commit in the log.
    expect(commitsIn(folder) - before).toBe(1)
    expect(emails()).toEqual(['ada@example.com', ...names('w', 300)])
  })

  test('that fails harms none of its batch', async () => {
    const { writer, folder, emails } = await sharedWriter()
    const held = await holdUp(writer)
    const outcomes = Promise.allSettled([
      writer.run('addUser', 'ada@example.com'),
      writer.run('deleteForms', { userId: 'nobody', now: 0, ids: ['none'] }),
      writer.run('addUser', 'ada@example.com'),
      writer.run('addUser', 'bob@example.com'),
    ])
    await held.release()

    const [ada, deleted, taken, bob] = await outcomes
    expect(ada).toEqual({ status: 'fulfilled', value: 'ada@example.com' })
    expect(deleted).toEqual({ status: 'rejected', reason: notFound('Form') })
    expect(taken).toMatchObject({ status: 'rejected', reason: { code: 'invalid', issues: [{ field: 'email' }] } })
    expect(bob).toEqual({ status: 'fulfilled', value: 'bob@example.com' })
    expect(emails()).toEqual(['ada@example.com', 'bob@example.com'])
    expectSound(folder)
  })

  test('keeps its place when there are more than one batch holds', async () => {
    const { writer, folder, emails } = await sharedWriter()
    const held = await holdUp(writer)
    const answered: string[] = []
    const waiting = names('w', 1500).map(async (email) => answered.push(await writer.run('addUser', email)))
    await held.release()
    await Promise.all(waiting)

    expect(answered).toEqual(names('w', 1500))
    expect(emails()).toEqual(names('w', 1500))
    expect(commitsIn(folder)).toBeLessThan(10)
  })

  test('that no thread could take is refused, and the next one is taken', async () => {
    const { writer, emails } = await sharedWriter()
    expect(await writer.run('addUser', (() => {}) as never).catch((error) => error)).toBeInstanceOf(Error)
    expect(await writer.run('addUser', 'ada@example.com')).toBe('ada@example.com')
    expect(emails()).toEqual(['ada@example.com'])
  })

  test('of a name that there is not is refused', async () => {
    const { writer, emails } = await sharedWriter()
    const refused = await writer.run('adUser' as 'addUser', 'ada@example.com').catch((error) => error)
    expect(refused).toBeInstanceOf(Error)
    expect(emails()).toEqual([])
  })
})

describe('a full queue', () => {
  test('refuses the next write, keeps those that wait, and takes writes again when they are done', async () => {
    const { writer, emails } = await openWriter({ maxQueued: 3 })
    const held = await holdUp(writer)
    await held.stands()

    const waiting = names('w', 3).map((email) => writer.run('addUser', email))
    const refused = names('refused', 5).map((email) => writer.run('addUser', email))
    for (const promise of refused) await expectUnavailable(promise, 1)
    expect(emails()).toEqual([])
    await held.release()

    expect(await Promise.all(waiting)).toEqual(names('w', 3))
    expect(await writer.run('addUser', 'again@example.com')).toBe('again@example.com')
    expect(emails()).toEqual([...names('w', 3), 'again@example.com'])
  })

  test('is full when what waits takes too much memory, however few it is', async () => {
    const { writer, emails } = await openWriter({ maxQueuedBytes: 1000 })
    const held = await holdUp(writer)
    await held.stands()

    const waiting = [writer.run('addUser', 'a@example.com', 400), writer.run('addUser', 'b@example.com', 600)]
    await expectUnavailable(writer.run('addUser', 'c@example.com', 1), 1)
    await held.release()

    expect(await Promise.all(waiting)).toEqual(['a@example.com', 'b@example.com'])
    expect(await writer.run('addUser', 'd@example.com', 1000)).toBe('d@example.com')
    expect(emails()).toEqual(['a@example.com', 'b@example.com', 'd@example.com'])
  })
})

describe('a disk that does not take writes', () => {
  test('refuses them while it is full, and takes them when there is room again', async () => {
    const { writer, folder, emails } = await openWriter()
    await writer.run('addUser', 'ada@example.com')
    await writer.run('leavePages', 2)

    const full = await Promise.allSettled(names('w', 50).map((email) => writer.run('addUser', email)))
    const refused = full.filter(({ status }) => status === 'rejected')
    for (const { reason } of refused as PromiseRejectedResult[]) await expectUnavailable(Promise.reject(reason), 5)
    expect(refused.length).toBeGreaterThan(0)
    await writer.run('leavePages', 1000)

    expect(await writer.run('addUser', 'again@example.com')).toBe('again@example.com')
    const stored = names('w', 50).filter((_, position) => full[position]?.status === 'fulfilled')
    expect(emails()).toEqual(['ada@example.com', ...stored, 'again@example.com'])
    expectSound(folder)
  })

  test('refuses them while another process holds the file for too long', async () => {
    const { writer, folder, emails } = await sharedWriter()
    const other = connect(folder)
    afterThisTest(() => other.$client.close())
    other.$client.run('BEGIN IMMEDIATE')

    await expectUnavailable(writer.run('addUser', 'ada@example.com'), 5)
    other.$client.run('ROLLBACK')

    expect(await writer.run('addUser', 'bob@example.com')).toBe('bob@example.com')
    expect(emails()).toEqual(['bob@example.com'])
  })
})

describe('close', () => {
  test('waits for what is queued, and refuses what comes later', async () => {
    const { writer, deaths, emails } = await openWriter()
    const held = await holdUp(writer)
    const waiting = names('w', 300).map((email) => writer.run('addUser', email, largeBytes))
    const closed = writer.close()
    await expectUnavailable(writer.run('addUser', 'late@example.com'), 1)
    await held.release()

    await closed
    expect(await Promise.all(waiting)).toEqual(names('w', 300))
    await expectUnavailable(writer.run('addUser', 'later@example.com'), 1)
    expect(emails()).toEqual(names('w', 300))
    expect(deaths).toEqual([])
  })

  test('leaves no log behind, and can be said twice', async () => {
    const { writer, folder, deaths } = await openWriter()
    await writer.run('addUser', 'ada@example.com')
    await Promise.all([writer.close(), writer.close()])
    await writer.close()
    expect([...new Bun.Glob('*').scanSync(folder)]).toEqual(['formbox.db'])
    expect(deaths).toEqual([])
  })
})

describe('the death of the thread', () => {
  test.each(['exit', 'throwLater'] as const)(
    'by %s leaves no write without an answer, and is told once',
    async (how) => {
      const { writer, deaths } = await openWriter()
      const dying = [
        writer.run(how, undefined as never),
        ...names('w', 300).map((email) => writer.run('addUser', email, largeBytes)),
      ]
      await Promise.allSettled(dying)
      while (deaths.length === 0)
        await Promise.race([writer.run('addUser', 'x@example.com').catch(() => {}), Bun.sleep(1)])

      await expectUnavailable(writer.run('addUser', 'late@example.com'), 1)
      await writer.close()
      expect(deaths).toEqual([how === 'exit' ? 'its thread ended' : expect.stringContaining('the roof fell in')])
      expect(deaths[0]?.split('\n')).toHaveLength(1)
    },
  )

  test('does not keep close waiting', async () => {
    const { writer, deaths } = await openWriter()
    const held = await holdUp(writer)
    await held.stands()
    const dying = writer.run('exit', undefined as never)
    const closed = writer.close()
    held.release().catch(() => {})

    await expectUnavailable(dying, 1)
    await closed
    expect(deaths).toEqual(['its thread ended'])
  })

  test.each([
    ['is not there', './no-such-thread.ts'],
    ['throws', './throwing-thread.ts'],
    ['ends', './ending-thread.ts'],
  ])('at the start, because its module %s, is an error of the start', async (_, module) => {
    const folder = temporaryFolder()
    prepareDataFolder(folder)
    const deaths: string[] = []
    const { started } = startWriter({
      folder,
      worker: new Worker(new URL(module, import.meta.url).href),
      onDeath: (reason) => deaths.push(reason),
    })
    const error = await started.then(
      () => undefined,
      (reason) => reason,
    )
    expect(error.message).toStartWith('cannot start the writer')
    expect(deaths).toEqual([])
  })
})
