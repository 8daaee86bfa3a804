import { applyWrites } from './apply/apply-writes.ts'
import { leaseWrites } from './cluster/lease-writes.ts'
import type { Connection } from './db/open.ts'
import { probeWrites } from './db/writer/probe.ts'
import { deliveryWrites } from './deliveries/delivery-writes.ts'
import { expiryWrites } from './expiries.ts'
import { fileWrites } from './files/file-writes.ts'
import { formWrites } from './forms/form-writes.ts'
import { keyWrites } from './keys/key-writes.ts'
import { invitationWrites } from './members/invitation-writes.ts'
import { memberWrites } from './members/member-writes.ts'
import { outboxWrites } from './outbox/outbox-writes.ts'
import { secretWrites } from './secrets/secret-writes.ts'
import { sessionWrites } from './sessions/session-writes.ts'
import { sheetWrites } from './sheets/sheet-writes.ts'
import { importWrites } from './submissions/staged-rows.ts'
import { submissionWrites } from './submissions/submission-writes.ts'
import { identityWrites } from './users/identity-writes.ts'
import { secondFactorWrites } from './users/second-factor-writes.ts'
import { userWrites } from './users/user-writes.ts'
import { webhookWrites } from './webhooks/webhook-writes.ts'

export type Writes = ReturnType<typeof joinWrites>

/** All writes of the service by their names. */
export const joinWrites = (db: Connection) => {
  const forms = formWrites(db)
  const webhooks = webhookWrites(db)
  return {
    ...forms,
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
    ...secretWrites(db),
    ...leaseWrites(db),
    ...expiryWrites(db),
    ...probeWrites(db),
  }
}
