import { and, asc, eq, gt, isNull } from 'drizzle-orm'
import { notifyWrites } from '../outbox/addresses.ts'
import type { Db } from '../storage/open.ts'
import { forms, given, inLowerCase, is, param, receivers } from '../storage/tables.ts'
import { liveForm } from './form.ts'
import { addressOf, type NotifyEntry, toAddressee } from './settings/notify-entries.ts'
import { changeSettings, parseSettings } from './settings/settings.ts'

/** A form and an address that gets its mails. */
type AddressedForm = NonNullable<ReturnType<ReturnType<typeof stopStatements>['formOfReceiver']['get']>>

export type StopWrites = ReturnType<typeof stopWrites>

/** The commands of recipients who want no more mail. */
export const stopWrites = (db: Db) => {
  const { setAddresses, ...marks } = notifyWrites(db)
  const { updateSettings, formOfReceiver, formsOfAddress } = stopStatements(db)

  const takeOut = ({ number, id, userId, settings, address }: AddressedForm, now: number): void => {
    const isOther = (one: NotifyEntry): boolean => addressOf(one).toLowerCase() !== address.toLowerCase()
    const notify = parseSettings(settings).notify.filter(isOther)
    const changed = changeSettings(settings, { notify })
    if (changed === settings) return
    updateSettings.run({ number, settings: changed })
    setAddresses({ number, id, userId }, notify.map(toAddressee), now)
  }

  return {
    /**
     * Takes an address out of the setting `notify` of its form, because its recipient wants no more mail. Files do not add
     * it again.
     *
     * @param input.receiver identifier from the table of receivers
     * @returns the title of the form; undefined if there is no such receiver, or its form was deleted
     */
    removeAddress(input: { receiver: string; now: number }): string | undefined {
      const found = formOfReceiver.get({ id: input.receiver })
      if (!found) return undefined
      takeOut(found, input.now)
      marks.leave(found.id, found.address, input.now)
      return found.title
    },

    /**
     * Takes an address out of the setting `notify` of some forms, because its recipient wants no more mail of this server, and
     * lets no one add it to others.
     *
     * @param input.address in lower case
     * @param input.after number of the form after which to continue; at first 0
     * @returns where to continue; null after the last form
     */
    stopAddress(input: { address: string; now: number; after: number; maxForms: number }): number | null {
      const { address, now, after, maxForms } = input
      marks.stopAddress(address, now)
      const found = formsOfAddress.all({ address, after, limit: maxForms })
      for (const form of found) takeOut(form, now)
      return found.length === maxForms ? (found.at(-1)?.number ?? null) : null
    },

    /** Lets owners add the address again. @param input.address in lower case */
    allowAddress: (input: { address: string }): void => marks.allowAddress(input.address),
  }
}

const stopStatements = (db: Db) => {
  const updateSettings = db
    .update(forms)
    .set({ settings: given('settings') })
    .where(eq(forms.number, param('number')))
    .prepare()
  const addressed = () =>
    db
      .select({
        number: forms.number,
        id: forms.id,
        userId: forms.userId,
        title: forms.title,
        settings: forms.settings,
        address: receivers.target,
      })
      .from(receivers)
      .innerJoin(forms, and(eq(forms.number, receivers.form), liveForm))
  const isAddress = is(receivers.kind, 'email')
  const formOfReceiver = addressed()
    .where(and(eq(receivers.id, param('id')), isAddress))
    .prepare()
  const formsOfAddress = addressed()
    .where(
      and(
        eq(inLowerCase(receivers.target), param('address')),
        gt(receivers.form, param('after')),
        isNull(receivers.removedAt),
        isAddress,
      ),
    )
    .orderBy(asc(receivers.form))
    .limit(param('limit'))
    .prepare()
  return { updateSettings, formOfReceiver, formsOfAddress }
}
