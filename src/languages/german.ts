import type { Foreign } from './foreign.ts'
import { formats } from './formats.ts'
import type { FoundKind, Texts } from './texts.ts'

const { size, moment, list, either, number } = formats('de')

const groups: Readonly<Record<string, string>> = {
  'image/*': 'Bilder',
  'audio/*': 'Audiodateien',
  'video/*': 'Videos',
  'text/*': 'Textdateien',
}

const found: Readonly<Record<FoundKind, string>> = {
  program: 'ein Programm',
  script: 'ein Skript',
  image: 'ein Bild',
  pdf: 'ein PDF',
  archive: 'ein ZIP-Archiv oder ein Dokument',
  document: 'ein Office-Dokument',
  audio: 'eine Audiodatei',
  video: 'ein Video',
  other: 'nichts davon',
}

export const german = {
  tag: 'de',
  dir: 'ltr',

  thankYou: 'Vielen Dank',
  received: (form: Foreign) => `Ihre Nachricht an „${form}“ ist angekommen.`,
  backTo: (host: Foreign) => `Zurück zu ${host}`,

  titles: {
    notSent: 'Ihre Nachricht wurde nicht gesendet',
    early: 'Dieses Formular ist noch nicht geöffnet',
    closed: 'Dieses Formular ist geschlossen',
    full: 'Dieses Formular ist voll',
    noForm: 'Dieses Formular gibt es nicht',
    wrong: 'Etwas ist schiefgegangen',
    badLink: 'Dieser Link funktioniert nicht',
    messagesOnly: 'Diese Adresse nimmt Nachrichten entgegen',
  },

  reasons: {
    early: (at: number) => `Es öffnet am ${moment(at)}.`,
    over: (at: number) => `Es wurde am ${moment(at)} geschlossen.`,
    full: () => 'Es nimmt keine weiteren Nachrichten an.',
    closed: () => 'Es nimmt zurzeit keine Nachrichten an.',
    otherPage: (origin: Foreign) =>
      `Dieses Formular nimmt keine Nachrichten von ${origin} an. Falls das Ihre Website ist: Fügen Sie die Adresse in den Einstellungen des Formulars zu den erlaubten Seiten hinzu.`,
    unknownPage: () =>
      'Dieses Formular nimmt nur Nachrichten von bestimmten Seiten an, und Ihr Browser hat nicht angegeben, von welcher Seite Sie kommen.',
    unsolved: () =>
      'Zum Schutz vor Robotern braucht dieses Formular eine kurze Berechnung, die Ihr Browser beim Ausfüllen erledigt. Sie hat gefehlt, war zu alt oder wurde schon verwendet.',
    empty: () => 'Das Formular war leer.',
    malformed: () => 'Der Server konnte nicht lesen, was Ihr Browser gesendet hat.',
    interrupted: () =>
      'Ihre Nachricht ist nicht vollständig angekommen. Vielleicht ist Ihre Verbindung langsam oder unterbrochen.',
    textTooLong: (most: number) => `Ihre Nachricht ist zu lang: Dieses Formular nimmt bis zu ${size(most)} Text an.`,
    filesTooLarge: (most: number) =>
      `Ihre Dateien sind zu groß: Dieses Formular nimmt zusammen bis zu ${size(most)} an.`,
    fileTooLarge: (file: Foreign, most: number) =>
      `Die Datei „${file}“ ist zu groß: Dieses Formular nimmt Dateien bis ${size(most)} an.`,
    wrongKind: (file: Foreign, kinds: readonly string[], kind: FoundKind) =>
      `Dieses Formular nimmt nur ${list(kinds.map((one) => groups[one] ?? `${one}-Dateien`))} an, und „${file}“ ist ${found[kind]}.`,
    tooManyFiles: (most: number) => `Das sind zu viele Dateien: Dieses Formular nimmt höchstens ${number(most)} an.`,
    noFiles: () => 'Dieses Formular nimmt keine Dateien an.',
    tooMany: () => 'Aus Ihrem Netz sind in kurzer Zeit zu viele Nachrichten gekommen.',
    tooManyBytes: () => 'Aus Ihrem Netz sind in kurzer Zeit zu viele Dateien gekommen.',
    busy: () => 'Der Server ist gerade überlastet.',
    noDisk: () => 'Der Server kann zurzeit keine Dateien annehmen.',
    uncertain: () =>
      'Der Server weiß nicht, ob Ihre Nachricht gespeichert wurde. Wenn Sie sie noch einmal senden, kommt sie vielleicht doppelt an.',
    noForm: () => 'Vielleicht wurde es gelöscht.',
    internal: () => 'Auf dem Server ist ein Fehler aufgetreten.',
    messagesOnly: () => 'Sie nimmt entgegen, was das Formular auf einer Website sendet, und zeigt nichts an.',
    badLink: () => 'Kopieren Sie den ganzen Link aus der E-Mail, bis zum letzten Zeichen.',
  },

  next: {
    change:
      'Gehen Sie mit der Zurück-Taste Ihres Browsers zurück, um das zu ändern. Was Sie eingegeben haben, ist noch da.',
    seconds:
      'Gehen Sie mit der Zurück-Taste Ihres Browsers zurück, warten Sie einige Sekunden und senden Sie noch einmal. Was Sie eingegeben haben, ist noch da.',
    minute:
      'Gehen Sie mit der Zurück-Taste Ihres Browsers zurück und senden Sie in einer Minute noch einmal. Was Sie eingegeben haben, ist noch da.',
    minutes:
      'Gehen Sie mit der Zurück-Taste Ihres Browsers zurück und senden Sie in zehn Minuten noch einmal. Was Sie eingegeben haben, ist noch da.',
    copy: 'Was Sie gesendet haben, wurde nicht gespeichert. Um Ihren Text zu behalten, gehen Sie mit der Zurück-Taste Ihres Browsers zurück und kopieren Sie ihn.',
    contact: 'Hilft das nicht, wenden Sie sich auf anderem Weg an den Betreiber der Website.',
    copyAndContact:
      'Gehen Sie mit der Zurück-Taste Ihres Browsers zurück, um Ihren Text zu kopieren, und wenden Sie sich auf anderem Weg an den Betreiber der Website.',
    allowScript:
      'Falls JavaScript in Ihrem Browser ausgeschaltet ist, kopieren Sie Ihren Text. Erlauben Sie dann JavaScript für die Seite, laden Sie sie neu und senden Sie.',
    maybeLost: 'Ihre Nachricht wurde vielleicht nicht gespeichert.',
    later: 'Bitte versuchen Sie es in einigen Minuten noch einmal.',
    withoutFiles: 'Oder senden Sie Ihre Nachricht ohne Dateien.',
    toForm: 'Um eine Nachricht zu schreiben, gehen Sie zurück zur Seite mit dem Formular.',
  },

  fields: {
    error: (title: Foreign) => `Fehler: ${title}`,
    correct: 'Korrigieren Sie das und senden Sie noch einmal. Alles andere, was Sie eingegeben haben, ist noch da.',
    fillIn: 'Füllen Sie dieses Feld aus.',
    chooseOne: 'Wählen Sie eine der Möglichkeiten.',
    chooseSome: 'Wählen Sie mindestens eine der Möglichkeiten.',
    chooseOnly: 'Wählen Sie nur aus den angegebenen Möglichkeiten.',
    tick: 'Setzen Sie hier ein Häkchen.',
    chooseFile: 'Wählen Sie eine Datei aus.',
    oneOnly: 'Geben Sie nur eine Antwort.',
    textOnly: 'Schreiben Sie hier Text.',
    email: 'Geben Sie eine E-Mail-Adresse ein, zum Beispiel ada@example.com.',
    tel: 'Geben Sie eine Telefonnummer mit mindestens drei Ziffern ein.',
    url: 'Geben Sie eine Webadresse ein, zum Beispiel https://example.com.',
    number: 'Geben Sie eine Zahl ein, zum Beispiel 1234 oder 1234,5.',
    date: 'Geben Sie ein Datum in dieser Form ein: 2026-12-31.',
    atLeast: (amount: string) => `Geben Sie ${amount} oder mehr ein.`,
    atMost: (amount: string) => `Geben Sie ${amount} oder weniger ein.`,
    earliest: (day: string) => `Geben Sie ${day} oder ein späteres Datum ein.`,
    latest: (day: string) => `Geben Sie ${day} oder ein früheres Datum ein.`,
    fewest: (amount: string) => `Auswahl: mindestens ${amount}.`,
    most: (amount: string) => `Auswahl: höchstens ${amount}.`,
    shortest: (amount: string) => `Mindestlänge in Zeichen: ${amount}.`,
    longest: (amount: string) => `Höchstlänge in Zeichen: ${amount}.`,
    fileMissing: 'Die Datei ist nicht angekommen. Wählen Sie sie noch einmal aus.',
    mostFiles: (amount: string) => `Anzahl der Dateien: höchstens ${amount}.`,
    unknown: (name: Foreign) => `Dieses Formular hat kein Feld „${name}“. Das wird deshalb nicht gesendet.`,
    again: (file: Foreign) => `Wählen Sie „${file}“ noch einmal aus.`,
    optional: 'freiwillig',
    choose: 'Bitte wählen …',
    other: 'Anderes',
    otherAnswer: 'Eine andere Antwort',
    send: 'Senden',
  },

  challenge: {
    wait: 'Einen Moment: Ihre Nachricht wird von selbst gesendet.',
    failed: (host: string) =>
      `Ihre Nachricht wurde nicht gesendet, weil ${host} nicht geantwortet hat. Bitte versuchen Sie es noch einmal.`,
    noScript:
      'Dieses Formular funktioniert zum Schutz vor Robotern nur mit JavaScript. Bitte erlauben Sie es und laden Sie diese Seite neu.',
  },

  mail: {
    why: (hosts: readonly string[]) =>
      `Sie erhalten diese E-Mail, weil jemand Ihre Adresse in ein Formular auf ${either(hosts)} eingetragen hat.`,
    ignore: 'Wenn Sie das nicht waren, ignorieren Sie diese E-Mail.',
    stop: 'Alle E-Mails von diesem Server abbestellen',
    size,
    empty: 'Leer',
    noName: 'Ohne Namen',
    noFileName: 'Datei ohne Namen',
    moreFields: (count: number) => `Weitere Felder: ${number(count)}`,
  },

  unsubscribe: {
    askAll: 'Alle E-Mails von diesem Server abbestellen?',
    allWillStop: (address: Foreign) =>
      `${address} erhält keine E-Mails mehr von den Formularen dieses Servers, und niemand kann die Adresse zu einem Formular hinzufügen.`,
    ask: 'Diese E-Mails abbestellen?',
    willStop: (address: Foreign) =>
      `${address} erhält keine E-Mails mehr über Einsendungen an dieses Formular. Wer das Formular besitzt, kann die Adresse wieder hinzufügen, außer Sie bestellen alle E-Mails von diesem Server ab.`,
    stop: 'Diese E-Mails abbestellen',
    stopAll: 'Alle E-Mails abbestellen',
    stopped: 'E-Mails abbestellt',
    allStopped: (address: Foreign) =>
      `${address} erhält keine E-Mails mehr von diesem Server, und niemand kann die Adresse zu einem Formular hinzufügen.`,
    formStopped: (address: Foreign, form: Foreign) =>
      `${address} erhält keine E-Mails mehr über Einsendungen an „${form}“.`,
    thisStopped: (address: Foreign) => `${address} erhält keine E-Mails mehr über dieses Formular.`,
    allow: 'E-Mails wieder erlauben',
    allowed: 'E-Mails sind wieder erlaubt',
    allAllowed: (address: Foreign) =>
      `Wer ein Formular besitzt, kann ${address} wieder für Benachrichtigungen eintragen, und Formulare können automatisch an diese Adresse antworten.`,
  },

  page: {
    madeBy: (host: Foreign) => `Dieses Formular stammt von einem Benutzer von ${host}.`,
    noPassword: 'Geben Sie hier niemals ein Passwort ein.',
    report: 'Dieses Formular melden',
    online: 'Oder füllen Sie dieses Formular online aus:',
  },
} satisfies Texts
