import { describe, expect, test } from 'bun:test'
import { derivedId } from '../../src/base/id.ts'
import { allowed } from '../deliveries/receiver.ts'
import { afterThisTest, startServer, writeTo } from '../harness.ts'
import { readPage } from '../read-page.ts'
import { rowsOf } from '../storage/sound.ts'
import { owner } from '../visitor.ts'
import { siteWorld } from '../world.ts'

const failure = {
  at: Date.UTC(2026, 10, 21, 14, 50),
  milliseconds: 31,
  status: 502,
  error: 'The receiver responded with 502',
  answer: '<b>Bad gateway \u202e',
}
const success = { at: Date.UTC(2026, 10, 21, 14, 55), milliseconds: 12, status: 204, error: null, answer: '' }

/** A form with three submissions, told to a webhook or still to be told. Nothing is due, so the server sends nothing. */
const withDeliveries = async (url = 'http://hook.localhost:1/hook', environment?: Record<string, string>) => {
  const { server, ada, formId: form } = await siteWorld({ environment })
  const path = `/forms/${form}`
  const submissions: string[] = []
  for (const name of ['Ada', 'Grace', 'Lin']) submissions.push(await server.submit(form, { name }))
  const webhook: string = (await ada.api.call('POST', `${path}/webhooks`, { url, description: 'Team <b>' })).body.id
  const insert = (row: Record<string, string | number | null>, ofWebhook = webhook) =>
    writeTo(server.folder, ({ $client }) => {
      const names = Object.keys(row)
      $client.run(
        `INSERT INTO deliveries (form, receiver, ${names.join()})
         SELECT form, number, ${names.map(() => '?').join()} FROM receivers WHERE id = ?`,
        [...Object.values(row), ofWebhook],
      )
      $client.run(`UPDATE receivers SET ${row.state}_count = ${row.state}_count + 1 WHERE id = ?`, [ofWebhook])
    })
  const [delivered, failed, pending] = submissions as [string, string, string]
  const rowOf = (submission: string) => ({ id: derivedId(submission, webhook), kind: 'webhook', submission })
  insert({ ...rowOf(delivered), state: 'delivered', attempts: 2, log: JSON.stringify([failure, success]), due_at: 0 })
  insert({ ...rowOf(failed), state: 'failed', attempts: 1, log: JSON.stringify([failure]), due_at: 0 })
  insert({
    ...rowOf(pending),
    state: 'pending',
    attempts: 1,
    log: JSON.stringify([failure]),
    due_at: Date.now() + 3_600_000,
  })
  const idOf = (submission: string): string => rowOf(submission).id
  const pageOf = async (submission: string) => (await ada.get(`${path}/submissions/${submission}`)).html
  return { server, ada, form, path, webhook, delivered, failed, pending, insert, idOf, pageOf }
}

/** The submissions that a list shows as not delivered. */
const undelivered = (html: string): string[] =>
  [...html.matchAll(/<li class="row.*?<\/li>/gs)].flatMap(([row]) =>
    row.includes('<span class="chip is-bad">Not delivered</span>') ? (/ id="(\w{28})/.exec(row)?.[1] ?? []) : [],
  )

const states = (html: string): string[] =>
  [...html.matchAll(/<li class="is-(wait|bad|ok|off)">/g)].map(([, state]) => state as string)

describe('a list of submissions', () => {
  test('says which were not delivered for good, also in one mail about several, to those who may see it', async () => {
    const { server, ada, form, path, delivered, failed, pending, insert } = await withDeliveries()
    expect(undelivered((await ada.get(path)).html)).toEqual([failed])
    expect(undelivered((await ada.get('/')).html)).toEqual([failed])
    const digest = derivedId(pending, form)
    insert({ id: digest, kind: 'digest', submission: pending, count: 1, state: 'failed', attempts: 1, log: '[]' })
    writeTo(server.folder, ({ $client }) =>
      $client.run(
        `INSERT INTO digested_submissions (form, submission, receiver, digest)
         SELECT number, ?, 1, ? FROM forms WHERE id = ?`,
        [pending, digest, form],
      ),
    )
    for (const page of [path, '/']) expect(undelivered((await ada.get(page)).html)).toEqual([pending, failed])
    // What an address did not get that gets no more of it is in the past.
    const [gone, ofGone] = [derivedId(form, 'gone'), derivedId(delivered, form)]
    writeTo(server.folder, ({ $client }) => {
      $client.run(
        `INSERT INTO receivers (form, id, kind, target, host, removed_at)
         SELECT number, ?, 'email', 'gone@example.com', 'mail', 1 FROM forms WHERE id = ?`,
        [gone, form],
      )
      $client.run(
        `INSERT INTO digested_submissions (form, submission, receiver, digest)
         SELECT form, ?, number, ? FROM receivers WHERE id = ?`,
        [delivered, ofGone, gone],
      )
    })
    insert(
      { id: ofGone, kind: 'digest', submission: delivered, count: 1, state: 'failed', attempts: 1, log: '[]' },
      gone,
    )
    for (const page of [path, '/']) expect(undelivered((await ada.get(page)).html)).toEqual([pending, failed])
    const eve = await owner(server)
    await ada.api.call('POST', `${path}/members`, { email: eve.email, role: 'reader' })
    for (const page of [path, '/']) {
      const { html } = await eve.get(page)
      expect([html.includes(failed), undelivered(html)]).toEqual([true, []])
    }
  })
})

describe('the page of a submission', () => {
  test('shows who was told, when, and what came back, as text', async () => {
    const { pageOf, delivered, failed, pending } = await withDeliveries()
    const page = await pageOf(delivered)
    expect(page).toMatch(
      /<details class="fold"><summary><span>Sent to <bdi>Team &lt;b&gt;<\/bdi>, <time datetime="2026-11-21T14:55:00.000Z">/,
    )
    expect(page).toContain(
      'The receiver responded with 502: <code class="answer" tabindex="0">&lt;b&gt;Bad gateway �</code>',
    )
    expect(page).toContain('accepted with 204')
    for (const [one, words] of [
      [failed, 'Not sent to'],
      [pending, 'Not yet sent to'],
    ] as const)
      expect(await pageOf(one)).toContain(
        `<details class="fold is-failed" open><summary><span>${words} <bdi>Team &lt;b&gt;</bdi></span></summary>`,
      )
    expect(await pageOf(pending)).toMatch(/Next try: <time[^>]*>.*Try now/s)
  })

  test('tries again, and leads back to where it was', async () => {
    const { ada, path, pageOf, idOf, failed } = await withDeliveries()
    const retry = `${path}/deliveries/${idOf(failed)}/retry`
    expect(await pageOf(failed)).toContain(`action="${retry}"`)
    const answer = await ada.post(retry, { back: failed, page: '2', startDate: '2026-11-01', evil: 'x' })
    const back = `${path}/submissions/${failed}?startDate=2026-11-01&page=2&done=retried#notice`
    expect(answer).toMatchObject({ status: 303, location: back })
    const { html } = await ada.get(back)
    expect(html).toContain('It is being sent now.')
  })

  test('offers no retry where no one would be told', async () => {
    const { ada, path, webhook, pageOf, failed } = await withDeliveries()
    await ada.api.call('DELETE', `${path}/webhooks/${webhook}`)
    expect(await pageOf(failed)).toContain('Not sent to')
    expect(await pageOf(failed)).not.toContain('/retry')
  })

  test('shows the mail that tells of several submissions on the page of each of them', async () => {
    const { server, insert, delivered, failed, pending, pageOf, webhook } = await withDeliveries()
    const later = await server.submit((await pageOf(pending)).match(/forms\/(\w+)/)?.[1] ?? '', { name: 'Later' })
    writeTo(server.folder, ({ $client }) => {
      $client.run(
        `INSERT INTO receivers (id, form, kind, target, host, is_enabled)
         SELECT ?, form, 'email', 'ada@example.com', 'mail', 1 FROM receivers WHERE id = ?`,
        [`${webhook}-mail`, webhook],
      )
    })
    const row = { kind: 'digest', submission: delivered, count: 3 }
    const id = derivedId(delivered, 'digest')
    insert({ ...row, id, state: 'delivered', attempts: 1, log: JSON.stringify([success]) }, `${webhook}-mail`)
    writeTo(server.folder, ({ $client }) => {
      for (const submission of [delivered, failed, pending])
        $client.run(
          `INSERT INTO digested_submissions (form, submission, receiver, digest)
           SELECT form, ?, number, ? FROM receivers WHERE id = ?`,
          [submission, id, `${webhook}-mail`],
        )
    })
    for (const submission of [delivered, failed, pending])
      expect((await pageOf(submission)).split('Emailed with others to <bdi>ada@example.com</bdi>')).toHaveLength(2)
    expect(await pageOf(later)).not.toContain('Emailed with')
  })
})

describe('/forms/:formId/deliveries', () => {
  test('lists what waits, what failed, and below a fold what arrived; those in one state too', async () => {
    const { ada, path, delivered, failed, pending } = await withDeliveries()
    const list = async (query = '') => (await ada.get(`${path}/deliveries${query}`)).html
    expect(states(await list())).toEqual(['wait', 'bad', 'ok'])
    expect(await list()).toContain('<summary>1 accepted</summary>')
    const marks = { delivered: 'ok', failed: 'bad', pending: 'wait' }
    for (const [state, submission] of Object.entries({ delivered, failed, pending })) {
      const html = await list(`?state=${state}`)
      expect(states(html)).toEqual([marks[state as keyof typeof marks]])
      expect(html).toContain(`href="${path}/submissions/${submission}"`)
      expect(await list()).toContain(`href="${path}/deliveries?state=${state}"`)
    }
    expect(states(await list('?state=x&page=y'))).toHaveLength(3)
    await ada.post(`${path}/submissions/delete`, { confirm: 'yes', ids: failed })
    expect(await list('?state=failed')).toContain('Nothing failed in the last 90 days.')
  })

  test('is empty before anything was sent', async () => {
    const { ada, formId } = await siteWorld()
    expect((await ada.get(`/forms/${formId}/deliveries`)).text).toContain('Nothing was sent yet.')
  })

  test('are grouped by receiver, with its words once, and say who it was about', async () => {
    const { server, ada, form, path, webhook, insert, failed } = await withDeliveries()
    // So that there are no other deliveries of these.
    writeTo(server.folder, ({ $client }) => $client.run('UPDATE forms SET receiver_count = 0 WHERE id = ?', [form]))
    for (let i = 0; i < 3; i++) {
      const submission = await server.submit(form, { name: `Visitor <${i}>` })
      const row = { id: derivedId(submission, webhook), kind: 'webhook', submission, state: 'failed', attempts: 1 }
      insert({ ...row, log: JSON.stringify([failure]), due_at: 0 })
    }
    const other = (await ada.api.call('POST', `${path}/webhooks`, { url: 'http://other.localhost:1/' })).body.id
    const refused = { ...failure, status: null, error: 'The connection was refused', answer: '' }
    const row = { id: derivedId(failed, other), kind: 'webhook', submission: failed, state: 'failed', attempts: 1 }
    insert({ ...row, log: JSON.stringify([refused]), due_at: 0 }, other)
    writeTo(server.folder, ({ $client }) =>
      $client.run('UPDATE receivers SET failing_since = ? WHERE id = ?', [failure.at, webhook]),
    )
    const { html, button } = await ada.get(`${path}/deliveries`)
    const [, first = '', second = '', ...more] = html.split('<section class="card"')
    expect(more).toEqual([])
    expect(first).toContain('<bdi>Team &lt;b&gt;</bdi></h3>')
    expect(first).toMatch(
      /Failing since <time.*1 accepted, 4 failed, 1 waits\..*switched off by itself if that goes on until/s,
    )
    expect(first).toContain('aria-label="The last 6: 1 accepted, 4 failed, 1 waiting"')
    expect(first.match(/<svg.*?<\/svg>/)?.[0].split('<rect')).toHaveLength(1 + 6)
    // Once above the list, and once among the attempts of each.
    expect(first.split('&lt;b&gt;Bad gateway').length - 1).toBe(1 + 6)
    expect(first).toContain('<summary><span>Failed for good after one try</span></summary>')
    expect(first).toMatch(/<bdi>Visitor &lt;2&gt;<\/bdi><\/a><\/strong> <span class="muted"><time/)
    expect(first).toContain('Try again<span class="visually-hidden">: <bdi>Visitor &lt;2&gt;</bdi>, webhook Team')
    expect(first).toContain('Try all 5<')
    expect(second).toContain('Try all 1<')
    expect(readPage(second).texts.join()).toContain('The connection was refused')
    expect(button('Try all 6 again')).toBeDefined()
    const { text } = await ada.get(path)
    expect(text).toContain('5 deliveries failed. Team <b>: The receiver responded with 502')
    expect(text).toContain('Program other.localhost:1: The connection was refused')

    await ada.post(`${path}/submissions/spam`, { ids: failed })
    const { html: after } = await ada.get(`${path}/deliveries`)
    expect(after).not.toContain(`href="${path}/submissions/${failed}"`)
  })

  test('dismisses one that someone has looked at: it is no failure, and all leaves it out', async () => {
    const { server, ada, path, idOf, failed, pending, webhook } = await withDeliveries()
    const dismiss = `${path}/deliveries/${idOf(failed)}/dismiss`
    expect((await ada.get(`${path}/deliveries`)).html).toContain(`formaction="${dismiss}"`)
    expect((await ada.get(`${path}/deliveries`)).html).not.toContain(`${idOf(pending)}/dismiss`)
    expect(undelivered((await ada.get(path)).html)).toEqual([failed])
    const answer = await ada.post(dismiss, {})
    expect(answer.location).toBe(`${path}/deliveries?done=dismissed#notice`)
    const { html, text } = await ada.get(answer.location ?? '')
    expect(text).toContain('Dismissed. It no longer counts as failed.')
    expect(states(html)).toEqual(['wait', 'off', 'ok'])
    expect(text).toContain('Not sent: it failed, and was dismissed')
    expect(undelivered((await ada.get(path)).html)).toEqual([])
    const [counts] = rowsOf(server.folder, `SELECT failed_count, skipped_count FROM receivers WHERE id = '${webhook}'`)
    expect(counts).toEqual({ failed_count: 0, skipped_count: 1 })
    expect((await ada.post(`${path}/deliveries/${idOf(failed)}/retry`, {})).status).toBe(303)
  })

  test('is a page of at most 35 KiB with 1,000 that failed, and leads to all of them', async () => {
    const { server, ada, path, form, webhook } = await withDeliveries()
    writeTo(server.folder, ({ $client }) => {
      for (let i = 0; i < 1000; i++)
        $client.run(
          `INSERT INTO deliveries (form, id, receiver, kind, submission, state, attempts, log)
           SELECT form, ?, number, 'webhook', ?, 'failed', 1, ? FROM receivers WHERE id = ?`,
          [`${derivedId(form, String(i))}`, form, JSON.stringify([failure]), webhook],
        )
      $client.run('UPDATE receivers SET failed_count = failed_count + 1000 WHERE id = ?', [webhook])
    })
    const page = await ada.get(`${path}/deliveries`)
    expect(Buffer.byteLength(page.html)).toBeLessThan(35 * 1024)
    expect(page.link('991 more')).toBe(`${path}/deliveries?state=failed`)
    const list = await ada.get(`${path}/deliveries?state=failed`)
    expect([states(list.html).length, list.link('Older')]).toEqual([20, `${path}/deliveries?state=failed&page=2`])
  })

  test('are two clicks from the list of forms if something failed, three if not', async () => {
    const { ada, path, idOf, failed } = await withDeliveries()
    const clicks = async (...names: string[]) => {
      let page = await ada.get('/forms')
      for (const name of names) page = await ada.get(page.link(name) ?? `no link ${name}`)
      return page.text
    }
    const title = (await ada.api.call('GET', path)).body.title
    expect(await clicks(title, 'See what happened')).toContain('The receiver responded with 502')
    await ada.post(`${path}/deliveries/${idOf(failed)}/dismiss`, {})
    expect(await clicks(title, 'Settings', 'All deliveries')).toContain('1 accepted')
  })

  test('tries again, and stays in the list', async () => {
    const { ada, path, idOf, failed } = await withDeliveries()
    const answer = await ada.post(`${path}/deliveries/${idOf(failed)}/retry`, { state: 'failed' })
    expect(answer.location).toBe(`${path}/deliveries?state=failed&done=retried#notice`)
    expect((await ada.get(answer.location ?? '')).html).toContain('It is being sent now.')
  })

  test('tries everything again that was not delivered', async () => {
    // It never answers, so nothing has failed again when the page is asked for.
    const silent = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
    afterThisTest(() => silent.stop(true))
    const { server, ada, path, webhook } = await withDeliveries(`http://127.0.0.1:${silent.port}/hook`, allowed)
    const button = 'Try it again'
    expect((await ada.get(`${path}/deliveries`)).html).toContain(button)
    const answer = await ada.post(`${path}/deliveries/retry`, { state: 'failed' })
    expect(answer.location).toBe(`${path}/deliveries?state=failed&done=all#notice`)
    const { html } = await ada.get(answer.location ?? '')
    expect(html).toContain('Everything undelivered is being sent now.')
    expect(states(html)).toEqual([])
    expect((await ada.get(`${path}/deliveries`)).html).not.toContain(button)
    writeTo(server.folder, ({ $client }) =>
      $client.run("UPDATE deliveries SET state = 'failed' WHERE state = 'pending'"),
    )
    writeTo(server.folder, ({ $client }) => $client.run('UPDATE receivers SET failed_count = 2, pending_count = 0'))
    await ada.api.call('PATCH', `${path}/webhooks/${webhook}`, { enabled: false })
    const none = await ada.post(`${path}/deliveries/retry`, {})
    expect(none.location).toBe(`${path}/deliveries?done=none#notice`)
    expect((await ada.get(none.location ?? '')).html).toContain('There is nothing to try again.')
  })
})

describe('a receiver that does not get its deliveries', () => {
  const withTwo = async () => {
    const prepared = await withDeliveries()
    const { server, ada, path, webhook, failed, insert } = prepared
    const other = (await ada.api.call('POST', `${path}/webhooks`, { url: 'http://other.localhost:1/' })).body.id
    const row = { kind: 'webhook', submission: failed, state: 'failed', attempts: 1, log: JSON.stringify([failure]) }
    insert({ ...row, id: derivedId(failed, other), due_at: 0 }, other)
    const statesOf = (id: string) =>
      rowsOf<{ state: string }>(
        server.folder,
        `SELECT state FROM deliveries JOIN receivers ON number = receiver WHERE receivers.id = '${id}' ORDER BY 1`,
      ).map(({ state }) => state)
    /** The card of a receiver in the list. */
    const cardOf = async (id: string, visitor = ada) =>
      (await visitor.get(`${path}/deliveries`)).html
        .split('<section ')
        .find((part) => part.includes(`id="to-${id}"`)) ?? ''
    return { ...prepared, webhook, other, statesOf, cardOf }
  }

  test('gets all of them again, and no other one does', async () => {
    const { ada, path, webhook, other, statesOf, cardOf } = await withTwo()
    expect(await cardOf(other)).toContain(
      'Try all 1<span class="visually-hidden">: Program <bdi>other.localhost:1</bdi></span>',
    )
    const answer = await ada.post(`${path}/deliveries/retry`, { receiver: other, state: 'failed' })
    expect(answer.location).toBe(`${path}/deliveries?state=failed&done=there#notice`)
    expect((await ada.get(answer.location ?? '')).html).toContain(
      'Everything undelivered to this receiver is being sent now.',
    )
    expect(statesOf(webhook)).toEqual(['delivered', 'failed', 'pending'])
    expect(statesOf(other)).not.toEqual(['failed'])
    expect((await ada.post(`${path}/deliveries/retry`, { receiver: 'x' })).status).toBe(400)
  })

  test('is switched off if it is a webhook, by those who may', async () => {
    const { server, ada, path, form, webhook, other, cardOf } = await withTwo()
    const grace = await owner(server)
    await ada.api.call('POST', `/forms/${form}/members`, { email: grace.email, role: 'editor' })
    expect(await cardOf(webhook, grace)).toContain('Try all 1<')
    expect(await cardOf(webhook, grace)).not.toContain('Stop sending there')
    expect(await cardOf(webhook)).toContain(`formaction="${path}/deliveries/stop"`)
    const answer = await ada.post(`${path}/deliveries/stop`, { receiver: webhook })
    expect(answer.location).toBe(`${path}/deliveries?done=off#notice`)
    expect((await ada.get(answer.location ?? '')).html).toContain(
      `The webhook is switched off. <a href="${path}/settings">Switch it on again</a>`,
    )
    const { webhooks } = (await ada.api.call('GET', `${path}/webhooks`)).body
    expect(webhooks.map(({ id, enabled }: { id: string; enabled: boolean }) => [id, enabled])).toEqual([
      [webhook, false],
      [other, true],
    ])
    expect(await cardOf(webhook)).not.toMatch(/>(?:Try|Stop)/)
    expect(await cardOf(other)).toContain('Stop sending there')
  })

  test('was taken away, if it is a webhook that someone deleted while the page was open', async () => {
    const { ada, path, other } = await withTwo()
    await ada.api.call('DELETE', `${path}/webhooks/${other}`)
    const answer = await ada.post(`${path}/deliveries/stop`, { receiver: other, state: 'failed' })
    expect(answer.location).toBe(`${path}/deliveries?state=failed&done=gone#notice`)
    const { html } = await ada.get(answer.location ?? '')
    expect(html).toContain('This address or webhook was removed earlier. Nothing more is sent to it.')
    expect(html).not.toContain('The address gets no more')
  })

  test('is taken from the addresses if it is one, whatever else is set for it', async () => {
    const server = await startServer({
      settings: {
        FORMBOX_URL: 'http://localhost:8080',
        FORMBOX_MAIL_URL: 'smtp://127.0.0.1:1',
        FORMBOX_MAIL_FROM: 'formbox@example.com',
      },
    })
    const ada = await owner(server)
    const form = await ada.api.createForm()
    const notify = [
      { address: ada.email.toUpperCase(), only: { field: 'a', equals: 'b' }, digest: null },
      'x@example.com',
    ]
    expect((await ada.api.call('PATCH', `/forms/${form}/settings`, { notify })).status).toBe(200)
    const addresses = async () => (await ada.api.call('GET', `/forms/${form}/settings`)).body.notify
    const [id] = rowsOf<{ id: string }>(server.folder, `SELECT id FROM receivers WHERE only IS NOT NULL`)
    const answer = await ada.post(`/forms/${form}/deliveries/stop`, { receiver: id?.id ?? '', state: 'failed' })
    expect(answer.location).toBe(`/forms/${form}/deliveries?state=failed&done=removed#notice`)
    expect((await ada.get(answer.location ?? '')).html).toContain('The address gets no more emails about this form.')
    expect(await addresses()).toEqual(['x@example.com'])
    await ada.post(`/forms/${form}/deliveries/stop`, { receiver: id?.id ?? '' })
    expect(await addresses()).toEqual(['x@example.com'])
    const { trail } = (await ada.api.call('GET', `/forms/${form}/trail`)).body
    expect(trail[0]).toMatchObject({ what: 'settings', detail: 'notify', by: ada.email })

    const names = ['a', 'b', 'c', 'd'].map((name) => `${name}@example.com`)
    await ada.api.call('PATCH', `/forms/${form}/settings`, { notify: [...names, 'x@example.com'] })
    const ids = rowsOf<{ id: string }>(server.folder, `SELECT id FROM receivers WHERE target GLOB '[a-d]@example.com'`)
    await Promise.all(ids.map((one) => ada.post(`/forms/${form}/deliveries/stop`, { receiver: one.id })))
    expect(await addresses()).toEqual(['x@example.com'])
  })
})

describe('what failed', () => {
  test('is on the list of forms, on the form and on the page of the webhook', async () => {
    const { ada, path, webhook, failed, idOf } = await withDeliveries()
    expect((await ada.get('/forms')).texts).toContain('Not delivered')
    expect((await ada.get(path)).html).toContain(
      `One delivery failed. <bdi>Team &lt;b&gt;</bdi>: The receiver responded with 502 <q>&lt;b&gt;Bad gateway �</q>.</p><a href="${path}/deliveries">See what happened</a>`,
    )
    expect((await ada.get(`${path}/settings`)).text).toContain('Team <b>')
    const back = await ada.post(`${path}/deliveries/${idOf(failed)}/retry`, { back: 'settings' })
    expect(back.location).toBe(`${path}/settings?done=retried#notice`)

    await ada.api.call('DELETE', `${path}/webhooks/${webhook}`)
    expect((await ada.get('/forms')).html).not.toContain('Not delivered')
    expect((await ada.get(path)).html).not.toContain('See what happened')
  })

  test('is said too while it is still tried', async () => {
    const { server, ada, path, webhook } = await withDeliveries()
    writeTo(server.folder, ({ $client }) => {
      $client.run('UPDATE receivers SET failed_count = 0, failing_since = 1 WHERE id = ?', [webhook])
    })
    expect((await ada.get(path)).html).toContain(
      `A delivery failed and will be tried again. <bdi>Team &lt;b&gt;</bdi>: The receiver responded with 502 <q>&lt;b&gt;Bad gateway �</q>.</p><a href="${path}/deliveries">See what happened</a>`,
    )
    expect((await ada.get(`${path}/settings`)).html).toContain('Nothing has arrived since <time')
  })
})
