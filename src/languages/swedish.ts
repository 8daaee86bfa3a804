import type { Foreign } from './foreign.ts'
import { formats } from './formats.ts'
import type { FoundKind, Texts } from './texts.ts'

const { size, moment, day, kinds: kindsOf, either, number, exact } = formats('sv')

const groups: Readonly<Record<string, string>> = {
  'image/*': 'bilder',
  'audio/*': 'ljudfiler',
  'video/*': 'videor',
  'text/*': 'textfiler',
}

const found: Readonly<Record<FoundKind, string>> = {
  program: 'är ett program',
  script: 'är ett skript',
  image: 'är en bild',
  pdf: 'är en PDF',
  archive: 'är ett ZIP-arkiv eller ett dokument',
  document: 'är ett Office-dokument',
  audio: 'är en ljudfil',
  video: 'är en video',
  other: 'är en annan sorts fil',
}

const misnamed = (format: string): string => `är en ${format}-fil med fel filändelse`

const listed = (kinds: readonly string[]): string =>
  kindsOf(kinds, groups, (name, _isFirst, isLast) => (isLast ? `${name}-filer` : `${name}-`))

const wrongKind =
  (taker: string) =>
  (file: Foreign, kinds: readonly string[], kind: FoundKind, format: string | null): string =>
    `${taker} tar bara emot ${listed(kinds)}, men ”${file}” ${format === null ? found[kind] : misnamed(format)}.`

export const swedish = {
  tag: 'sv',
  dir: 'ltr',
  space: ' ',
  labelled: (label: string, text: string) => `${label}: ${text}`,

  thankYou: 'Tack',
  received: (form: Foreign) => `Ditt meddelande till ”${form}” har tagits emot.`,
  backTo: (host: Foreign) => `Tillbaka till ${host}`,
  typed: 'Det du skrev',

  titles: {
    notSent: 'Ditt meddelande skickades inte',
    early: 'Det här formuläret är inte öppet än',
    closed: 'Det här formuläret är stängt',
    full: 'Det här formuläret är fullt',
    noForm: 'Det här formuläret finns inte',
    wrong: 'Något gick fel',
    badLink: 'Den här länken fungerar inte',
    messagesOnly: 'Den här adressen tar bara emot meddelanden',
  },

  reasons: {
    early: (at: number) => `Det öppnar den ${moment(at)}.`,
    over: (at: number) => `Det stängdes den ${moment(at)}.`,
    full: () => 'Det tar inte emot fler meddelanden.',
    closed: () => 'Det tar inte emot meddelanden just nu.',
    otherPage: (origin: Foreign) =>
      `Det här formuläret tar inte emot meddelanden från ${origin}. Om det är din webbplats lägger du till den i formulärets inställningar, bland de sidor som får skicka.`,
    unknownPage: () =>
      'Det här formuläret tar bara emot meddelanden från vissa sidor, och din webbläsare angav inte vilken sida du använde.',
    unsolved: () =>
      'För att hålla robotar borta kräver det här formuläret en kort beräkning, som din webbläsare gör medan du skriver. Den saknades, var för gammal eller hade redan använts.',
    empty: () => 'Formuläret var tomt.',
    malformed: () => 'Servern kunde inte läsa det som din webbläsare skickade.',
    interrupted: () => 'Ditt meddelande kom inte fram i sin helhet. Anslutningen kan vara långsam eller ha brutits.',
    textTooLong: (most: number) =>
      `Ditt meddelande är för långt: det här formuläret tar emot upp till ${size(most)} text.`,
    filesTooLarge: (most: number) =>
      `Dina filer är för stora: det här formuläret tar emot upp till ${size(most)} sammanlagt.`,
    fileTooLarge: (file: Foreign, most: number) =>
      `Filen ”${file}” är för stor: det här formuläret tar emot filer på upp till ${size(most)}.`,
    wrongKind: wrongKind('Det här formuläret'),
    tooManyFiles: (most: number) => `För många filer: det här formuläret tar emot högst ${number(most)}.`,
    noFiles: () => 'Det här formuläret tar inte emot filer.',
    tooMany: () => 'För många meddelanden har kommit från ditt nätverk på kort tid.',
    tooManyBytes: () => 'För många filer har kommit från ditt nätverk på kort tid.',
    busy: () => 'Servern är överbelastad just nu.',
    noDisk: () => 'Servern kan inte ta emot filer just nu.',
    uncertain: () =>
      'Servern vet inte om ditt meddelande sparades. Om du skickar det igen kan det komma fram två gånger.',
    noForm: () => 'Det kan ha tagits bort.',
    internal: () => 'Ett fel uppstod på servern.',
    messagesOnly: () => 'Hit skickar ett formulär på en webbplats sina meddelanden. Det finns inget att visa.',
    notPosted: (attribute: Foreign) =>
      `Formuläret på sidan har ett fel: webbläsaren lade det du skrev i adressen, och ingenting sparades. Om det är din webbplats lägger du till ${attribute} i formuläret.`,
    otherAddress: (address: Foreign) =>
      `Meddelanden till det här formuläret skickas till en annan adress: ${address}. Om det är din webbplats rättar du adressen som dess formulär skickar till.`,
    badLink: () => 'Kopiera hela länken från mejlet, till och med det sista tecknet.',
  },

  next: {
    change: 'Gå tillbaka med webbläsarens bakåtknapp för att ändra det. Det du har skrivit finns kvar.',
    seconds:
      'Gå tillbaka med webbläsarens bakåtknapp, vänta några sekunder och skicka igen. Det du har skrivit finns kvar.',
    minute: 'Gå tillbaka med webbläsarens bakåtknapp och skicka igen om en minut. Det du har skrivit finns kvar.',
    minutes: 'Gå tillbaka med webbläsarens bakåtknapp och skicka igen om tio minuter. Det du har skrivit finns kvar.',
    copy: 'Det du skickade sparades inte. Gå tillbaka med webbläsarens bakåtknapp och kopiera din text om du vill behålla den.',
    contact: 'Om det inte hjälper kontaktar du webbplatsens ägare på något annat sätt.',
    copyAndContact:
      'Gå tillbaka med webbläsarens bakåtknapp för att kopiera din text och kontakta webbplatsens ägare på något annat sätt.',
    allowScript:
      'Om JavaScript är avstängt i din webbläsare kopierar du din text. Tillåt sedan JavaScript för sidan, läs in den igen och skicka.',
    maybeLost: 'Ditt meddelande kanske inte sparades.',
    later: 'Försök igen om några minuter.',
    withoutFiles: 'Eller skicka ditt meddelande utan filer.',
    toForm: 'Gå tillbaka till sidan med formuläret för att skriva ett meddelande.',
  },

  fields: {
    error: (title: Foreign) => `Fel: ${title}`,
    correct: 'Rätta följande och skicka formuläret igen. Allt annat som du har skrivit finns kvar.',
    fillIn: 'Fyll i det här fältet.',
    chooseOne: 'Välj ett av alternativen.',
    chooseSome: 'Välj minst ett av alternativen.',
    chooseOnly: 'Välj bara bland alternativen.',
    optionFull: (option: Foreign) => `”${option}” är fullt. Välj ett annat alternativ.`,
    repeated: 'Det här har redan skickats. Det kan bara skickas en gång.',
    full: 'fullt',
    placesLeft: (amount: number) => `${number(amount)} kvar`,
    tick: 'Markera den här rutan.',
    chooseFile: 'Välj en fil.',
    oneOnly: 'Ge bara ett svar.',
    textOnly: 'Skriv det här som text.',
    email: 'Ange en e-postadress, till exempel ada@example.com.',
    tel: 'Ange ett telefonnummer med minst tre siffror.',
    url: 'Ange en webbadress, till exempel https://example.com.',
    number: 'Ange ett tal, till exempel 1234 eller 1234,5.',
    date: 'Ange ett datum på det här sättet: 2026-12-31.',
    atLeast: (amount: number) => `Ange ${exact(amount)} eller mer.`,
    atMost: (amount: number) => `Ange ${exact(amount)} eller mindre.`,
    earliest: (date: string) => `Ange den ${day(date)} eller ett senare datum.`,
    latest: (date: string) => `Ange den ${day(date)} eller ett tidigare datum.`,
    fewest: (amount: number) => `Välj minst ${number(amount)} av alternativen.`,
    most: (amount: number) => `Välj högst ${number(amount)} av alternativen.`,
    shortest: (amount: number) => `Skriv minst ${number(amount)} tecken.`,
    longest: (amount: number) => `Skriv högst ${number(amount)} tecken.`,
    fileMissing: 'Filen kom inte fram. Välj den igen.',
    mostFiles: (amount: number) => `Antal filer: högst ${number(amount)}.`,
    wrongKind: wrongKind('Det här fältet'),
    unknown: (name: Foreign) => `Det här formuläret har inget fält som heter ”${name}”, så det här skickas inte.`,
    again: (file: Foreign) => `Välj ”${file}” igen.`,
    optional: 'valfritt',
    choose: 'Välj…',
    other: 'Annat',
    otherAnswer: 'Ett annat svar',
    send: 'Skicka',
  },

  confirm: {
    step: 'Ett steg till',
    look: 'Öppna länken i e-postmeddelandet som du får nu. Innan dess räknas inte det du skickade.',
    ask: 'Bekräfta din adress?',
    willCount: (form: Foreign) => `Det som skickades till ”${form}” med din adress räknas så snart du bekräftar den.`,
    waiting: (amount: number) => `Meddelanden som väntar: ${number(amount)}`,
    confirm: 'Bekräfta',
    notMe: 'Det var inte jag',
    willDelete:
      '”Det var inte jag” tar bort allt som väntar. Sedan får du inga fler e-postmeddelanden där det här formuläret ber dig bekräfta din adress.',
    confirmed: 'Din adress är bekräftad',
    deleted: 'Allt är borttaget',
    allDeleted: (form: Foreign) =>
      `Det som skickades till ”${form}” med din adress är borttaget. Det här formuläret frågar dig inte igen.`,
    over: 'Det finns inget att bekräfta',
    nothing:
      'Det som skickades bekräftades inte i tid eller har tagits bort. Om du fortfarande vill skicka det, fyll i formuläret igen.',
  },

  page: {
    madeBy: (host: Foreign) => `Det här formuläret har skapats av en användare på ${host}.`,
    noPassword: 'Ange aldrig ett lösenord här.',
    report: 'Anmäl det här formuläret',
    online: 'Eller fyll i det här formuläret på nätet:',
  },

  challenge: {
    wait: 'Ett ögonblick: ditt meddelande skickas automatiskt.',
    failed: (host: string) => `Ditt meddelande skickades inte, eftersom ${host} inte svarade. Försök igen.`,
    noScript:
      'För att hålla robotar borta fungerar det här formuläret bara med JavaScript. Tillåt det och läs in sidan igen.',
  },

  mail: {
    why: (hosts: readonly string[]) =>
      `Du får det här mejlet eftersom någon har angett din adress i ett formulär på ${either(hosts)}.`,
    ignore: 'Om det inte var du kan du bortse från mejlet.',
    stop: 'Stoppa alla mejl från den här servern',
    size,
    file: (extension: string, bytes: number) => `${extension}, ${size(bytes)}`,
    empty: 'Tomt',
    noName: 'Utan namn',
    noFileName: 'Fil utan namn',
    moreFields: (count: number) => `Fler fält: ${number(count)}`,
    more: (count: number) => `${number(count)} till`,
    shortened: (count: number) => `Förkortad text. Antal tecken totalt: ${number(count)}`,
  },

  unsubscribe: {
    askAll: 'Stoppa alla mejl från den här servern?',
    allWillStop: (address: Foreign) =>
      `${address} får inga fler mejl från något formulär på den här servern, och ingen kan lägga till adressen i ett formulär.`,
    ask: 'Stoppa de här mejlen?',
    willStop: (address: Foreign) =>
      `${address} får inga fler mejl om meddelanden till det här formuläret. Formulärets ägare kan lägga till adressen igen, om du inte stoppar alla mejl från den här servern.`,
    stop: 'Stoppa de här mejlen',
    stopAll: 'Stoppa alla mejl',
    stopped: 'Mejlen är stoppade',
    allStopped: (address: Foreign) =>
      `${address} får inga fler mejl från den här servern, och ingen kan lägga till adressen i ett formulär.`,
    formStopped: (address: Foreign, form: Foreign) => `${address} får inga fler mejl om meddelanden till ”${form}”.`,
    thisStopped: (address: Foreign) => `${address} får inga fler mejl om det här formuläret.`,
    allow: 'Tillåt mejl igen',
    allowed: 'Mejl är tillåtna igen',
    allAllowed: (address: Foreign) =>
      `Formulärägare kan lägga till ${address} bland sina aviseringar igen, och formulär kan skicka automatiska svar dit.`,
  },
} satisfies Texts
