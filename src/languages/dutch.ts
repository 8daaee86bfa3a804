import type { Foreign } from './foreign.ts'
import { formats } from './formats.ts'
import type { FoundKind, Texts } from './texts.ts'

const { size, moment, day, kinds: kindsOf, either, number, exact } = formats('nl')

const groups: Readonly<Record<string, string>> = {
  'image/*': 'afbeeldingen',
  'audio/*': 'audiobestanden',
  'video/*': 'video’s',
  'text/*': 'tekstbestanden',
}

const found: Readonly<Record<FoundKind, string>> = {
  program: 'is een programma',
  script: 'is een script',
  image: 'is een afbeelding',
  pdf: 'is een PDF',
  archive: 'is een ZIP-archief of een document',
  document: 'is een Office-document',
  audio: 'is een audiobestand',
  video: 'is een video',
  other: 'is van een ander type',
}

const misnamed = (format: string): string => `is een ${format}-bestand met de verkeerde extensie`

const listed = (kinds: readonly string[]): string =>
  kindsOf(kinds, groups, (name, _isFirst, isLast) => (isLast ? `${name}-bestanden` : `${name}-`))

const wrongKind =
  (taker: string) =>
  (file: Foreign, kinds: readonly string[], kind: FoundKind, format: string | null): string =>
    `${taker} accepteert alleen ${listed(kinds)}, maar “${file}” ${format === null ? found[kind] : misnamed(format)}.`

export const dutch = {
  tag: 'nl',
  dir: 'ltr',
  space: ' ',
  labelled: (label: string, text: string) => `${label}: ${text}`,

  thankYou: 'Bedankt',
  received: (form: Foreign) => `Uw bericht voor “${form}” is ontvangen.`,
  backTo: (host: Foreign) => `Terug naar ${host}`,
  typed: 'Wat u hebt ingevuld',

  titles: {
    notSent: 'Uw bericht is niet verzonden',
    early: 'Dit formulier is nog niet open',
    closed: 'Dit formulier is gesloten',
    full: 'Dit formulier accepteert geen berichten meer',
    noForm: 'Dit formulier bestaat niet',
    wrong: 'Er is iets misgegaan',
    badLink: 'Deze link werkt niet',
    messagesOnly: 'Dit adres is alleen bedoeld om berichten te ontvangen',
  },

  reasons: {
    early: (at: number) => `Het gaat open op ${moment(at)}.`,
    over: (at: number) => `Het is gesloten op ${moment(at)}.`,
    full: () => 'Het maximale aantal berichten is bereikt.',
    closed: () => 'Het accepteert op dit moment geen berichten.',
    otherPage: (origin: Foreign) =>
      `Dit formulier accepteert geen berichten van ${origin}. Is dit uw website, voeg die dan in de instellingen van het formulier toe aan de toegestane pagina’s.`,
    unknownPage: () =>
      'Dit formulier accepteert alleen berichten van bepaalde pagina’s, en uw browser heeft niet doorgegeven vanaf welke pagina uw bericht is verzonden.',
    unsolved: () =>
      'Om robots te weren heeft dit formulier een korte berekening nodig, die uw browser uitvoert terwijl u typt. Die berekening ontbrak, was te oud of was al gebruikt.',
    empty: () => 'Het formulier was leeg.',
    malformed: () => 'De server kon niet lezen wat uw browser heeft verzonden.',
    interrupted: () =>
      'Uw bericht is niet volledig aangekomen. Misschien is uw verbinding traag of werd die onderbroken.',
    textTooLong: (most: number) => `Uw bericht is te lang: dit formulier accepteert maximaal ${size(most)} tekst.`,
    filesTooLarge: (most: number) =>
      `Uw bestanden zijn te groot: dit formulier accepteert in totaal maximaal ${size(most)}.`,
    fileTooLarge: (file: Foreign, most: number) =>
      `Het bestand “${file}” is te groot: dit formulier accepteert bestanden tot ${size(most)}.`,
    wrongKind: wrongKind('Dit formulier'),
    tooManyFiles: (most: number) => `Dit zijn te veel bestanden. Maximaal aantal voor dit formulier: ${number(most)}.`,
    noFiles: () => 'Dit formulier accepteert geen bestanden.',
    tooMany: () => 'Er zijn in korte tijd te veel berichten vanaf uw netwerk verzonden.',
    tooManyBytes: () => 'Er zijn in korte tijd te veel bestanden vanaf uw netwerk verzonden.',
    busy: () => 'De server is op dit moment overbelast.',
    noDisk: () => 'De server kan op dit moment geen bestanden ontvangen.',
    uncertain: () =>
      'Het is niet zeker of uw bericht is opgeslagen. Als u het opnieuw verzendt, komt het misschien twee keer aan.',
    noForm: () => 'Misschien is het verwijderd.',
    internal: () => 'De server heeft een probleem.',
    messagesOnly: () => 'Het formulier van een website verzendt zijn berichten hierheen. Er is hier niets te zien.',
    notPosted: (attribute: Foreign) =>
      `Het formulier op die pagina bevat een fout: uw browser heeft wat u hebt ingevuld in het adres gezet en er is niets opgeslagen. Is dit uw website, voeg dan ${attribute} toe aan het formulier.`,
    otherAddress: (address: Foreign) =>
      `Berichten aan dit formulier gaan naar een ander adres: ${address}. Is dit uw website, corrigeer dan het adres waarheen het formulier verzendt.`,
    badLink: () => 'Kopieer de volledige link uit de e-mail, tot en met het laatste teken.',
  },

  next: {
    change:
      'Ga met de terugknop van uw browser terug naar het formulier om dit aan te passen. Wat u hebt ingevuld, staat er nog.',
    seconds:
      'Ga met de terugknop van uw browser terug naar het formulier, wacht enkele seconden en verzend het opnieuw. Wat u hebt ingevuld, staat er nog.',
    minute:
      'Ga met de terugknop van uw browser terug naar het formulier en verzend het over een minuut opnieuw. Wat u hebt ingevuld, staat er nog.',
    minutes:
      'Ga met de terugknop van uw browser terug naar het formulier en verzend het over tien minuten opnieuw. Wat u hebt ingevuld, staat er nog.',
    copy: 'Uw bericht is niet opgeslagen. Wilt u uw tekst bewaren, ga dan met de terugknop van uw browser terug naar het formulier en kopieer die.',
    contact: 'Helpt dat niet, neem dan op een andere manier contact op met de eigenaar van de website.',
    copyAndContact:
      'Ga met de terugknop van uw browser terug naar het formulier, kopieer uw tekst en neem op een andere manier contact op met de eigenaar van de website.',
    allowScript:
      'Staat JavaScript uit in uw browser, kopieer dan uw tekst. Sta JavaScript toe voor de pagina met het formulier, laad die pagina opnieuw en verzend uw bericht nog eens.',
    maybeLost: 'Misschien is uw bericht niet opgeslagen.',
    later: 'Probeer het over enkele minuten opnieuw.',
    withoutFiles: 'Of verzend uw bericht zonder bestanden.',
    toForm: 'Ga terug naar de pagina met het formulier om een bericht te schrijven.',
  },

  fields: {
    error: (title: Foreign) => `Fout: ${title}`,
    correct: 'Pas het volgende aan en verzend het formulier opnieuw. Al het andere dat u hebt ingevuld, staat er nog.',
    fillIn: 'Vul dit veld in.',
    chooseOne: 'Kies een van de beschikbare opties.',
    chooseSome: 'Kies minimaal een van de beschikbare opties.',
    chooseOnly: 'Kies alleen uit de beschikbare opties.',
    optionFull: (option: Foreign) => `“${option}” is vol. Kies een andere optie.`,
    repeated: 'Dit is al eens verstuurd. Het kan maar één keer.',
    full: 'vol',
    placesLeft: (amount: number) => `nog ${number(amount)} vrij`,
    tick: 'Vink dit vakje aan.',
    chooseFile: 'Kies een bestand.',
    oneOnly: 'Geef maar één antwoord.',
    textOnly: 'Vul hier tekst in.',
    email: 'Vul een e-mailadres in, bijvoorbeeld ada@example.com.',
    tel: 'Vul een telefoonnummer met minimaal drie cijfers in.',
    url: 'Vul een webadres in, bijvoorbeeld https://example.com.',
    number: 'Vul een getal in, bijvoorbeeld 1234 of 1234,5.',
    date: 'Vul de datum zo in: 2026-12-31.',
    atLeast: (amount: number) => `Vul een getal van minimaal ${exact(amount)} in.`,
    atMost: (amount: number) => `Vul een getal van maximaal ${exact(amount)} in.`,
    earliest: (date: string) => `Vul ${day(date)} of een latere datum in.`,
    latest: (date: string) => `Vul ${day(date)} of een eerdere datum in.`,
    fewest: (amount: number) => `Kies er minimaal ${number(amount)}.`,
    most: (amount: number) => `Kies er maximaal ${number(amount)}.`,
    shortest: (amount: number) => `Minimaal aantal tekens: ${number(amount)}.`,
    longest: (amount: number) => `Maximaal aantal tekens: ${number(amount)}.`,
    fileMissing: 'Het bestand is niet aangekomen. Kies het opnieuw.',
    mostFiles: (amount: number) => `Maximaal aantal bestanden: ${number(amount)}.`,
    wrongKind: wrongKind('Dit veld'),
    unknown: (name: Foreign) => `Dit formulier heeft geen veld “${name}”, dus deze invoer wordt niet verzonden.`,
    again: (file: Foreign) => `Kies “${file}” opnieuw.`,
    optional: 'optioneel',
    choose: 'Maak een keuze…',
    other: 'Anders',
    otherAnswer: 'Ander antwoord',
    send: 'Verzenden',
  },

  confirm: {
    step: 'Nog één stap',
    look: 'Open de link in de e-mail die u nu krijgt. Tot die tijd telt wat u hebt verzonden niet mee.',
    ask: 'Uw adres bevestigen?',
    willCount: (form: Foreign) => `Wat met uw adres naar ‘${form}’ is verzonden, telt mee zodra u het bevestigt.`,
    waiting: (amount: number) => `Wachtende berichten: ${number(amount)}`,
    confirm: 'Bevestigen',
    notMe: 'Dit was ik niet',
    willDelete:
      '‘Dit was ik niet’ verwijdert alles wat wacht. Daarna krijgt u geen e-mails meer waarin dit formulier vraagt uw adres te bevestigen.',
    confirmed: 'Uw adres is bevestigd',
    deleted: 'Alles is verwijderd',
    allDeleted: (form: Foreign) =>
      `Wat met uw adres naar ‘${form}’ is verzonden, is verwijderd. Dit formulier vraagt het u niet nog een keer.`,
    over: 'Er is niets te bevestigen',
    nothing:
      'Wat is verzonden, is niet op tijd bevestigd of is verwijderd. Wilt u het nog steeds verzenden, vul het formulier dan opnieuw in.',
  },

  page: {
    madeBy: (host: Foreign) => `Dit formulier is gemaakt door een gebruiker van ${host}.`,
    noPassword: 'Vul hier nooit een wachtwoord in.',
    report: 'Dit formulier melden',
    online: 'U kunt dit formulier ook online invullen:',
  },

  challenge: {
    wait: 'Een ogenblik: uw bericht wordt automatisch verzonden.',
    failed: (host: string) => `Uw bericht is niet verzonden, omdat ${host} niet reageerde. Probeer het opnieuw.`,
    noScript:
      'Om robots te weren werkt dit formulier alleen met JavaScript. Sta JavaScript toe en laad deze pagina opnieuw.',
  },

  mail: {
    why: (hosts: readonly string[]) =>
      `U ontvangt deze e-mail omdat iemand uw adres heeft ingevuld in een formulier op ${either(hosts)}.`,
    ignore: 'Was u dat niet, dan kunt u deze e-mail negeren.',
    stop: 'Afmelden voor alle e-mails van deze server',
    size,
    file: (extension: string, bytes: number) => `${extension}, ${size(bytes)}`,
    empty: 'Leeg',
    noName: 'Zonder naam',
    noFileName: 'Bestand zonder naam',
    moreFields: (count: number) => `Nog ${number(count)} ${count === 1 ? 'veld' : 'velden'}`,
    more: (count: number) => `Nog ${number(count)}`,
    shortened: (count: number) => `Ingekort. Totaal aantal tekens: ${number(count)}`,
  },

  unsubscribe: {
    askAll: 'Afmelden voor alle e-mails van deze server?',
    allWillStop: (address: Foreign) =>
      `${address} krijgt dan geen e-mails meer van de formulieren van deze server, en niemand kan het adres als ontvanger aan een formulier toevoegen.`,
    ask: 'Afmelden voor deze e-mails?',
    willStop: (address: Foreign) =>
      `${address} krijgt dan geen e-mails meer over inzendingen via dit formulier. De eigenaar van het formulier kan het adres weer toevoegen, tenzij u zich afmeldt voor alle e-mails van deze server.`,
    stop: 'Afmelden voor deze e-mails',
    stopAll: 'Afmelden voor alle e-mails',
    stopped: 'U bent afgemeld',
    allStopped: (address: Foreign) =>
      `${address} krijgt geen e-mails meer van deze server, en niemand kan het adres als ontvanger aan een formulier toevoegen.`,
    formStopped: (address: Foreign, form: Foreign) =>
      `${address} krijgt geen e-mails meer over inzendingen via “${form}”.`,
    thisStopped: (address: Foreign) => `${address} krijgt geen e-mails meer over dit formulier.`,
    allow: 'E-mails weer toestaan',
    allowed: 'E-mails zijn weer toegestaan',
    allAllowed: (address: Foreign) =>
      `Eigenaren van formulieren kunnen ${address} weer aan hun meldingen toevoegen, en formulieren kunnen automatische antwoorden naar dit adres sturen.`,
  },
} satisfies Texts
