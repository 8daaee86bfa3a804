import type { Foreign } from './foreign.ts'
import { formats } from './formats.ts'
import type { FoundKind, Texts } from './texts.ts'

const { size, moment, day, kinds: kindsOf, either, number, exact } = formats('de')

const groups: Readonly<Record<string, string>> = {
  'image/*': 'Bilder',
  'audio/*': 'Audiodateien',
  'video/*': 'Videos',
  'text/*': 'Textdateien',
}

const found: Readonly<Record<FoundKind, string>> = {
  program: 'ist ein Programm',
  script: 'ist ein Skript',
  image: 'ist ein Bild',
  pdf: 'ist ein PDF',
  archive: 'ist ein ZIP-Archiv oder ein Dokument',
  document: 'ist ein Office-Dokument',
  audio: 'ist eine Audiodatei',
  video: 'ist ein Video',
  other: 'hat ein anderes Format',
}

const misnamed = (format: string): string => `ist eine ${format}-Datei mit falscher Dateiendung`

const listed = (kinds: readonly string[]): string =>
  kindsOf(kinds, groups, (name, _isFirst, isLast) => (isLast ? `${name}-Dateien` : `${name}-`))

const wrongKind =
  (taker: string) =>
  (file: Foreign, kinds: readonly string[], kind: FoundKind, format: string | null): string =>
    `${taker} nimmt nur ${listed(kinds)} an, aber „${file}“ ${format === null ? found[kind] : misnamed(format)}.`

export const german = {
  tag: 'de',
  dir: 'ltr',
  space: ' ',
  labelled: (label: string, text: string) => `${label}: ${text}`,

  thankYou: 'Vielen Dank',
  received: (form: Foreign) => `Ihre Nachricht an „${form}“ ist angekommen.`,
  backTo: (host: Foreign) => `Zurück zu ${host}`,
  typed: 'Ihre Eingaben',

  titles: {
    notSent: 'Ihre Nachricht wurde nicht gesendet',
    early: 'Dieses Formular ist noch nicht geöffnet',
    closed: 'Dieses Formular ist geschlossen',
    full: 'Dieses Formular nimmt keine Nachrichten mehr an',
    noForm: 'Dieses Formular gibt es nicht',
    wrong: 'Etwas ist schiefgegangen',
    badLink: 'Dieser Link funktioniert nicht',
    messagesOnly: 'Diese Adresse empfängt nur Nachrichten',
  },

  reasons: {
    early: (at: number) => `Es öffnet am ${moment(at)}.`,
    over: (at: number) => `Es wurde am ${moment(at)} geschlossen.`,
    full: () => 'Die Höchstzahl an Nachrichten ist erreicht.',
    closed: () => 'Es nimmt zurzeit keine Nachrichten an.',
    otherPage: (origin: Foreign) =>
      `Dieses Formular nimmt keine Nachrichten von ${origin} an. Ist das Ihre Website, fügen Sie sie in den Einstellungen des Formulars zu den erlaubten Seiten hinzu.`,
    unknownPage: () =>
      'Dieses Formular nimmt nur Nachrichten von bestimmten Seiten an, und Ihr Browser hat nicht angegeben, von welcher Seite Ihre Nachricht kommt.',
    unsolved: () =>
      'Zum Schutz vor Spam verlangt dieses Formular eine kurze Berechnung, die Ihr Browser beim Ausfüllen durchführt. Sie fehlte, war zu alt oder wurde schon verwendet.',
    empty: () => 'Das Formular war leer.',
    malformed: () => 'Der Server konnte nicht lesen, was Ihr Browser gesendet hat.',
    interrupted: () =>
      'Ihre Nachricht ist nicht vollständig angekommen. Vielleicht ist Ihre Verbindung langsam oder wurde unterbrochen.',
    textTooLong: (most: number) => `Ihre Nachricht ist zu lang: Dieses Formular nimmt bis zu ${size(most)} Text an.`,
    filesTooLarge: (most: number) =>
      `Ihre Dateien sind zu groß: Dieses Formular nimmt insgesamt bis zu ${size(most)} an.`,
    fileTooLarge: (file: Foreign, most: number) =>
      `Die Datei „${file}“ ist zu groß: Dieses Formular nimmt Dateien bis ${size(most)} an.`,
    wrongKind: wrongKind('Dieses Formular'),
    tooManyFiles: (most: number) => `Das sind zu viele Dateien. Höchstzahl für dieses Formular: ${number(most)}.`,
    noFiles: () => 'Dieses Formular nimmt keine Dateien an.',
    tooMany: () => 'Aus Ihrem Netzwerk kamen in kurzer Zeit zu viele Nachrichten.',
    tooManyBytes: () => 'Aus Ihrem Netzwerk kamen in kurzer Zeit zu viele Dateien.',
    busy: () => 'Der Server ist gerade überlastet.',
    noDisk: () => 'Der Server kann zurzeit keine Dateien annehmen.',
    uncertain: () =>
      'Es ist unklar, ob Ihre Nachricht gespeichert wurde. Wenn Sie sie noch einmal senden, kommt sie vielleicht doppelt an.',
    noForm: () => 'Vielleicht wurde es gelöscht.',
    internal: () => 'Auf dem Server ist ein Fehler aufgetreten.',
    messagesOnly: () => 'Hierhin sendet das Formular einer Website seine Nachrichten. Zu sehen gibt es hier nichts.',
    notPosted: (attribute: Foreign) =>
      `Das Formular auf der Seite ist fehlerhaft: Ihr Browser hat Ihre Eingaben in die Adresse geschrieben, und nichts wurde gespeichert. Ist das Ihre Website, ergänzen Sie im Formular ${attribute}.`,
    otherAddress: (address: Foreign) =>
      `Nachrichten an dieses Formular gehen an eine andere Adresse: ${address}. Ist das Ihre Website, korrigieren Sie die Adresse, an die ihr Formular sendet.`,
    badLink: () => 'Kopieren Sie den vollständigen Link aus der E-Mail, bis zum letzten Zeichen.',
  },

  next: {
    change:
      'Kehren Sie mit der Zurück-Taste Ihres Browsers zum Formular zurück, um das zu ändern. Ihre Eingaben sind noch da.',
    seconds:
      'Kehren Sie mit der Zurück-Taste Ihres Browsers zum Formular zurück, warten Sie einige Sekunden und senden Sie es noch einmal. Ihre Eingaben sind noch da.',
    minute:
      'Kehren Sie mit der Zurück-Taste Ihres Browsers zum Formular zurück und senden Sie es in einer Minute noch einmal. Ihre Eingaben sind noch da.',
    minutes:
      'Kehren Sie mit der Zurück-Taste Ihres Browsers zum Formular zurück und senden Sie es in zehn Minuten noch einmal. Ihre Eingaben sind noch da.',
    copy: 'Ihre Nachricht wurde nicht gespeichert. Wenn Sie Ihren Text behalten möchten, kehren Sie mit der Zurück-Taste Ihres Browsers zum Formular zurück und kopieren Sie ihn.',
    contact: 'Hilft das nicht, wenden Sie sich auf anderem Weg an den Betreiber der Website.',
    copyAndContact:
      'Kehren Sie mit der Zurück-Taste Ihres Browsers zum Formular zurück, kopieren Sie Ihren Text und wenden Sie sich auf anderem Weg an den Betreiber der Website.',
    allowScript:
      'Falls JavaScript in Ihrem Browser deaktiviert ist, kopieren Sie Ihren Text. Erlauben Sie dann JavaScript für die Seite mit dem Formular, laden Sie sie neu und senden Sie Ihre Nachricht noch einmal.',
    maybeLost: 'Ihre Nachricht wurde vielleicht nicht gespeichert.',
    later: 'Bitte versuchen Sie es in einigen Minuten noch einmal.',
    withoutFiles: 'Oder senden Sie Ihre Nachricht ohne Dateien.',
    toForm: 'Um eine Nachricht zu schreiben, gehen Sie zurück zur Seite mit dem Formular.',
  },

  fields: {
    error: (title: Foreign) => `Fehler: ${title}`,
    correct: 'Korrigieren Sie Folgendes und senden Sie das Formular noch einmal. Alle anderen Eingaben sind noch da.',
    fillIn: 'Füllen Sie dieses Feld aus.',
    chooseOne: 'Wählen Sie eine der angegebenen Möglichkeiten aus.',
    chooseSome: 'Wählen Sie mindestens eine der angegebenen Möglichkeiten aus.',
    chooseOnly: 'Wählen Sie nur aus den angegebenen Möglichkeiten.',
    optionFull: (option: Foreign) => `„${option}“ ist ausgebucht. Wählen Sie eine andere Möglichkeit.`,
    repeated: 'Das wurde schon gesendet. Es geht nur einmal.',
    full: 'ausgebucht',
    placesLeft: (amount: number) => `noch ${number(amount)} frei`,
    tick: 'Setzen Sie hier ein Häkchen.',
    chooseFile: 'Wählen Sie eine Datei aus.',
    oneOnly: 'Geben Sie nur eine Antwort an.',
    textOnly: 'Geben Sie hier Text ein.',
    email: 'Geben Sie eine E-Mail-Adresse ein, zum Beispiel ada@example.com.',
    tel: 'Geben Sie eine Telefonnummer mit mindestens drei Ziffern ein.',
    url: 'Geben Sie eine Webadresse ein, zum Beispiel https://example.com.',
    number: 'Geben Sie eine Zahl ein, zum Beispiel 1234 oder 1234,5.',
    date: 'Geben Sie ein Datum in dieser Form ein: 2026-12-31.',
    atLeast: (amount: number) => `Geben Sie eine Zahl von mindestens ${exact(amount)} ein.`,
    atMost: (amount: number) => `Geben Sie eine Zahl von höchstens ${exact(amount)} ein.`,
    earliest: (date: string) => `Geben Sie ein Datum ab dem ${day(date)} ein.`,
    latest: (date: string) => `Geben Sie ein Datum bis zum ${day(date)} ein.`,
    fewest: (amount: number) => `Wählen Sie mindestens ${number(amount)} aus.`,
    most: (amount: number) => `Wählen Sie höchstens ${number(amount)} aus.`,
    shortest: (amount: number) => `Geben Sie mindestens ${number(amount)} Zeichen ein.`,
    longest: (amount: number) => `Geben Sie höchstens ${number(amount)} Zeichen ein.`,
    fileMissing: 'Die Datei ist nicht angekommen. Wählen Sie sie noch einmal aus.',
    mostFiles: (amount: number) => `Höchstzahl der Dateien: ${number(amount)}.`,
    wrongKind: wrongKind('Dieses Feld'),
    unknown: (name: Foreign) => `Dieses Formular hat kein Feld „${name}“. Diese Eingabe wird deshalb nicht gesendet.`,
    again: (file: Foreign) => `Wählen Sie „${file}“ noch einmal aus.`,
    optional: 'optional',
    choose: 'Bitte wählen …',
    other: 'Sonstiges',
    otherAnswer: 'Andere Antwort',
    send: 'Senden',
  },

  challenge: {
    wait: 'Einen Moment bitte: Ihre Nachricht wird automatisch gesendet.',
    failed: (host: string) =>
      `Ihre Nachricht wurde nicht gesendet, weil ${host} nicht geantwortet hat. Bitte versuchen Sie es noch einmal.`,
    noScript:
      'Zum Schutz vor Spam funktioniert dieses Formular nur mit JavaScript. Bitte erlauben Sie JavaScript und laden Sie diese Seite neu.',
  },

  mail: {
    why: (hosts: readonly string[]) =>
      `Sie erhalten diese E-Mail, weil jemand Ihre Adresse in ein Formular auf ${either(hosts)} eingetragen hat.`,
    ignore: 'Falls Sie das nicht waren, können Sie diese E-Mail ignorieren.',
    stop: 'Alle E-Mails von diesem Server abbestellen',
    size,
    file: (extension: string, bytes: number) => `${extension}, ${size(bytes)}`,
    empty: 'Leer',
    noName: 'Ohne Namen',
    noFileName: 'Datei ohne Namen',
    moreFields: (count: number) => `Weitere Felder: ${number(count)}`,
    more: (count: number) => `${number(count)} weitere`,
    shortened: (count: number) => `Gekürzt. Zeichen insgesamt: ${number(count)}`,
  },

  unsubscribe: {
    askAll: 'Alle E-Mails von diesem Server abbestellen?',
    allWillStop: (address: Foreign) =>
      `${address} erhält dann keine E-Mails mehr von Formularen dieses Servers, und niemand kann die Adresse bei einem Formular als Empfänger eintragen.`,
    ask: 'Diese E-Mails abbestellen?',
    willStop: (address: Foreign) =>
      `${address} erhält dann keine E-Mails mehr über Einsendungen an dieses Formular. Wer das Formular verwaltet, kann die Adresse wieder eintragen, es sei denn, Sie bestellen alle E-Mails von diesem Server ab.`,
    stop: 'Diese E-Mails abbestellen',
    stopAll: 'Alle E-Mails abbestellen',
    stopped: 'E-Mails abbestellt',
    allStopped: (address: Foreign) =>
      `${address} erhält keine E-Mails mehr von diesem Server, und niemand kann die Adresse bei einem Formular als Empfänger eintragen.`,
    formStopped: (address: Foreign, form: Foreign) =>
      `${address} erhält keine E-Mails mehr über Einsendungen an „${form}“.`,
    thisStopped: (address: Foreign) => `${address} erhält keine E-Mails mehr über dieses Formular.`,
    allow: 'E-Mails wieder erlauben',
    allowed: 'E-Mails sind wieder erlaubt',
    allAllowed: (address: Foreign) =>
      `Wer ein Formular verwaltet, kann ${address} wieder für Benachrichtigungen eintragen, und Formulare können automatisch an diese Adresse antworten.`,
  },

  confirm: {
    step: 'Noch ein Schritt',
    look: 'Öffnen Sie den Link in der E-Mail, die Sie jetzt bekommen. Vorher zählt nicht, was Sie gesendet haben.',
    ask: 'Ihre Adresse bestätigen?',
    willCount: (form: Foreign) =>
      `Was mit Ihrer Adresse an „${form}“ gesendet wurde, zählt, sobald Sie sie bestätigen.`,
    waiting: (amount: number) => `Wartende Nachrichten: ${number(amount)}`,
    confirm: 'Bestätigen',
    notMe: 'Das war ich nicht',
    willDelete:
      '„Das war ich nicht“ löscht alles, was wartet. Dann bekommen Sie keine E-Mails mehr, in denen dieses Formular Sie bittet, Ihre Adresse zu bestätigen.',
    confirmed: 'Ihre Adresse ist bestätigt',
    deleted: 'Alles ist gelöscht',
    allDeleted: (form: Foreign) =>
      `Was mit Ihrer Adresse an „${form}“ gesendet wurde, ist gelöscht. Dieses Formular fragt Sie nicht noch einmal.`,
    over: 'Es gibt nichts zu bestätigen',
    nothing:
      'Was gesendet wurde, wurde nicht rechtzeitig bestätigt oder ist gelöscht. Wenn Sie es noch senden möchten, füllen Sie das Formular bitte noch einmal aus.',
  },

  page: {
    madeBy: (host: Foreign) => `Dieses Formular hat ein Nutzer von ${host} erstellt.`,
    noPassword: 'Geben Sie hier niemals ein Passwort ein.',
    report: 'Dieses Formular melden',
    online: 'Sie können dieses Formular auch online ausfüllen:',
  },
} satisfies Texts
