import { describedForms } from '../../src/api/described-forms.ts'
import { readToml } from '../../src/base/read-toml.ts'
import { planForms, type Step } from '../../src/forms/as-files/plan.ts'
import type { openData } from '../storage/data.ts'

type Data = ReturnType<typeof openData>
type Environment = Record<string, string>

export const readForms = (text: string, environment: Environment = {}) =>
  describedForms(readToml(Buffer.from(text)), environment)

/** What `formbox apply` does, without its process. */
export const applyTo = (data: Data, userId = data.userId) => {
  const senders = [{ name: 'owners', users: [`${data.userId}@example.com`] }]
  const limits = { canMail: true, senders, submitLimit: 60, fileLimitBytes: 10_485_760, formPages: true }
  const plan = (text: string, environment?: Environment, mayOwnForms = true): Step[] =>
    planForms(data.db, readForms(text, environment), {
      userId,
      email: 'ada@example.com',
      mayOwnForms,
      limits,
      isReachable: (address) => !address.startsWith('127.'),
      now: Date.now(),
    })
  const carryOut = (steps: readonly Step[]): void => {
    const forms = steps.filter(({ kind }) => kind !== 'same').map(({ applied }) => applied)
    data.run('applyForms', JSON.parse(JSON.stringify({ userId, now: Date.now(), oldSecretUntil: 9e15, forms })))
  }
  const apply = (text: string, environment?: Environment): Step[] => {
    const steps = plan(text, environment)
    carryOut(steps)
    return steps
  }
  const kinds = (text: string, environment?: Environment) => plan(text, environment).map(({ kind }) => kind)
  return { plan, carryOut, apply, kinds }
}
