import type { Foreign } from './foreign.ts'
import { formats } from './formats.ts'
import type { FoundKind, Texts } from './texts.ts'

const { size, moment, list, either, number } = formats('it')

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
  other: 'non è tra questi',
}

export const italian = {
  tag: 'it',
  dir: 'ltr',

  thankYou: 'Grazie',
  received: (form: Foreign) => `Il messaggio a «${form}» è stato ricevuto.`,
  backTo: (host: Foreign) => `Torna a ${host}`,

  titles: {
    notSent: 'Il messaggio non è stato inviato',
    early: 'Questo modulo non è ancora aperto',
    closed: 'Questo modulo è chiuso',
    full: 'Questo modulo è al completo',
    noForm: 'Questo modulo non esiste',
    wrong: 'Si è verificato un errore',
    badLink: 'Questo link non funziona',
    messagesOnly: 'Questo indirizzo riceve messaggi',
  },

  reasons: {
    early: (at: number) => `Apre il ${moment(at)}.`,
    over: (at: number) => `È stato chiuso il ${moment(at)}.`,
    full: () => 'Non accetta altri messaggi.',
    closed: () => 'Al momento non accetta messaggi.',
    otherPage: (origin: Foreign) =>
      `Questo modulo non accetta messaggi da ${origin}. Se è il suo sito, lo aggiunga alle pagine autorizzate nelle impostazioni del modulo.`,
    unknownPage: () =>
      'Questo modulo accetta messaggi solo da alcune pagine e il browser non ha indicato quale pagina è stata usata.',
    unsolved: () =>
      'Per tenere lontani i robot, questo modulo richiede un breve calcolo che il browser esegue durante la scrittura. Mancava, era troppo vecchio o era già stato usato.',
    empty: () => 'Il modulo era vuoto.',
    malformed: () => 'Il server non è riuscito a leggere quanto inviato dal browser.',
    interrupted: () => 'Il messaggio non è arrivato per intero. La connessione potrebbe essere lenta o interrotta.',
    textTooLong: (most: number) => `Il messaggio è troppo lungo: questo modulo accetta fino a ${size(most)} di testo.`,
    filesTooLarge: (most: number) => `I file sono troppo grandi: questo modulo accetta fino a ${size(most)} in totale.`,
    fileTooLarge: (file: Foreign, most: number) =>
      `Il file «${file}» è troppo grande: questo modulo accetta file fino a ${size(most)}.`,
    wrongKind: (file: Foreign, kinds: readonly string[], kind: FoundKind) =>
      `Questo modulo accetta solo ${list(kinds.map((one) => groups[one] ?? `file ${one}`))}, e «${file}» ${found[kind]}.`,
    tooManyFiles: (most: number) => `I file sono troppi. Massimo per questo modulo: ${number(most)}.`,
    noFiles: () => 'Questo modulo non accetta file.',
    tooMany: () => 'Dalla sua rete sono arrivati troppi messaggi in poco tempo.',
    tooManyBytes: () => 'Dalla sua rete sono arrivati troppi file in poco tempo.',
    busy: () => 'Al momento il server è troppo occupato.',
    noDisk: () => 'Al momento il server non può accettare file.',
    uncertain: () =>
      'Il server non sa se il messaggio è stato salvato. Se lo invia di nuovo, potrebbe arrivare due volte.',
    noForm: () => 'Potrebbe essere stato eliminato.',
    internal: () => 'Si è verificato un errore sul server.',
    messagesOnly: () => 'Riceve ciò che invia il modulo di un sito web e non mostra nulla.',
    badLink: () => 'Copi l’intero link dall’e-mail, fino all’ultimo carattere.',
  },

  next: {
    change: 'Torni indietro con il pulsante Indietro del browser per modificarlo. Ciò che ha scritto è ancora lì.',
    seconds:
      'Torni indietro con il pulsante Indietro del browser, attenda qualche secondo e invii di nuovo. Ciò che ha scritto è ancora lì.',
    minute:
      'Torni indietro con il pulsante Indietro del browser e invii di nuovo tra un minuto. Ciò che ha scritto è ancora lì.',
    minutes:
      'Torni indietro con il pulsante Indietro del browser e invii di nuovo tra dieci minuti. Ciò che ha scritto è ancora lì.',
    copy: 'Ciò che ha inviato non è stato salvato. Per conservare il testo, torni indietro con il pulsante Indietro del browser e lo copi.',
    contact: 'Se non basta, contatti il gestore del sito in un altro modo.',
    copyAndContact:
      'Torni indietro con il pulsante Indietro del browser per copiare il testo e contatti il gestore del sito in un altro modo.',
    allowScript:
      'Se JavaScript è disattivato nel browser, copi il testo, consenta JavaScript per quella pagina, la ricarichi e invii.',
    maybeLost: 'Il messaggio potrebbe non essere stato salvato.',
    later: 'Riprovi tra qualche minuto.',
    withoutFiles: 'Oppure invii il messaggio senza file.',
    toForm: 'Per scrivere un messaggio, torni alla pagina con il modulo.',
  },

  fields: {
    error: (title: Foreign) => `Errore: ${title}`,
    correct: 'Corregga quanto segue e invii di nuovo. Tutto il resto che ha scritto è ancora lì.',
    fillIn: 'Compili questo campo.',
    chooseOne: 'Scelga una delle opzioni.',
    chooseSome: 'Scelga almeno una delle opzioni.',
    chooseOnly: 'Scelga solo tra le opzioni indicate.',
    tick: 'Selezioni questa casella.',
    chooseFile: 'Scelga un file.',
    oneOnly: 'Dia una sola risposta.',
    textOnly: 'Scriva come testo.',
    email: 'Inserisca un indirizzo e-mail, ad esempio ada@example.com.',
    tel: 'Inserisca un numero di telefono con almeno tre cifre.',
    url: 'Inserisca un indirizzo web, ad esempio https://example.com.',
    number: 'Inserisca un numero, ad esempio 1234 o 1234,5.',
    date: 'Inserisca una data in questo formato: 2026-12-31.',
    atLeast: (amount: string) => `Inserisca ${amount} o più.`,
    atMost: (amount: string) => `Inserisca ${amount} o meno.`,
    earliest: (day: string) => `Inserisca ${day} o una data successiva.`,
    latest: (day: string) => `Inserisca ${day} o una data precedente.`,
    fewest: (amount: string) => `Opzioni da scegliere: almeno ${amount}.`,
    most: (amount: string) => `Opzioni da scegliere: al massimo ${amount}.`,
    shortest: (amount: string) => `Lunghezza minima in caratteri: ${amount}.`,
    longest: (amount: string) => `Lunghezza massima in caratteri: ${amount}.`,
    fileMissing: 'Il file non è arrivato. Lo scelga di nuovo.',
    mostFiles: (amount: string) => `Numero di file: al massimo ${amount}.`,
    unknown: (name: Foreign) => `Questo modulo non ha un campo «${name}», quindi questo non verrà inviato.`,
    again: (file: Foreign) => `Scelga di nuovo «${file}».`,
    optional: 'facoltativo',
    choose: 'Scelga…',
    other: 'Altro',
    otherAnswer: 'Un’altra risposta',
    send: 'Invia',
  },

  page: {
    madeBy: (host: Foreign) => `Questo modulo è stato creato da un utente di ${host}.`,
    noPassword: 'Non inserisca mai una password qui.',
    report: 'Segnala questo modulo',
    online: 'Oppure compili questo modulo online:',
  },

  challenge: {
    wait: 'Un momento: il messaggio verrà inviato automaticamente.',
    failed: (host: string) => `Il messaggio non è stato inviato perché ${host} non ha risposto. Riprovi.`,
    noScript:
      'Per tenere lontani i robot, questo modulo funziona solo con JavaScript. Lo consenta e ricarichi la pagina.',
  },

  mail: {
    why: (hosts: readonly string[]) =>
      `Riceve questa e-mail perché qualcuno ha inserito il suo indirizzo in un modulo su ${either(hosts)}.`,
    ignore: 'Se non è stato lei, ignori questa e-mail.',
    stop: 'Non ricevere più e-mail da questo server',
    size,
    empty: 'Vuoto',
    noName: 'Senza nome',
    noFileName: 'File senza nome',
    moreFields: (count: number) => `Altri campi: ${number(count)}`,
  },

  unsubscribe: {
    askAll: 'Non ricevere più e-mail da questo server?',
    allWillStop: (address: Foreign) =>
      `${address} non riceverà più e-mail da alcun modulo di questo server e nessuno potrà aggiungere l’indirizzo a un modulo.`,
    ask: 'Non ricevere più queste e-mail?',
    willStop: (address: Foreign) =>
      `${address} non riceverà più e-mail sugli invii a questo modulo. Il proprietario del modulo può aggiungere di nuovo l’indirizzo, a meno che non vengano interrotte tutte le e-mail di questo server.`,
    stop: 'Interrompi queste e-mail',
    stopAll: 'Interrompi tutte le e-mail',
    stopped: 'E-mail interrotte',
    allStopped: (address: Foreign) =>
      `${address} non riceve più e-mail da questo server e nessuno può aggiungere l’indirizzo a un modulo.`,
    formStopped: (address: Foreign, form: Foreign) => `${address} non riceve più e-mail sugli invii a «${form}».`,
    thisStopped: (address: Foreign) => `${address} non riceve più e-mail su questo modulo.`,
    allow: 'Consenti di nuovo le e-mail',
    allowed: 'Le e-mail sono di nuovo consentite',
    allAllowed: (address: Foreign) =>
      `I proprietari dei moduli possono aggiungere di nuovo ${address} alle notifiche e i moduli possono inviare risposte automatiche.`,
  },
} satisfies Texts
