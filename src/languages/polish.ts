import type { Foreign } from './foreign.ts'
import { formats } from './formats.ts'
import type { FoundKind, Texts } from './texts.ts'

const { size, moment: plainMoment, day, kinds: kindsOf, either, number, exact } = formats('pl')

/** Says that what follows the date is the time: `1 marca 2026, godz. 08:05`. */
const moment = (at: number): string => plainMoment(at).replace(/ (?=\d\d:)/, ', godz. ')

const groups: Readonly<Record<string, string>> = {
  'image/*': 'obrazy',
  'audio/*': 'pliki dźwiękowe',
  'video/*': 'filmy',
  'text/*': 'pliki tekstowe',
}

const found: Readonly<Record<FoundKind, string>> = {
  program: 'to program',
  script: 'to skrypt',
  image: 'to obraz',
  pdf: 'to plik PDF',
  archive: 'to archiwum ZIP lub dokument',
  document: 'to dokument pakietu Office',
  audio: 'to plik dźwiękowy',
  video: 'to film',
  other: 'jest plikiem innego typu',
}

const misnamed = (format: string): string => `to plik ${format} z niewłaściwym rozszerzeniem`

const listed = (kinds: readonly string[]): string =>
  kindsOf(kinds, groups, (name, isFirst) => (isFirst ? `pliki ${name}` : name))

const wrongKind =
  (taker: string) =>
  (file: Foreign, kinds: readonly string[], kind: FoundKind, format: string | null): string =>
    `${taker} przyjmuje tylko ${listed(kinds)}, a „${file}” ${format === null ? found[kind] : misnamed(format)}.`

export const polish = {
  tag: 'pl',
  dir: 'ltr',
  space: ' ',
  labelled: (label: string, text: string) => `${label}: ${text}`,

  thankYou: 'Dziękujemy',
  received: (form: Foreign) => `Wiadomość z formularza „${form}” dotarła.`,
  backTo: (host: Foreign) => `Powrót na stronę ${host}`,
  typed: 'Wpisany tekst',

  titles: {
    notSent: 'Wiadomość nie została wysłana',
    early: 'Ten formularz nie jest jeszcze otwarty',
    closed: 'Ten formularz jest zamknięty',
    full: 'Ten formularz nie przyjmuje już wiadomości',
    noForm: 'Ten formularz nie istnieje',
    wrong: 'Coś poszło nie tak',
    badLink: 'Ten link nie działa',
    messagesOnly: 'Ten adres służy tylko do odbierania wiadomości',
  },

  reasons: {
    early: (at: number) => `Data otwarcia: ${moment(at)}.`,
    over: (at: number) => `Data zamknięcia: ${moment(at)}.`,
    full: () => 'Osiągnięto maksymalną liczbę wiadomości.',
    closed: () => 'Obecnie nie przyjmuje wiadomości.',
    otherPage: (origin: Foreign) =>
      `Ten formularz nie przyjmuje wiadomości ze strony ${origin}. Jeśli to Twoja witryna, dodaj ją do dozwolonych stron w ustawieniach formularza.`,
    unknownPage: () =>
      'Ten formularz przyjmuje wiadomości tylko z określonych stron, a przeglądarka nie podała, z której strony wysłano wiadomość.',
    unsolved: () =>
      'W ramach ochrony przed robotami ten formularz wymaga krótkiego obliczenia, które przeglądarka wykonuje podczas pisania. Jego wyniku brakowało, był zbyt stary albo został już użyty.',
    empty: () => 'Formularz był pusty.',
    malformed: () => 'Serwer nie mógł odczytać tego, co wysłała przeglądarka.',
    interrupted: () => 'Wiadomość nie dotarła w całości. Połączenie może być wolne albo zostało przerwane.',
    textTooLong: (most: number) =>
      `Wiadomość jest za długa. Maksymalny rozmiar tekstu w tym formularzu: ${size(most)}.`,
    filesTooLarge: (most: number) => `Pliki są za duże. Maksymalny łączny rozmiar w tym formularzu: ${size(most)}.`,
    fileTooLarge: (file: Foreign, most: number) =>
      `Plik „${file}” jest za duży. Maksymalny rozmiar pliku w tym formularzu: ${size(most)}.`,
    wrongKind: wrongKind('Ten formularz'),
    tooManyFiles: (most: number) => `Za dużo plików. Maksymalna liczba w tym formularzu: ${number(most)}.`,
    noFiles: () => 'Ten formularz nie przyjmuje plików.',
    tooMany: () => 'Z Twojej sieci w krótkim czasie nadeszło zbyt wiele wiadomości.',
    tooManyBytes: () => 'Z Twojej sieci w krótkim czasie nadeszło zbyt wiele plików.',
    busy: () => 'Serwer jest teraz przeciążony.',
    noDisk: () => 'Serwer nie może teraz przyjmować plików.',
    uncertain: () => 'Nie wiadomo, czy wiadomość została zapisana. Jeśli wyślesz ją ponownie, może dotrzeć dwa razy.',
    noForm: () => 'Być może został usunięty.',
    internal: () => 'Na serwerze wystąpił błąd.',
    messagesOnly: () => 'Formularz na stronie internetowej wysyła tu swoje wiadomości. Nie ma tu nic do obejrzenia.',
    notPosted: (attribute: Foreign) =>
      `Formularz na tamtej stronie zawiera błąd: przeglądarka umieściła wpisany tekst w adresie i nic nie zostało zapisane. Jeśli to Twoja witryna, dodaj do formularza ${attribute}.`,
    otherAddress: (address: Foreign) =>
      `Wiadomości do tego formularza trafiają na inny adres: ${address}. Jeśli to Twoja witryna, popraw adres, na który wysyła jej formularz.`,
    badLink: () => 'Skopiuj cały link z wiadomości e-mail, aż do ostatniego znaku.',
  },

  next: {
    change: 'Wróć do formularza przyciskiem Wstecz w przeglądarce i popraw to. Wpisane dane nadal tam są.',
    seconds:
      'Wróć do formularza przyciskiem Wstecz w przeglądarce, odczekaj kilka sekund i wyślij wiadomość ponownie. Wpisane dane nadal tam są.',
    minute:
      'Wróć do formularza przyciskiem Wstecz w przeglądarce i wyślij wiadomość ponownie za minutę. Wpisane dane nadal tam są.',
    minutes:
      'Wróć do formularza przyciskiem Wstecz w przeglądarce i wyślij wiadomość ponownie za dziesięć minut. Wpisane dane nadal tam są.',
    copy: 'Wiadomość nie została zapisana. Aby zachować wpisany tekst, wróć do formularza przyciskiem Wstecz w przeglądarce i skopiuj go.',
    contact: 'Jeśli to nie pomoże, skontaktuj się z właścicielem witryny w inny sposób.',
    copyAndContact:
      'Wróć do formularza przyciskiem Wstecz w przeglądarce, skopiuj wpisany tekst i skontaktuj się z właścicielem witryny w inny sposób.',
    allowScript:
      'Jeśli obsługa JavaScriptu jest wyłączona w przeglądarce, skopiuj wpisany tekst, zezwól na JavaScript na stronie z formularzem, wczytaj ją ponownie i wyślij wiadomość jeszcze raz.',
    maybeLost: 'Wiadomość mogła nie zostać zapisana.',
    later: 'Spróbuj ponownie za kilka minut.',
    withoutFiles: 'Możesz też wysłać wiadomość bez plików.',
    toForm: 'Aby napisać wiadomość, wróć na stronę z formularzem.',
  },

  fields: {
    error: (title: Foreign) => `Błąd: ${title}`,
    correct: 'Popraw to, co wskazano poniżej, i wyślij formularz ponownie. Pozostałe wpisane dane zostały zachowane.',
    fillIn: 'Wypełnij to pole.',
    chooseOne: 'Wybierz jedną z podanych opcji.',
    chooseSome: 'Wybierz co najmniej jedną z podanych opcji.',
    chooseOnly: 'Wybierz tylko spośród podanych opcji.',
    optionFull: (option: Foreign) => `„${option}” – brak wolnych miejsc. Wybierz inną opcję.`,
    repeated: 'To już zostało wysłane. Można to wysłać tylko raz.',
    full: 'brak miejsc',
    placesLeft: (amount: number) => `wolne miejsca: ${number(amount)}`,
    tick: 'Zaznacz to pole.',
    chooseFile: 'Wybierz plik.',
    oneOnly: 'Podaj tylko jedną odpowiedź.',
    textOnly: 'Wpisz tekst.',
    email: 'Wpisz adres e-mail, na przykład ada@example.com.',
    tel: 'Wpisz numer telefonu zawierający co najmniej trzy cyfry.',
    url: 'Wpisz adres strony, na przykład https://example.com.',
    number: 'Wpisz liczbę, na przykład 1234 lub 1234,5.',
    date: 'Wpisz datę w takiej postaci: 2026-12-31.',
    atLeast: (amount: number) => `Wpisz liczbę nie mniejszą niż ${exact(amount)}.`,
    atMost: (amount: number) => `Wpisz liczbę nie większą niż ${exact(amount)}.`,
    earliest: (date: string) => `Wpisz datę nie wcześniejszą niż ${day(date)}.`,
    latest: (date: string) => `Wpisz datę nie późniejszą niż ${day(date)}.`,
    fewest: (amount: number) => `Minimalna liczba zaznaczonych opcji: ${number(amount)}.`,
    most: (amount: number) => `Maksymalna liczba zaznaczonych opcji: ${number(amount)}.`,
    shortest: (amount: number) => `Minimalna liczba znaków: ${number(amount)}.`,
    longest: (amount: number) => `Maksymalna liczba znaków: ${number(amount)}.`,
    fileMissing: 'Plik nie dotarł. Wybierz go ponownie.',
    mostFiles: (amount: number) => `Maksymalna liczba plików: ${number(amount)}.`,
    wrongKind: wrongKind('To pole'),
    unknown: (name: Foreign) => `Ten formularz nie ma pola „${name}”, więc te dane nie zostaną wysłane.`,
    again: (file: Foreign) => `Wybierz ponownie „${file}”.`,
    optional: 'opcjonalne',
    choose: 'Wybierz…',
    other: 'Inne',
    otherAnswer: 'Inna odpowiedź',
    send: 'Wyślij',
  },

  confirm: {
    step: 'Jeszcze jeden krok',
    look: 'Otwórz link w e-mailu, który teraz otrzymasz. Do tego czasu to, co zostało wysłane, się nie liczy.',
    ask: 'Potwierdzić swój adres?',
    willCount: (form: Foreign) =>
      `To, co wysłano do „${form}” z Twoim adresem, będzie się liczyć, gdy go potwierdzisz.`,
    waiting: (amount: number) => `Oczekujące wiadomości: ${number(amount)}`,
    confirm: 'Potwierdź',
    notMe: 'To nie ja',
    willDelete:
      '„To nie ja” usuwa wszystko, co czeka. Potem nie otrzymasz więcej e-maili, w których ten formularz prosi o potwierdzenie adresu.',
    confirmed: 'Twój adres jest potwierdzony',
    deleted: 'Wszystko usunięto',
    allDeleted: (form: Foreign) =>
      `To, co wysłano do „${form}” z Twoim adresem, zostało usunięte. Ten formularz nie zapyta ponownie.`,
    over: 'Nie ma nic do potwierdzenia',
    nothing:
      'To, co wysłano, nie zostało potwierdzone na czas lub zostało usunięte. Jeśli nadal chcesz to wysłać, wypełnij formularz jeszcze raz.',
  },

  page: {
    madeBy: (host: Foreign) => `Ten formularz utworzył użytkownik serwera ${host}.`,
    noPassword: 'Nigdy nie wpisuj tutaj hasła.',
    report: 'Zgłoś ten formularz',
    online: 'Można też wypełnić ten formularz online:',
  },

  challenge: {
    wait: 'Chwileczkę: wiadomość zostanie wysłana automatycznie.',
    failed: (host: string) =>
      `Wiadomość nie została wysłana, ponieważ serwer ${host} nie odpowiedział. Spróbuj ponownie.`,
    noScript:
      'W ramach ochrony przed robotami ten formularz działa tylko z obsługą JavaScriptu. Zezwól na JavaScript i wczytaj stronę ponownie.',
  },

  mail: {
    why: (hosts: readonly string[]) =>
      `Ten e-mail został wysłany, ponieważ ktoś wpisał Twój adres w formularzu na stronie ${either(hosts)}.`,
    ignore: 'Jeśli to nie Twoje zgłoszenie, zignoruj tę wiadomość.',
    stop: 'Zrezygnuj ze wszystkich e-maili z tego serwera',
    size,
    file: (extension: string, bytes: number) => `${extension}, ${size(bytes)}`,
    empty: 'Puste',
    noName: 'Bez nazwy',
    noFileName: 'Plik bez nazwy',
    moreFields: (count: number) => `Pozostałe pola: ${number(count)}`,
    more: (count: number) => `Pozostałe: ${number(count)}`,
    shortened: (count: number) => `Tekst skrócony. Łączna liczba znaków: ${number(count)}`,
  },

  unsubscribe: {
    askAll: 'Zrezygnować ze wszystkich e-maili z tego serwera?',
    allWillStop: (address: Foreign) =>
      `Adres ${address} nie będzie już otrzymywać e-maili z żadnego formularza tego serwera i nikt nie będzie mógł dodać go do odbiorców formularza.`,
    ask: 'Zrezygnować z tych e-maili?',
    willStop: (address: Foreign) =>
      `Adres ${address} nie będzie już otrzymywać e-maili o zgłoszeniach z tego formularza. Właściciel formularza może ponownie dodać adres, chyba że zrezygnujesz ze wszystkich e-maili z tego serwera.`,
    stop: 'Zrezygnuj z tych e-maili',
    stopAll: 'Zrezygnuj ze wszystkich e-maili',
    stopped: 'Rezygnacja przyjęta',
    allStopped: (address: Foreign) =>
      `Adres ${address} nie będzie już otrzymywać e-maili z tego serwera i nikt nie może dodać go do odbiorców formularza.`,
    formStopped: (address: Foreign, form: Foreign) =>
      `Adres ${address} nie będzie już otrzymywać e-maili o zgłoszeniach z formularza „${form}”.`,
    thisStopped: (address: Foreign) => `Adres ${address} nie będzie już otrzymywać e-maili o tym formularzu.`,
    allow: 'Zezwól ponownie na e-maile',
    allowed: 'E-maile są znów dozwolone',
    allAllowed: (address: Foreign) =>
      `Właściciele formularzy mogą ponownie dodać ${address} do powiadomień, a formularze mogą wysyłać na ten adres automatyczne odpowiedzi.`,
  },
} satisfies Texts
