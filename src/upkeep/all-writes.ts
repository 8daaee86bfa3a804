import { keyWrites } from '../accounts/keys/key-writes.ts'
import { addressWrites } from '../accounts/members/address-writes.ts'
import { invitationWrites } from '../accounts/members/invitation-writes.ts'
import { memberWrites } from '../accounts/members/member-writes.ts'
import { sessionWrites } from '../accounts/sessions/session-writes.ts'
import { sheetWrites } from '../accounts/sheets/sheet-writes.ts'
import { identityWrites } from '../accounts/users/identity-writes.ts'
import { secondFactorWrites } from '../accounts/users/second-factor-writes.ts'
import { userWrites } from '../accounts/users/user-writes.ts'
import { applyWrites } from '../forms/as-files/apply-writes.ts'
import { formWrites } from '../forms/form-writes.ts'
import { stopWrites } from '../forms/stop-writes.ts'
import { webhookWrites } from '../forms/webhooks/webhook-writes.ts'
import { outboxWrites } from '../outbox/outbox-writes.ts'
import { leaseWrites } from '../storage/cluster/lease-writes.ts'
import type { Connection } from '../storage/open.ts'
import { secretWrites } from '../storage/secrets/secret-writes.ts'
import { probeWrites } from '../storage/writer/probe.ts'
import { deliveryWrites } from '../submissions/deliveries/delivery-writes.ts'
import { fileWrites } from '../submissions/files/file-writes.ts'
import { importWrites } from '../submissions/imports/import-writes.ts'
import { submissionWrites } from '../submissions/submission-writes.ts'
import { expiryWrites } from './expiries.ts'

export type Writes = ReturnType<typeof joinWrites>

/** All writes of the service by their names. */
export const joinWrites = (db: Connection) => {
  const forms = formWrites(db)
  const webhooks = webhookWrites(db)
  return {
    ...forms,
    ...stopWrites(db),
    ...submissionWrites(db),
    ...fileWrites(db),
    ...importWrites(db),
    ...webhooks,
    ...applyWrites(db, { ...forms, ...webhooks }),
    ...deliveryWrites(db),
    ...outboxWrites(db),
    ...userWrites(db),
    ...identityWrites(db),
    ...secondFactorWrites(db),
    ...sessionWrites(db),
    ...keyWrites(db),
    ...sheetWrites(db),
    ...memberWrites(db),
    ...invitationWrites(db),
    ...addressWrites(db),
    ...secretWrites(db),
    ...leaseWrites(db),
    ...expiryWrites(db),
    ...probeWrites(db),
  }
}
