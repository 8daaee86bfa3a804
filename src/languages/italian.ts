import type { Foreign } from './foreign.ts'
import { formats } from './formats.ts'
import type { FoundKind, Texts } from './texts.ts'

const { size, moment, day, kinds: kindsOf, either, number, exact } = formats('it')

const groups: Readonly<Record<string, string>> = {
  'image/*': 'immagini',
  'audio/*': 'file audio',
  'video/*': 'video',
  'text/*': 'file di testo',
}

const found: Readonly<Record<FoundKind, string>> = {
  program: 'è un programma',
  script: 'è uno script',
  image: 'è un’immagine',
  pdf: 'è un PDF',
  archive: 'è un archivio ZIP o un documento',
  document: 'è un documento di Office',
  audio: 'è un file audio',
  video: 'è un video',
  other: 'è di un altro tipo',
}

const misnamed = (format: string): string => `è un file ${format} con l’estensione sbagliata`

const listed = (kinds: readonly string[]): string =>
  kindsOf(kinds, groups, (name, isFirst) => (isFirst ? `file ${name}` : name))

const wrongKind =
  (taker: string) =>
  (file: Foreign, kinds: readonly string[], kind: FoundKind, format: string | null): string =>
    `${taker} accetta solo ${listed(kinds)}, ma «${file}» ${format === null ? found[kind] : misnamed(format)}.`

export const italian = {
  tag: 'it',
  dir: 'ltr',
  space: ' ',
  labelled: (label: string, text: string) => `${label}: ${text}`,

  thankYou: 'Grazie',
  received: (form: Foreign) => `Il messaggio per «${form}» è stato ricevuto.`,
  backTo: (host: Foreign) => `Torna a ${host}`,
  typed: 'Il testo inserito',

  titles: {
    notSent: 'Il messaggio non è stato inviato',
    early: 'Questo modulo non è ancora aperto',
    closed: 'Questo modulo è chiuso',
    full: 'Questo modulo non accetta più messaggi',
    noForm: 'Questo modulo non esiste',
    wrong: 'Si è verificato un errore',
    badLink: 'Questo link non funziona',
    messagesOnly: 'Questo indirizzo serve solo a ricevere messaggi',
  },

  reasons: {
    early: (at: number) => `Data di apertura: ${moment(at)}.`,
    over: (at: number) => `Data di chiusura: ${moment(at)}.`,
    full: () => 'È stato raggiunto il numero massimo di messaggi.',
    closed: () => 'Al momento non accetta messaggi.',
    otherPage: (origin: Foreign) =>
      `Questo modulo non accetta messaggi inviati da ${origin}. Se è il tuo sito, aggiungilo alle pagine autorizzate nelle impostazioni del modulo.`,
    unknownPage: () =>
      'Questo modulo accetta messaggi solo da alcune pagine e il browser non ha indicato da quale pagina è stato inviato il tuo.',
    unsolved: () =>
      'Per tenere lontani i robot, questo modulo richiede un breve calcolo che il browser esegue mentre scrivi. Il calcolo mancava, era troppo vecchio o era già stato usato.',
    empty: () => 'Il modulo era vuoto.',
    malformed: () => 'Il server non è riuscito a leggere quanto inviato dal browser.',
    interrupted: () =>
      'Il messaggio non è arrivato per intero. La connessione potrebbe essere lenta o essersi interrotta.',
    textTooLong: (most: number) => `Il messaggio è troppo lungo: questo modulo accetta fino a ${size(most)} di testo.`,
    filesTooLarge: (most: number) => `I file sono troppo grandi: questo modulo accetta fino a ${size(most)} in totale.`,
    fileTooLarge: (file: Foreign, most: number) =>
      `Il file «${file}» è troppo grande: questo modulo accetta file fino a ${size(most)}.`,
    wrongKind: wrongKind('Questo modulo'),
    tooManyFiles: (most: number) => `I file sono troppi. Numero massimo per questo modulo: ${number(most)}.`,
    noFiles: () => 'Questo modulo non accetta file.',
    tooMany: () => 'Dalla tua rete sono arrivati troppi messaggi in poco tempo.',
    tooManyBytes: () => 'Dalla tua rete sono arrivati troppi file in poco tempo.',
    busy: () => 'Al momento il server è sovraccarico.',
    noDisk: () => 'Al momento il server non può accettare file.',
    uncertain: () =>
      'Non è certo che il messaggio sia stato salvato. Se lo invii di nuovo, potrebbe arrivare due volte.',
    noForm: () => 'Potrebbe essere stato eliminato.',
    internal: () => 'Il server ha avuto un problema.',
    messagesOnly: () => 'È qui che il modulo di un sito web invia i messaggi. Non c’è nulla da vedere.',
    notPosted: (attribute: Foreign) =>
      `Il modulo di quella pagina contiene un errore: il browser ha messo nell’indirizzo ciò che hai scritto e non è stato salvato nulla. Se è il tuo sito, aggiungi ${attribute} al modulo.`,
    otherAddress: (address: Foreign) =>
      `I messaggi per questo modulo vanno a un altro indirizzo: ${address}. Se è il tuo sito, correggi l’indirizzo a cui invia il suo modulo.`,
    badLink: () => 'Copia l’intero link dall’e-mail, fino all’ultimo carattere.',
  },

  next: {
    change: 'Torna al modulo con il pulsante Indietro del browser per correggere. Quello che hai scritto è ancora lì.',
    seconds:
      'Torna al modulo con il pulsante Indietro del browser, attendi qualche secondo e invia di nuovo il messaggio. Quello che hai scritto è ancora lì.',
    minute:
      'Torna al modulo con il pulsante Indietro del browser e invia di nuovo il messaggio tra un minuto. Quello che hai scritto è ancora lì.',
    minutes:
      'Torna al modulo con il pulsante Indietro del browser e invia di nuovo il messaggio tra dieci minuti. Quello che hai scritto è ancora lì.',
    copy: 'Il messaggio non è stato salvato. Per conservare il testo, torna al modulo con il pulsante Indietro del browser e copialo.',
    contact: 'Se il problema persiste, contatta il gestore del sito in un altro modo.',
    copyAndContact:
      'Torna al modulo con il pulsante Indietro del browser, copia il testo e contatta il gestore del sito in un altro modo.',
    allowScript:
      'Se JavaScript è disattivato nel browser, copia il testo, consenti JavaScript per la pagina del modulo, ricaricala e invia di nuovo il messaggio.',
    maybeLost: 'Il messaggio potrebbe non essere stato salvato.',
    later: 'Riprova tra qualche minuto.',
    withoutFiles: 'Oppure invia il messaggio senza file.',
    toForm: 'Per scrivere un messaggio, torna alla pagina con il modulo.',
  },

  fields: {
    error: (title: Foreign) => `Errore: ${title}`,
    correct: 'Correggi quanto segue e invia di nuovo il modulo. Tutto il resto che hai scritto è ancora lì.',
    fillIn: 'Compila questo campo.',
    chooseOne: 'Scegli una delle opzioni indicate.',
    chooseSome: 'Scegli almeno una delle opzioni indicate.',
    chooseOnly: 'Scegli solo tra le opzioni indicate.',
    optionFull: (option: Foreign) => `«${option}» è al completo. Scegli un’altra opzione.`,
    repeated: 'Questo è già stato inviato. Si può inviare una volta sola.',
    full: 'al completo',
    placesLeft: (amount: number) => `posti liberi: ${number(amount)}`,
    tick: 'Seleziona questa casella.',
    chooseFile: 'Scegli un file.',
    oneOnly: 'Dai una sola risposta.',
    textOnly: 'Inserisci un testo.',
    email: 'Inserisci un indirizzo e-mail, ad esempio ada@example.com.',
    tel: 'Inserisci un numero di telefono con almeno tre cifre.',
    url: 'Inserisci un indirizzo web, ad esempio https://example.com.',
    number: 'Inserisci un numero, ad esempio 1234 o 1234,5.',
    date: 'Inserisci una data in questo formato: 2026-12-31.',
    atLeast: (amount: number) => `Inserisci un numero maggiore o uguale a ${exact(amount)}.`,
    atMost: (amount: number) => `Inserisci un numero minore o uguale a ${exact(amount)}.`,
    earliest: (date: string) => `Prima data possibile: ${day(date)}.`,
    latest: (date: string) => `Ultima data possibile: ${day(date)}.`,
    fewest: (amount: number) => `Scegline almeno ${number(amount)}.`,
    most: (amount: number) => `Scegline al massimo ${number(amount)}.`,
    shortest: (amount: number) => `Numero minimo di caratteri: ${number(amount)}.`,
    longest: (amount: number) => `Numero massimo di caratteri: ${number(amount)}.`,
    fileMissing: 'Il file non è arrivato. Sceglilo di nuovo.',
    mostFiles: (amount: number) => `Numero massimo di file: ${number(amount)}.`,
    wrongKind: wrongKind('Questo campo'),
    unknown: (name: Foreign) => `Questo modulo non ha un campo «${name}», quindi questo dato non verrà inviato.`,
    again: (file: Foreign) => `Scegli di nuovo «${file}».`,
    optional: 'facoltativo',
    choose: 'Scegli…',
    other: 'Altro',
    otherAnswer: 'Altra risposta',
    send: 'Invia',
  },

  confirm: {
    step: 'Ancora un passo',
    look: 'Apra il link nell’e-mail che sta per ricevere. Fino ad allora, ciò che ha inviato non conta.',
    ask: 'Confermare il suo indirizzo?',
    willCount: (form: Foreign) =>
      `Ciò che è stato inviato a “${form}” con il suo indirizzo conterà non appena lo conferma.`,
    waiting: (amount: number) => `Messaggi in attesa: ${number(amount)}`,
    confirm: 'Conferma',
    notMe: 'Non sono stato io',
    willDelete:
      '“Non sono stato io” elimina tutto ciò che è in attesa. Non riceverà più e-mail in cui questo modulo le chiede di confermare il suo indirizzo.',
    confirmed: 'Il suo indirizzo è confermato',
    deleted: 'È stato eliminato tutto',
    allDeleted: (form: Foreign) =>
      `Ciò che è stato inviato a “${form}” con il suo indirizzo è stato eliminato. Questo modulo non glielo chiederà più.`,
    over: 'Non c’è nulla da confermare',
    nothing:
      'Ciò che è stato inviato non è stato confermato in tempo o è stato eliminato. Se desidera ancora inviarlo, compili di nuovo il modulo.',
  },

  page: {
    madeBy: (host: Foreign) => `Questo modulo è stato creato da un utente di ${host}.`,
    noPassword: 'Non inserire mai una password qui.',
    report: 'Segnala questo modulo',
    online: 'Puoi anche compilare questo modulo online:',
  },

  challenge: {
    wait: 'Un momento: il messaggio verrà inviato automaticamente.',
    failed: (host: string) => `Il messaggio non è stato inviato perché ${host} non ha risposto. Riprova.`,
    noScript:
      'Per tenere lontani i robot, questo modulo funziona solo con JavaScript. Consentilo e ricarica la pagina.',
  },

  mail: {
    why: (hosts: readonly string[]) =>
      `Ricevi questa e-mail perché qualcuno ha inserito il tuo indirizzo in un modulo su ${either(hosts)}.`,
    ignore: 'Se non l’hai fatto tu, ignora questa e-mail.',
    stop: 'Non ricevere più e-mail da questo server',
    size,
    file: (extension: string, bytes: number) => `${extension}, ${size(bytes)}`,
    empty: 'Vuoto',
    noName: 'Senza nome',
    noFileName: 'File senza nome',
    moreFields: (count: number) => `Altri campi: ${number(count)}`,
    more: (count: number) => `${number(count)} ${count === 1 ? 'altro' : 'altri'}`,
    shortened: (count: number) => `Testo troncato. Numero totale di caratteri: ${number(count)}`,
  },

  unsubscribe: {
    askAll: 'Non ricevere più e-mail da questo server?',
    allWillStop: (address: Foreign) =>
      `${address} non riceverà più e-mail da nessun modulo di questo server e nessuno potrà aggiungere l’indirizzo ai destinatari di un modulo.`,
    ask: 'Non ricevere più queste e-mail?',
    willStop: (address: Foreign) =>
      `${address} non riceverà più e-mail sui messaggi inviati con questo modulo. Il proprietario del modulo può aggiungere di nuovo l’indirizzo, a meno che tu non rifiuti tutte le e-mail di questo server.`,
    stop: 'Non ricevere più queste e-mail',
    stopAll: 'Non ricevere più nessuna e-mail',
    stopped: 'Disiscrizione confermata',
    allStopped: (address: Foreign) =>
      `${address} non riceverà più e-mail da questo server e nessuno può aggiungere l’indirizzo ai destinatari di un modulo.`,
    formStopped: (address: Foreign, form: Foreign) =>
      `${address} non riceverà più e-mail sui messaggi inviati con il modulo «${form}».`,
    thisStopped: (address: Foreign) => `${address} non riceverà più e-mail su questo modulo.`,
    allow: 'Consenti di nuovo le e-mail',
    allowed: 'Le e-mail sono di nuovo consentite',
    allAllowed: (address: Foreign) =>
      `I proprietari dei moduli possono aggiungere di nuovo ${address} alle notifiche e i moduli possono inviare risposte automatiche a questo indirizzo.`,
  },
} satisfies Texts
