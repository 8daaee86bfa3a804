import { hashPassword } from '../accounts/users/passwords.ts'
import { dayMilliseconds } from '../base/durations.ts'
import { submitPath, visitorsPath } from '../config/addresses.ts'
import type { Config } from '../config/config.ts'
import { colleague, type DemoForms, demoForms, type FormName, kitchen, notes, owner } from './forms.ts'
import { openPastService, type PastService, type Person } from './past-service.ts'
import { openResults } from './results.ts'
import { days, readSent, type Sent } from './sent.ts'

/**
 * Fills an empty data folder with the forms of a bakery and what happened to them in two weeks: visitors send; the owner
 * reads, marks and notes. All of it takes the usual way, through collecting, the API and commands, with the clock set to each
 * moment. Deliveries get results, and nothing is sent.
 *
 * @param present Unix milliseconds
 * @returns the addresses of two users with this password, and the path of a form's page
 */
export const fillDemo = async (config: Config, password: string, present = Date.now()) => {
  const forms = demoForms(present)
  const service = await openPastService(config, present - (days + 1) * dayMilliseconds)
  try {
    const { ada, ids } = await addForms(service, forms, await hashPassword(password))
    const endDeliveries = openResults(service, present)
    const seen: Seen[] = []
    const sent = (await readSent(forms, present)).map((one) => ({
      at: one.at,
      happen: async () => void seen.push(await receive(service, ids, one)),
    }))
    const visits = Array.from({ length: days }, (_, day) => ({
      at: Math.round(present - (day + 0.9) * dayMilliseconds),
      happen: () => lookThrough(ada, ids, seen, service.now()),
    }))
    for (const { at, happen } of [...sent, ...visits].toSorted((one, other) => one.at - other.at)) {
      await endDeliveries(at)
      await happen()
      await endDeliveries(at)
    }
    return { owner, colleague, pagePath: visitorsPath(ids.workshop) }
  } finally {
    await service.close()
  }
}

type Ids = Readonly<Record<FormName, string>>

/** A submission that came. */
interface Seen extends Pick<Sent, 'form' | 'who' | 'isSpam' | 'at'> {
  readonly id: string
  /** Whether the owner has done what there was to do. */
  isSettled: boolean
}

const addForms = async (service: PastService, forms: DemoForms, passwordHash: string) => {
  const [ada, grace] = [
    await service.addPerson(owner, passwordHash, true),
    await service.addPerson(colleague, passwordHash),
  ]
  const ids = { ...noIds }
  for (const name of Object.keys(noIds) as FormName[]) {
    const { title, description, settings } = forms[name]
    const person = name === 'festival' ? grace : ada
    const { id } = await person.call('POST', '', { title, description })
    await person.call('PATCH', `/${id}/settings`, settings)
    ids[name] = id
  }
  await ada.call('POST', `/${ids.orders}/webhooks`, {
    url: `https://${kitchen}/hooks/orders`,
    description: 'Printer in the kitchen',
  })
  await ada.call('POST', `/${ids.jobs}/members`, { email: colleague, role: 'editor' })
  await grace.call('POST', `/${ids.festival}/members`, { email: owner, role: 'reader' })
  return { ada, ids }
}

const noIds = { jobs: '', orders: '', workshop: '', contact: '', festival: '' }

const receive = async (
  service: PastService,
  ids: Ids,
  { form, who, isSpam, at, language, body }: Sent,
): Promise<Seen> => {
  const headers = { 'accept-language': language }
  const { id } = await service.request(submitPath(ids[form]), { method: 'POST', headers, body })
  return { form, who, isSpam, at, id, isSettled: false }
}

/** After this long, a cake was picked up. */
const pickedUpMilliseconds = 4 * dayMilliseconds

/** What the owner does once a day. */
const lookThrough = async (ada: Person, ids: Ids, seen: readonly Seen[], now: number): Promise<void> => {
  for (const one of seen) {
    const { form, who, isSpam, at, id } = one
    const path = `/${ids[form]}/submissions/${id}`
    const note = notes[who]
    const isOver = form === 'orders' && now - at > pickedUpMilliseconds
    if (one.isSettled || !(isSpam || note || isOver)) continue
    if (isSpam) await ada.call('POST', `${path}/spam`)
    else await ada.call('PATCH', `${path}/handling`, { state: 'done' })
    if (note) await ada.call('POST', `${path}/notes`, { text: note })
    one.isSettled = true
  }
  for (const formId of Object.values(ids)) await ada.readAll(formId)
}
