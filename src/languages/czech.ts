import type { Foreign } from './foreign.ts'
import { formats } from './formats.ts'
import type { FoundKind, Texts } from './texts.ts'

const { size, moment: plainMoment, day, kinds: kindsOf, either, number, exact } = formats('cs')

/** Before hours that begin with two consonants it is `ve`: `ve 12:05`. */
const moment = (at: number): string => plainMoment(at).replace(/ v (?=(?:[234]|1[234]|2\d):)/, ' ve ')

const groups: Readonly<Record<string, string>> = {
  'image/*': 'obrázky',
  'audio/*': 'zvukové soubory',
  'video/*': 'videa',
  'text/*': 'textové soubory',
}

const found: Readonly<Record<FoundKind, string>> = {
  program: 'je program',
  script: 'je skript',
  image: 'je obrázek',
  pdf: 'je PDF',
  archive: 'je archiv ZIP nebo dokument',
  document: 'je dokument Office',
  audio: 'je zvukový soubor',
  video: 'je video',
  other: 'mezi ně nepatří',
}

const misnamed = (format: string): string => `je soubor ${format} s nesprávnou příponou`

const listed = (kinds: readonly string[]): string =>
  kindsOf(kinds, groups, (name, isFirst) => (isFirst ? `soubory ${name}` : name))

const wrongKind =
  (taker: string) =>
  (file: Foreign, kinds: readonly string[], kind: FoundKind, format: string | null): string =>
    `${taker} přijímá jen ${listed(kinds)}, ale „${file}“ ${format === null ? found[kind] : misnamed(format)}.`

export const czech = {
  tag: 'cs',
  dir: 'ltr',
  space: ' ',
  labelled: (label: string, text: string) => `${label}: ${text}`,

  thankYou: 'Děkujeme',
  received: (form: Foreign) => `Vaše zpráva z formuláře „${form}“ byla přijata.`,
  backTo: (host: Foreign) => `Zpět na ${host}`,
  typed: 'Co jste napsali',

  titles: {
    notSent: 'Vaše zpráva nebyla odeslána',
    early: 'Tento formulář ještě není otevřený',
    closed: 'Tento formulář je uzavřený',
    full: 'Kapacita tohoto formuláře je naplněna',
    noForm: 'Tento formulář neexistuje',
    wrong: 'Něco se nepovedlo',
    badLink: 'Tento odkaz nefunguje',
    messagesOnly: 'Tato adresa slouží jen k příjmu zpráv',
  },

  reasons: {
    early: (at: number) => `Otevře se ${moment(at)}.`,
    over: (at: number) => `Byl uzavřen ${moment(at)}.`,
    full: () => 'Formulář už nepřijímá další zprávy.',
    closed: () => 'Momentálně zprávy nepřijímá.',
    otherPage: (origin: Foreign) =>
      `Tento formulář nepřijímá zprávy z adresy ${origin}. Pokud jde o váš web, přidejte ho v nastavení formuláře mezi povolené stránky.`,
    unknownPage: () =>
      'Tento formulář přijímá zprávy jen z určitých stránek a váš prohlížeč neuvedl, kterou stránku jste použili.',
    unsolved: () =>
      'Kvůli ochraně před roboty vyžaduje tento formulář krátký výpočet, který váš prohlížeč provede během psaní. Výpočet chyběl, byl příliš starý nebo už byl použit.',
    empty: () => 'Formulář byl prázdný.',
    malformed: () => 'Server nedokázal přečíst, co váš prohlížeč odeslal.',
    interrupted: () => 'Vaše zpráva nedorazila celá. Připojení je možná pomalé nebo se přerušilo.',
    textTooLong: (most: number) => `Vaše zpráva je příliš dlouhá: tento formulář přijímá nejvýše ${size(most)} textu.`,
    filesTooLarge: (most: number) =>
      `Vaše soubory jsou příliš velké: tento formulář přijímá dohromady nejvýše ${size(most)}.`,
    fileTooLarge: (file: Foreign, most: number) =>
      `Soubor „${file}“ je příliš velký: tento formulář přijímá soubory do ${size(most)}.`,
    wrongKind: wrongKind('Tento formulář'),
    tooManyFiles: (most: number) => `Příliš mnoho souborů: tento formulář jich přijímá nejvýše ${number(most)}.`,
    noFiles: () => 'Tento formulář nepřijímá soubory.',
    tooMany: () => 'Z vaší sítě přišlo za krátkou dobu příliš mnoho zpráv.',
    tooManyBytes: () => 'Z vaší sítě přišlo za krátkou dobu příliš mnoho souborů.',
    busy: () => 'Server je momentálně přetížený.',
    noDisk: () => 'Server momentálně nemůže přijímat soubory.',
    uncertain: () => 'Server neví, zda byla vaše zpráva uložena. Pokud ji odešlete znovu, může dorazit dvakrát.',
    noForm: () => 'Možná byl smazán.',
    internal: () => 'Na serveru došlo k chybě.',
    messagesOnly: () => 'Přicházejí sem zprávy z formuláře na webu, k zobrazení tu nic není.',
    notPosted: (attribute: Foreign) =>
      `Formulář na té stránce obsahuje chybu: prohlížeč vložil váš text do adresy a nic se neuložilo. Pokud jde o váš web, doplňte do formuláře ${attribute}.`,
    otherAddress: (address: Foreign) =>
      `Zprávy pro tento formulář patří na jinou adresu: ${address}. Pokud jde o váš web, opravte adresu, na kterou jeho formulář odesílá.`,
    badLink: () => 'Zkopírujte z e-mailu celý odkaz až do posledního znaku.',
  },

  next: {
    change: 'Vraťte se tlačítkem Zpět v prohlížeči a opravte to. Co jste napsali, tam stále je.',
    seconds:
      'Vraťte se tlačítkem Zpět v prohlížeči, počkejte několik sekund a odešlete znovu. Co jste napsali, tam stále je.',
    minute: 'Vraťte se tlačítkem Zpět v prohlížeči a za minutu odešlete znovu. Co jste napsali, tam stále je.',
    minutes: 'Vraťte se tlačítkem Zpět v prohlížeči a za deset minut odešlete znovu. Co jste napsali, tam stále je.',
    copy: 'Co jste odeslali, nebylo uloženo. Chcete-li si text ponechat, vraťte se tlačítkem Zpět v prohlížeči a zkopírujte ho.',
    contact: 'Pokud to nepomůže, kontaktujte provozovatele webu jiným způsobem.',
    copyAndContact:
      'Vraťte se tlačítkem Zpět v prohlížeči, zkopírujte si text a kontaktujte provozovatele webu jiným způsobem.',
    allowScript:
      'Pokud je JavaScript v prohlížeči vypnutý, zkopírujte si text, povolte JavaScript pro danou stránku, načtěte ji znovu a odešlete.',
    maybeLost: 'Vaše zpráva možná nebyla uložena.',
    later: 'Zkuste to prosím znovu za několik minut.',
    withoutFiles: 'Nebo odešlete zprávu bez souborů.',
    toForm: 'Chcete-li napsat zprávu, vraťte se na stránku s formulářem.',
  },

  fields: {
    error: (title: Foreign) => `Chyba: ${title}`,
    correct: 'Opravte následující údaje a odešlete formulář znovu. Vše ostatní zůstalo vyplněné.',
    fillIn: 'Vyplňte toto pole.',
    chooseOne: 'Vyberte jednu z možností.',
    chooseSome: 'Vyberte alespoň jednu z možností.',
    chooseOnly: 'Vybírejte jen z uvedených možností.',
    optionFull: (option: Foreign) => `Možnost „${option}“ je obsazená. Vyberte jinou.`,
    repeated: 'Toto už bylo odesláno. Lze to odeslat jen jednou.',
    full: 'obsazeno',
    placesLeft: (amount: number) => `volná místa: ${number(amount)}`,
    tick: 'Zaškrtněte toto políčko.',
    chooseFile: 'Vyberte soubor.',
    oneOnly: 'Uveďte jen jednu odpověď.',
    textOnly: 'Zadejte text.',
    email: 'Zadejte e-mailovou adresu, například ada@example.com.',
    tel: 'Zadejte telefonní číslo alespoň se třemi číslicemi.',
    url: 'Zadejte webovou adresu, například https://example.com.',
    number: 'Zadejte číslo, například 1234 nebo 1234,5.',
    date: 'Zadejte datum v tomto tvaru: 2026-12-31.',
    atLeast: (amount: number) => `Zadejte ${exact(amount)} nebo více.`,
    atMost: (amount: number) => `Zadejte ${exact(amount)} nebo méně.`,
    earliest: (date: string) => `Zadejte datum ${day(date)} nebo pozdější.`,
    latest: (date: string) => `Zadejte datum ${day(date)} nebo dřívější.`,
    fewest: (amount: number) => `Vyberte nejméně ${number(amount)} z možností.`,
    most: (amount: number) => `Vyberte nejvýše ${number(amount)} z možností.`,
    shortest: (amount: number) => `Minimální počet znaků: ${number(amount)}.`,
    longest: (amount: number) => `Maximální počet znaků: ${number(amount)}.`,
    fileMissing: 'Soubor nedorazil. Vyberte ho znovu.',
    mostFiles: (amount: number) => `Maximální počet souborů: ${number(amount)}.`,
    wrongKind: wrongKind('Toto pole'),
    unknown: (name: Foreign) => `Tento formulář nemá pole „${name}“, a proto se tento údaj neodešle.`,
    again: (file: Foreign) => `Vyberte znovu „${file}“.`,
    optional: 'nepovinné',
    choose: 'Vyberte…',
    other: 'Jiné',
    otherAnswer: 'Jiná odpověď',
    send: 'Odeslat',
  },

  confirm: {
    step: 'Ještě jeden krok',
    look: 'Otevřete odkaz v e-mailu, který teď dostanete. Do té doby se to, co jste odeslali, nepočítá.',
    ask: 'Potvrdit vaši adresu?',
    willCount: (form: Foreign) =>
      `To, co bylo s vaší adresou odesláno do „${form}“, se bude počítat, jakmile ji potvrdíte.`,
    waiting: (amount: number) => `Čekající zprávy: ${number(amount)}`,
    confirm: 'Potvrdit',
    notMe: 'To jsem nebyl já',
    willDelete:
      '„To jsem nebyl já“ smaže vše, co čeká. Potom už nedostanete e-maily, ve kterých vás tento formulář žádá o potvrzení adresy.',
    confirmed: 'Vaše adresa je potvrzena',
    deleted: 'Vše je smazáno',
    allDeleted: (form: Foreign) =>
      `To, co bylo s vaší adresou odesláno do „${form}“, je smazáno. Tento formulář se vás už nebude ptát.`,
    over: 'Není co potvrzovat',
    nothing:
      'To, co bylo odesláno, nebylo včas potvrzeno nebo bylo smazáno. Pokud to stále chcete odeslat, vyplňte formulář znovu.',
  },

  page: {
    madeBy: (host: Foreign) => `Tento formulář vytvořil uživatel serveru ${host}.`,
    noPassword: 'Nikdy sem nezadávejte heslo.',
    report: 'Nahlásit tento formulář',
    online: 'Nebo vyplňte tento formulář online:',
  },

  challenge: {
    wait: 'Okamžik, prosím: vaše zpráva se odešle automaticky.',
    failed: (host: string) =>
      `Vaše zpráva nebyla odeslána, protože server ${host} neodpověděl. Zkuste to prosím znovu.`,
    noScript:
      'Kvůli ochraně před roboty funguje tento formulář jen s JavaScriptem. Povolte ho a načtěte stránku znovu.',
  },

  mail: {
    why: (hosts: readonly string[]) =>
      `Tento e-mail dostáváte, protože někdo zadal vaši adresu do formuláře na webu ${either(hosts)}.`,
    ignore: 'Pokud jste to nebyli vy, tento e-mail ignorujte.',
    stop: 'Zastavit zasílání všech e-mailů z tohoto serveru',
    size,
    file: (extension: string, bytes: number) => `${extension}, ${size(bytes)}`,
    empty: 'Prázdné',
    noName: 'Bez názvu',
    noFileName: 'Soubor bez názvu',
    moreFields: (count: number) => `Další pole: ${number(count)}`,
    more: (count: number) => `Další: ${number(count)}`,
    shortened: (count: number) => `Zkráceno. Celkový počet znaků: ${number(count)}`,
  },

  unsubscribe: {
    askAll: 'Zastavit zasílání všech e-mailů z tohoto serveru?',
    allWillStop: (address: Foreign) =>
      `Na adresu ${address} už nebudou chodit e-maily ze žádného formuláře tohoto serveru a nikdo ji nebude moci přidat k formuláři.`,
    ask: 'Zastavit zasílání těchto e-mailů?',
    willStop: (address: Foreign) =>
      `Na adresu ${address} už nebudou chodit e-maily o zprávách z tohoto formuláře. Vlastník formuláře ji může přidat znovu, pokud nezastavíte zasílání všech e-mailů z tohoto serveru.`,
    stop: 'Zastavit zasílání těchto e-mailů',
    stopAll: 'Zastavit zasílání všech e-mailů',
    stopped: 'Zasílání e-mailů zastaveno',
    allStopped: (address: Foreign) =>
      `Na adresu ${address} už nebudou chodit e-maily z tohoto serveru a nikdo ji nebude moci přidat k formuláři.`,
    formStopped: (address: Foreign, form: Foreign) =>
      `Na adresu ${address} už nebudou chodit e-maily o zprávách z formuláře „${form}“.`,
    thisStopped: (address: Foreign) => `Na adresu ${address} už nebudou chodit e-maily o tomto formuláři.`,
    allow: 'Znovu povolit zasílání e-mailů',
    allowed: 'Zasílání e-mailů je znovu povoleno',
    allAllowed: (address: Foreign) =>
      `Vlastníci formulářů mohou adresu ${address} znovu přidat k oznámením a formuláře na ni mohou posílat automatické odpovědi.`,
  },
} satisfies Texts
