/**
 * What is done with a message after an answer. `wait`: the settings are wrong, so that none gets through, and no attempt is
 * used up. `giveUp`: this one will never be taken; of an `address`, none ever will.
 */
export type Then = 'sent' | 'again' | 'wait' | 'giveUp' | 'address'

/**
 * One row: the lines that it is about, what is done, what happened, and what to do about it (empty if there is nothing to do).
 * Both are sentences without a full stop, for someone who has never seen this provider. `{host}` and `{server}` stand for the
 * name of the mail server and for that with its port, which only the operator reads.
 */
export type Row = readonly [on: RegExp, then: Then, says: string, step: string]
