import { invalid } from '../base/errors.ts'
import { newId } from '../base/id.ts'
import { toMailAddress } from '../base/mail-address.ts'
import { OperatorError } from '../base/operator-errors.ts'
import { placeOf } from '../config/mail.ts'
import { withSenders } from '../config/senders.ts'
import { openSenderMailer } from '../sending/mail/chosen-sender.ts'
import { openMailer } from '../sending/mail/mailer.ts'
import { testMail } from '../sending/mail/messages.ts'
import type { Command } from './command.ts'
import { configFor } from './flags.ts'

export const mailTest: Command = {
  words: ['mail', 'test'],
  operands: ['ADDRESS'],
  summary: 'send a test email, and say what went wrong if it failed',
  flags: [{ name: 'sender', value: 'NAME', help: 'send by this sender in FORMBOX_SENDERS_FILE' }],
  run: async (flags, [operand = '']) => {
    const { mail: usual, senders } = await withSenders(configFor(flags))
    const sender = senders.find(({ name }) => name === flags.sender)
    if (flags.sender !== undefined && !sender)
      throw invalid({ field: '--sender', message: `must be the name of a table in FORMBOX_SENDERS_FILE` })
    const mail = sender?.mail ?? usual
    if (!mail)
      throw invalid({
        field: 'FORMBOX_MAIL_URL',
        message:
          'must be set to send email, and so must FORMBOX_MAIL_FROM. A command does not read the settings of a service by ' +
          'itself (see Run a command in the documentation)',
      })
    const to = toMailAddress(operand)
    if (to === null)
      throw invalid({ field: 'ADDRESS', message: `must be one email address; got ${JSON.stringify(operand)}` })
    const mailer = sender ? openSenderMailer(sender) : openMailer(mail)
    const now = Date.now()
    const { result, operatorError, answer } = await mailer.send(
      testMail({ id: newId(now), to, now, publicUrl: mail.publicUrl }),
    )
    mailer.close()
    const place = placeOf(mail.server)
    const said = answer === '' ? '' : `; it responded: ${answer}`
    if (result !== 'delivered') throw new OperatorError(`no email was sent through ${place}: ${operatorError}${said}`)
    process.stdout.write(`${place} accepted the email for ${to}${said}\n`)
    return 0
  },
}
