import type { Foreign } from './foreign.ts'
import { formats } from './formats.ts'
import type { FoundKind, Texts } from './texts.ts'

const { size, moment, list, either, number } = formats('nl')

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
  other: 'hoort daar niet bij',
}

export const dutch = {
  tag: 'nl',
  dir: 'ltr',

  thankYou: 'Bedankt',
  received: (form: Foreign) => `Uw bericht aan “${form}” is ontvangen.`,
  backTo: (host: Foreign) => `Terug naar ${host}`,

  titles: {
    notSent: 'Uw bericht is niet verzonden',
    early: 'Dit formulier is nog niet open',
    closed: 'Dit formulier is gesloten',
    full: 'Dit formulier is vol',
    noForm: 'Dit formulier bestaat niet',
    wrong: 'Er is iets misgegaan',
    badLink: 'Deze link werkt niet',
    messagesOnly: 'Dit adres ontvangt berichten',
  },

  reasons: {
    early: (at: number) => `Het gaat open op ${moment(at)}.`,
    over: (at: number) => `Het is gesloten op ${moment(at)}.`,
    full: () => 'Het neemt geen berichten meer aan.',
    closed: () => 'Het neemt op dit moment geen berichten aan.',
    otherPage: (origin: Foreign) =>
      `Dit formulier neemt geen berichten aan van ${origin}. Is dit uw website, voeg die dan in de instellingen van het formulier toe aan de toegestane pagina’s.`,
    unknownPage: () =>
      'Dit formulier neemt alleen berichten van bepaalde pagina’s aan, en uw browser heeft niet gemeld welke pagina u hebt gebruikt.',
    unsolved: () =>
      'Om robots te weren heeft dit formulier een korte berekening nodig, die uw browser uitvoert terwijl u typt. Die ontbrak, was te oud of was al gebruikt.',
    empty: () => 'Het formulier was leeg.',
    malformed: () => 'De server kon niet lezen wat uw browser heeft verzonden.',
    interrupted: () => 'Uw bericht is niet volledig aangekomen. Misschien is uw verbinding traag of onderbroken.',
    textTooLong: (most: number) => `Uw bericht is te lang: dit formulier neemt tot ${size(most)} tekst aan.`,
    filesTooLarge: (most: number) => `Uw bestanden zijn te groot: dit formulier neemt samen tot ${size(most)} aan.`,
    fileTooLarge: (file: Foreign, most: number) =>
      `Het bestand “${file}” is te groot: dit formulier neemt bestanden tot ${size(most)} aan.`,
    wrongKind: (file: Foreign, kinds: readonly string[], kind: FoundKind) =>
      `Dit formulier neemt alleen ${list(kinds.map((one) => groups[one] ?? `${one}-bestanden`))} aan, en “${file}” ${found[kind]}.`,
    tooManyFiles: (most: number) => `Dit zijn te veel bestanden. Maximum voor dit formulier: ${number(most)}.`,
    noFiles: () => 'Dit formulier neemt geen bestanden aan.',
    tooMany: () => 'Er zijn in korte tijd te veel berichten van uw netwerk gekomen.',
    tooManyBytes: () => 'Er zijn in korte tijd te veel bestanden van uw netwerk gekomen.',
    busy: () => 'De server heeft het op dit moment te druk.',
    noDisk: () => 'De server kan op dit moment geen bestanden aannemen.',
    uncertain: () =>
      'De server weet niet of uw bericht is opgeslagen. Als u het opnieuw verzendt, komt het misschien twee keer aan.',
    noForm: () => 'Misschien is het verwijderd.',
    internal: () => 'Er is een fout opgetreden op de server.',
    messagesOnly: () => 'Het ontvangt wat het formulier op een website verzendt, en toont niets.',
    badLink: () => 'Kopieer de hele link uit de e-mail, tot en met het laatste teken.',
  },

  next: {
    change: 'Ga met de terugknop van uw browser terug om dit te wijzigen. Wat u hebt ingevuld, staat er nog.',
    seconds:
      'Ga met de terugknop van uw browser terug, wacht enkele seconden en verzend opnieuw. Wat u hebt ingevuld, staat er nog.',
    minute:
      'Ga met de terugknop van uw browser terug en verzend over een minuut opnieuw. Wat u hebt ingevuld, staat er nog.',
    minutes:
      'Ga met de terugknop van uw browser terug en verzend over tien minuten opnieuw. Wat u hebt ingevuld, staat er nog.',
    copy: 'Wat u hebt verzonden, is niet opgeslagen. Wilt u uw tekst bewaren, ga dan met de terugknop van uw browser terug en kopieer die.',
    contact: 'Helpt dat niet, neem dan op een andere manier contact op met de eigenaar van de website.',
    copyAndContact:
      'Ga met de terugknop van uw browser terug om uw tekst te kopiëren, en neem op een andere manier contact op met de eigenaar van de website.',
    allowScript:
      'Staat JavaScript uit in uw browser, kopieer dan uw tekst, sta JavaScript toe voor die pagina, laad ze opnieuw en verzend.',
    maybeLost: 'Misschien is uw bericht niet opgeslagen.',
    later: 'Probeer het over enkele minuten opnieuw.',
    withoutFiles: 'Of verzend uw bericht zonder bestanden.',
    toForm: 'Ga terug naar de pagina met het formulier om een bericht te schrijven.',
  },

  fields: {
    error: (title: Foreign) => `Fout: ${title}`,
    correct: 'Verbeter dit en verzend opnieuw. Al het andere dat u hebt ingevuld, staat er nog.',
    fillIn: 'Vul dit veld in.',
    chooseOne: 'Kies een van de opties.',
    chooseSome: 'Kies minstens een van de opties.',
    chooseOnly: 'Kies alleen uit de opties.',
    tick: 'Vink dit vakje aan.',
    chooseFile: 'Kies een bestand.',
    oneOnly: 'Geef maar één antwoord.',
    textOnly: 'Schrijf dit als tekst.',
    email: 'Vul een e-mailadres in, bijvoorbeeld ada@example.com.',
    tel: 'Vul een telefoonnummer met minstens drie cijfers in.',
    url: 'Vul een webadres in, bijvoorbeeld https://example.com.',
    number: 'Vul een getal in, bijvoorbeeld 1234 of 1234,5.',
    date: 'Vul een datum in deze vorm in: 2026-12-31.',
    atLeast: (amount: string) => `Vul ${amount} of meer in.`,
    atMost: (amount: string) => `Vul ${amount} of minder in.`,
    earliest: (day: string) => `Vul ${day} of een latere datum in.`,
    latest: (day: string) => `Vul ${day} of een eerdere datum in.`,
    fewest: (amount: string) => `Te kiezen opties: minstens ${amount}.`,
    most: (amount: string) => `Te kiezen opties: hoogstens ${amount}.`,
    shortest: (amount: string) => `Minimale lengte in tekens: ${amount}.`,
    longest: (amount: string) => `Maximale lengte in tekens: ${amount}.`,
    fileMissing: 'Het bestand is niet aangekomen. Kies het opnieuw.',
    mostFiles: (amount: string) => `Aantal bestanden: hoogstens ${amount}.`,
    unknown: (name: Foreign) => `Dit formulier heeft geen veld “${name}”, dus dit wordt niet verzonden.`,
    again: (file: Foreign) => `Kies “${file}” opnieuw.`,
    optional: 'optioneel',
    choose: 'Maak een keuze…',
    other: 'Anders',
    otherAnswer: 'Een ander antwoord',
    send: 'Verzenden',
  },

  page: {
    madeBy: (host: Foreign) => `Dit formulier is gemaakt door een gebruiker van ${host}.`,
    noPassword: 'Vul hier nooit een wachtwoord in.',
    report: 'Dit formulier melden',
    online: 'Of vul dit formulier online in:',
  },

  challenge: {
    wait: 'Een ogenblik: uw bericht wordt vanzelf verzonden.',
    failed: (host: string) => `Uw bericht is niet verzonden, omdat ${host} niet antwoordde. Probeer het opnieuw.`,
    noScript: 'Om robots te weren werkt dit formulier alleen met JavaScript. Sta het toe en laad deze pagina opnieuw.',
  },

  mail: {
    why: (hosts: readonly string[]) =>
      `U ontvangt deze e-mail omdat iemand uw adres heeft ingevuld in een formulier op ${either(hosts)}.`,
    ignore: 'Was u dat niet, negeer deze e-mail dan.',
    stop: 'Alle e-mails van deze server stoppen',
    size,
    empty: 'Leeg',
    noName: 'Zonder naam',
    noFileName: 'Bestand zonder naam',
    moreFields: (count: number) => `Meer velden: ${number(count)}`,
  },

  unsubscribe: {
    askAll: 'Alle e-mails van deze server stoppen?',
    allWillStop: (address: Foreign) =>
      `${address} krijgt geen e-mails meer van de formulieren van deze server, en niemand kan het adres aan een formulier toevoegen.`,
    ask: 'Deze e-mails stoppen?',
    willStop: (address: Foreign) =>
      `${address} krijgt geen e-mails meer over inzendingen van dit formulier. De eigenaar van het formulier kan het adres weer toevoegen, tenzij u alle e-mails van deze server stopt.`,
    stop: 'Deze e-mails stoppen',
    stopAll: 'Alle e-mails stoppen',
    stopped: 'E-mails gestopt',
    allStopped: (address: Foreign) =>
      `${address} krijgt geen e-mails meer van deze server, en niemand kan het adres aan een formulier toevoegen.`,
    formStopped: (address: Foreign, form: Foreign) =>
      `${address} krijgt geen e-mails meer over inzendingen van “${form}”.`,
    thisStopped: (address: Foreign) => `${address} krijgt geen e-mails meer over dit formulier.`,
    allow: 'E-mails weer toestaan',
    allowed: 'E-mails zijn weer toegestaan',
    allAllowed: (address: Foreign) =>
      `Eigenaren van formulieren kunnen ${address} weer aan hun meldingen toevoegen, en formulieren kunnen er automatische antwoorden naartoe sturen.`,
  },
} satisfies Texts
