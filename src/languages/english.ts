import type { Foreign } from './foreign.ts'
import { formats } from './formats.ts'

const { size, moment, day, kinds: kindsOf, either, number, exact } = formats('en')

/** Groups of kinds of files. All others are called by their extension. */
const groups: Readonly<Record<string, string>> = {
  'image/*': 'images',
  'audio/*': 'audio files',
  'video/*': 'videos',
  'text/*': 'text files',
  PDF: 'PDFs',
}

const found = {
  program: 'a program',
  script: 'a script',
  image: 'an image',
  pdf: 'a PDF',
  archive: 'a ZIP archive or a document',
  document: 'an Office document',
  audio: 'an audio file',
  video: 'a video',
  other: 'not one of them',
}

const counted = (count: number, noun: string): string => `${number(count)} ${noun}${count === 1 ? '' : 's'}`

const misnamed = (format: string): string =>
  `${format.startsWith('A') ? 'an' : 'a'} ${format} file with the wrong extension`

const listed = (kinds: readonly string[]): string =>
  kindsOf(kinds, groups, (name, _isFirst, isLast) => (isLast ? `${name} files` : name))

/** @param format of an image whose name says another one */
const wrongKind =
  (taker: string) =>
  (file: Foreign, kinds: readonly string[], kind: keyof typeof found, format: string | null): string =>
    `${taker} takes only ${listed(kinds)}, and “${file}” is ${format === null ? found[kind] : misnamed(format)}.`

/**
 * All that visitors read. Every other language has the same texts, with the same arguments, or does not compile.
 *
 * - Write them as good websites in the language do: its usual form of address, quotation marks and spaces. Dates, numbers,
 *   sizes and lists come from formats.ts.
 * - Say what happened, and what to do next, without blame, in an order of your own.
 * - Put a number where no word has to agree with it: “Maximum: 3” rather than “3 files”.
 * - Whatever a visitor or an owner wrote is handed in as `Foreign` (foreign.ts): it has its own direction on the page.
 * - Have them read by someone who sees the pages, not the file.
 */
export const english = {
  tag: 'en',
  dir: 'ltr' as 'ltr' | 'rtl',
  /** Between two sentences. */
  space: ' ' as ' ' | '',
  /** A label with what belongs to it. */
  labelled: (label: string, text: string) => `${label}: ${text}`,

  thankYou: 'Thank you',
  received: (form: Foreign) => `Your message to “${form}” was received.`,
  /** A link to the page that the visitor came from. */
  backTo: (host: Foreign) => `Back to ${host}`,
  /** Above what a visitor has typed, which can be copied. */
  typed: 'What you typed',

  titles: {
    notSent: 'Your message was not sent',
    early: 'This form is not open yet',
    closed: 'This form is closed',
    full: 'This form is full',
    noForm: 'This form does not exist',
    wrong: 'Something went wrong',
    badLink: 'This link does not work',
    messagesOnly: 'This address only receives messages',
  },

  /** A sentence for each reason that an error may have. */
  reasons: {
    early: (at: number) => `It opens on ${moment(at)}.`,
    over: (at: number) => `It closed on ${moment(at)}.`,
    full: () => 'It takes no more messages.',
    closed: () => 'It takes no messages at the moment.',
    otherPage: (origin: Foreign) =>
      `This form does not take messages from ${origin}. If this is your website, add it to the pages that may send, in the settings of the form.`,
    unknownPage: () =>
      'This form takes messages from certain pages only, and your browser did not say which page you used.',
    unsolved: () =>
      'To keep robots out, this form needs a short calculation, which your browser does while you type. It was missing, too old, or already used.',
    empty: () => 'The form was empty.',
    malformed: () => 'The server could not read what your browser sent.',
    interrupted: () => 'Your message did not arrive completely. Your connection may be slow or interrupted.',
    textTooLong: (most: number) => `Your message is too long: this form takes up to ${size(most)} of text.`,
    filesTooLarge: (most: number) => `Your files are too large: this form takes up to ${size(most)} in total.`,
    fileTooLarge: (file: Foreign, most: number) =>
      `The file “${file}” is too large: this form takes files of up to ${size(most)}.`,
    wrongKind: wrongKind('This form'),
    tooManyFiles: (most: number) => `Too many files: this form takes at most ${number(most)}.`,
    noFiles: () => 'This form takes no files.',
    tooMany: () => 'Too many messages have come from your network in a short time.',
    tooManyBytes: () => 'Too many files have come from your network in a short time.',
    busy: () => 'The server is too busy at the moment.',
    noDisk: () => 'The server cannot take files at the moment.',
    uncertain: () =>
      'The server does not know whether your message was stored. If you send it again, it may arrive twice.',
    noForm: () => 'It may have been deleted.',
    internal: () => 'An error occurred on the server.',
    messagesOnly: () => 'The form on a website sends its messages here. There is nothing to see.',
    /** @param attribute of HTML that the form lacks */
    notPosted: (attribute: Foreign) =>
      `The form on that page has a mistake: your browser put what you typed into the address, and nothing was stored. If this is your website, add ${attribute} to the form.`,
    otherAddress: (address: Foreign) =>
      `Messages to this form go to another address: ${address}. If this is your website, correct the address that its form sends to.`,
    badLink: () => 'Copy the whole link from the email, to the last character.',
  },

  /** Advice on what to do next. */
  next: {
    change: 'Go back with your browser’s back button to change it. What you typed is still there.',
    seconds:
      'Go back with your browser’s back button, wait a few seconds, and send it again. What you typed is still there.',
    minute: 'Go back with your browser’s back button, and send it again in a minute. What you typed is still there.',
    minutes:
      'Go back with your browser’s back button, and send it again in ten minutes. What you typed is still there.',
    copy: 'What you sent was not stored. To keep what you typed, go back with your browser’s back button and copy it.',
    contact: 'If that does not help, contact the owner of the website another way.',
    copyAndContact:
      'Go back with your browser’s back button to copy what you typed, and contact the owner of the website another way.',
    allowScript:
      'If JavaScript is off in your browser, copy what you typed. Then allow JavaScript for that page, load it again, and send.',
    maybeLost: 'Your message may not have been stored.',
    later: 'Please try again in a few minutes.',
    withoutFiles: 'Or send your message without files.',
    toForm: 'To write a message, go back to the page with the form.',
  },

  /** The fields of a form: what is wrong with one, and what a page of the form says. */
  fields: {
    error: (title: Foreign) => `Error: ${title}`,
    correct: 'Correct the following, and send the form again. Everything else that you typed is still there.',
    fillIn: 'Fill this in.',
    chooseOne: 'Choose one of the options.',
    chooseSome: 'Choose at least one of the options.',
    chooseOnly: 'Choose only from the options.',
    optionFull: (option: Foreign) => `“${option}” is full. Choose another option.`,
    repeated: 'This was sent before. It can be sent only once.',
    /** Beside an option of which no place is left. */
    full: 'full',
    placesLeft: (amount: number) => `${number(amount)} left`,
    tick: 'Tick this box.',
    chooseFile: 'Choose a file.',
    oneOnly: 'Give only one answer.',
    textOnly: 'Enter this as text.',
    email: 'Enter an email address, such as ada@example.com.',
    tel: 'Enter a phone number with at least three digits.',
    url: 'Enter a web address, such as https://example.com.',
    number: 'Enter a number, such as 1234 or 1234.5.',
    date: 'Enter a date in this form: 2026-12-31.',
    atLeast: (amount: number) => `Enter ${exact(amount)} or more.`,
    atMost: (amount: number) => `Enter ${exact(amount)} or less.`,
    earliest: (date: string) => `Enter ${day(date)}, or a later date.`,
    latest: (date: string) => `Enter ${day(date)}, or an earlier date.`,
    fewest: (amount: number) => `Choose at least ${number(amount)} of the options.`,
    most: (amount: number) => `Choose at most ${number(amount)} of the options.`,
    shortest: (amount: number) => `Enter at least ${counted(amount, 'character')}.`,
    longest: (amount: number) => `Enter at most ${counted(amount, 'character')}.`,
    fileMissing: 'The file did not arrive. Choose it again.',
    mostFiles: (amount: number) => `Choose at most ${counted(amount, 'file')}.`,
    wrongKind: wrongKind('This field'),
    unknown: (name: Foreign) => `This form has no field “${name}”, so this will not be sent.`,
    /** The name of a file that a browser cannot show again. */
    again: (file: Foreign) => `Choose “${file}” again.`,
    optional: 'optional',
    choose: 'Choose…',
    other: 'Other',
    otherAnswer: 'Another answer',
    send: 'Send',
  },

  /** Below a form, while the proof of work keeps its message waiting. */
  challenge: {
    wait: 'One moment: your message will be sent automatically.',
    failed: (host: string) => `Your message was not sent, because ${host} did not respond. Please try again.`,
    noScript: 'This form works only with JavaScript, which keeps robots out. Please allow it and load this page again.',
  },

  /** The mail that a form sends to its visitors, without the words of its owner. */
  mail: {
    why: (hosts: readonly string[]) =>
      `You received this email because someone entered your address in a form on ${either(hosts)}.`,
    ignore: 'If it was not you, ignore this email.',
    stop: 'Stop all emails from this server',
    size,
    /** A file by its extension and its size. */
    file: (extension: string, bytes: number) => `${extension}, ${size(bytes)}`,
    empty: 'Empty',
    noName: 'No name',
    noFileName: 'Unnamed file',
    moreFields: (count: number) => counted(count, 'more field'),
    /** Below the first files of a field. */
    more: (count: number) => `${number(count)} more`,
    /** Below the beginning of a text. */
    shortened: (count: number) => `Shortened: ${number(count)} characters in all`,
  },

  /** The page behind the link that stops mails. */
  unsubscribe: {
    askAll: 'Stop all emails from this server?',
    allWillStop: (address: Foreign) =>
      `${address} will get no more emails from any form of this server, and no one can add it to a form.`,
    ask: 'Stop these emails?',
    willStop: (address: Foreign) =>
      `${address} will get no more emails about submissions to this form. The owner of the form can add the address again, unless you stop all emails from this server.`,
    stop: 'Stop emails',
    stopAll: 'Stop all emails',
    stopped: 'Emails stopped',
    allStopped: (address: Foreign) =>
      `${address} gets no more emails from this server, and no one can add it to a form.`,
    formStopped: (address: Foreign, form: Foreign) => `${address} gets no more emails about submissions to “${form}”.`,
    thisStopped: (address: Foreign) => `${address} gets no more emails about this form.`,
    allow: 'Allow emails again',
    allowed: 'Emails are allowed again',
    allAllowed: (address: Foreign) =>
      `Owners of forms can add ${address} to their notifications again, and forms can send it automatic replies.`,
  },

  /** After sending, and the page behind the link that confirms an address. */
  confirm: {
    step: 'One more step',
    look: 'Open the link in the email that you get now. What you sent does not count before that.',
    ask: 'Confirm your address?',
    willCount: (form: Foreign) => `What was sent to “${form}” with your address counts once you confirm it.`,
    waiting: (amount: number) => `Messages that wait: ${number(amount)}`,
    confirm: 'Confirm',
    notMe: 'This was not me',
    willDelete:
      '“This was not me” deletes everything that waits. You then get no more emails in which this form asks you to confirm your address.',
    confirmed: 'Your address is confirmed',
    deleted: 'Everything is deleted',
    allDeleted: (form: Foreign) =>
      `What was sent to “${form}” with your address is deleted. This form will not ask you again.`,
    over: 'There is nothing to confirm',
    nothing:
      'What was sent was not confirmed in time, or was deleted. If you still want to send it, please fill in the form again.',
  },

  /** The page of a form. */
  page: {
    /** Below the form. @param host name of the server */
    madeBy: (host: Foreign) => `This form was made by a user of ${host}.`,
    noPassword: 'Never enter a password here.',
    report: 'Report this form',
    /** Beside a QR code, on paper. */
    online: 'Or fill in this form online:',
  },
}
