import { challengeWrites } from './challenge/challenge-writes.ts'
import type { Connection } from './db/open.ts'
import { probeWrites } from './db/writer/probe.ts'
import { deliveryWrites } from './deliveries/delivery-writes.ts'
import { formWrites } from './forms/form-writes.ts'
import { keyWrites } from './keys/key-writes.ts'
import { outboxWrites } from './outbox/outbox-writes.ts'
import { secretWrites } from './secrets/signing-key.ts'
import { sessionWrites } from './sessions/session-writes.ts'
import { spamWrites } from './spam/spam-writes.ts'
import { submissionWrites } from './submissions/submission-writes.ts'
import { userWrites } from './users/user-writes.ts'
import { webhookWrites } from './webhooks/webhook-writes.ts'

const makers = [
  submissionWrites,
  keyWrites,
  probeWrites,
  challengeWrites,
  formWrites,
  sessionWrites,
  userWrites,
  outboxWrites,
  webhookWrites,
  deliveryWrites,
  spamWrites,
  secretWrites,
] as const

/** All writes of the service by their names. */
export type Writes = Joined<ReturnType<(typeof makers)[number]>>

type Joined<Union> = (Union extends unknown ? (each: Union) => void : never) extends (all: infer All) => void
  ? All
  : never

/** What makes them, in the order in which a server needs them. */
export const writesOf = (db: Connection) => makers.map((make) => () => make(db))
