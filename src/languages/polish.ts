import type { Foreign } from './foreign.ts'
import { formats } from './formats.ts'
import type { FoundKind, Texts } from './texts.ts'

const { size, moment, list, either, number } = formats('pl')

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
  other: 'do nich nie należy',
}

export const polish = {
  tag: 'pl',
  dir: 'ltr',

  thankYou: 'Dziękujemy',
  received: (form: Foreign) => `Wiadomość do „${form}” została odebrana.`,
  backTo: (host: Foreign) => `Powrót do ${host}`,

  titles: {
    notSent: 'Wiadomość nie została wysłana',
    early: 'Ten formularz nie jest jeszcze otwarty',
    closed: 'Ten formularz jest zamknięty',
    full: 'Brak wolnych miejsc w tym formularzu',
    noForm: 'Ten formularz nie istnieje',
    wrong: 'Coś poszło nie tak',
    badLink: 'Ten link nie działa',
    messagesOnly: 'Ten adres przyjmuje wiadomości',
  },

  reasons: {
    early: (at: number) => `Otwarcie: ${moment(at)}.`,
    over: (at: number) => `Zamknięto: ${moment(at)}.`,
    full: () => 'Nie przyjmuje już wiadomości.',
    closed: () => 'Obecnie nie przyjmuje wiadomości.',
    otherPage: (origin: Foreign) =>
      `Ten formularz nie przyjmuje wiadomości z ${origin}. Jeśli to Twoja witryna, dodaj ją do dozwolonych stron w ustawieniach formularza.`,
    unknownPage: () =>
      'Ten formularz przyjmuje wiadomości tylko z określonych stron, a przeglądarka nie podała, z której strony wysłano wiadomość.',
    unsolved: () =>
      'Aby chronić przed robotami, ten formularz wymaga krótkiego obliczenia, które przeglądarka wykonuje podczas pisania. Brakowało go, było zbyt stare albo zostało już użyte.',
    empty: () => 'Formularz był pusty.',
    malformed: () => 'Serwer nie mógł odczytać tego, co wysłała przeglądarka.',
    interrupted: () => 'Wiadomość nie dotarła w całości. Połączenie może być wolne lub zostało przerwane.',
    textTooLong: (most: number) =>
      `Wiadomość jest za długa. Maksymalny rozmiar tekstu w tym formularzu: ${size(most)}.`,
    filesTooLarge: (most: number) => `Pliki są za duże. Maksymalny łączny rozmiar w tym formularzu: ${size(most)}.`,
    fileTooLarge: (file: Foreign, most: number) =>
      `Plik „${file}” jest za duży. Maksymalny rozmiar pliku w tym formularzu: ${size(most)}.`,
    wrongKind: (file: Foreign, kinds: readonly string[], kind: FoundKind) =>
      `Ten formularz przyjmuje tylko ${list(kinds.map((one) => groups[one] ?? `pliki ${one}`))}, a „${file}” ${found[kind]}.`,
    tooManyFiles: (most: number) => `Za dużo plików. Maksymalna liczba w tym formularzu: ${number(most)}.`,
    noFiles: () => 'Ten formularz nie przyjmuje plików.',
    tooMany: () => 'Z tej sieci w krótkim czasie nadeszło zbyt wiele wiadomości.',
    tooManyBytes: () => 'Z tej sieci w krótkim czasie nadeszło zbyt wiele plików.',
    busy: () => 'Serwer jest teraz zbyt obciążony.',
    noDisk: () => 'Serwer nie może teraz przyjmować plików.',
    uncertain: () => 'Serwer nie wie, czy wiadomość została zapisana. Po ponownym wysłaniu może dotrzeć dwa razy.',
    noForm: () => 'Być może został usunięty.',
    internal: () => 'Na serwerze wystąpił błąd.',
    messagesOnly: () => 'Przyjmuje to, co wysyła formularz w witrynie, i niczego nie pokazuje.',
    badLink: () => 'Skopiuj cały link z wiadomości e-mail, aż do ostatniego znaku.',
  },

  next: {
    change: 'Wróć przyciskiem Wstecz w przeglądarce, aby to zmienić. Wpisany tekst nadal tam jest.',
    seconds:
      'Wróć przyciskiem Wstecz w przeglądarce, odczekaj kilka sekund i wyślij ponownie. Wpisany tekst nadal tam jest.',
    minute: 'Wróć przyciskiem Wstecz w przeglądarce i wyślij ponownie za minutę. Wpisany tekst nadal tam jest.',
    minutes:
      'Wróć przyciskiem Wstecz w przeglądarce i wyślij ponownie za dziesięć minut. Wpisany tekst nadal tam jest.',
    copy: 'Wysłana treść nie została zapisana. Aby zachować wpisany tekst, wróć przyciskiem Wstecz w przeglądarce i skopiuj go.',
    contact: 'Jeśli to nie pomoże, skontaktuj się z właścicielem witryny w inny sposób.',
    copyAndContact:
      'Wróć przyciskiem Wstecz w przeglądarce, aby skopiować wpisany tekst, i skontaktuj się z właścicielem witryny w inny sposób.',
    allowScript:
      'Jeśli JavaScript jest wyłączony w przeglądarce, skopiuj wpisany tekst, zezwól na JavaScript na tamtej stronie, wczytaj ją ponownie i wyślij.',
    maybeLost: 'Wiadomość mogła nie zostać zapisana.',
    later: 'Spróbuj ponownie za kilka minut.',
    withoutFiles: 'Możesz też wysłać wiadomość bez plików.',
    toForm: 'Aby napisać wiadomość, wróć na stronę z formularzem.',
  },

  fields: {
    error: (title: Foreign) => `Błąd: ${title}`,
    correct: 'Popraw to i wyślij ponownie. Wszystko inne, co wpisano, nadal tam jest.',
    fillIn: 'Wypełnij to pole.',
    chooseOne: 'Wybierz jedną z opcji.',
    chooseSome: 'Wybierz co najmniej jedną z opcji.',
    chooseOnly: 'Wybierz tylko spośród podanych opcji.',
    tick: 'Zaznacz to pole.',
    chooseFile: 'Wybierz plik.',
    oneOnly: 'Podaj tylko jedną odpowiedź.',
    textOnly: 'Wpisz to jako tekst.',
    email: 'Wpisz adres e-mail, na przykład ada@example.com.',
    tel: 'Wpisz numer telefonu zawierający co najmniej trzy cyfry.',
    url: 'Wpisz adres strony, na przykład https://example.com.',
    number: 'Wpisz liczbę, na przykład 1234 lub 1234,5.',
    date: 'Wpisz datę w tej postaci: 2026-12-31.',
    atLeast: (amount: string) => `Wpisz ${amount} lub więcej.`,
    atMost: (amount: string) => `Wpisz ${amount} lub mniej.`,
    earliest: (day: string) => `Najwcześniejsza data: ${day}.`,
    latest: (day: string) => `Najpóźniejsza data: ${day}.`,
    fewest: (amount: string) => `Liczba opcji do wyboru: co najmniej ${amount}.`,
    most: (amount: string) => `Liczba opcji do wyboru: najwyżej ${amount}.`,
    shortest: (amount: string) => `Minimalna liczba znaków: ${amount}.`,
    longest: (amount: string) => `Maksymalna liczba znaków: ${amount}.`,
    fileMissing: 'Plik nie dotarł. Wybierz go ponownie.',
    mostFiles: (amount: string) => `Liczba plików: najwyżej ${amount}.`,
    unknown: (name: Foreign) => `Ten formularz nie ma pola „${name}”, więc to nie zostanie wysłane.`,
    again: (file: Foreign) => `Wybierz ponownie „${file}”.`,
    optional: 'opcjonalne',
    choose: 'Wybierz…',
    other: 'Inne',
    otherAnswer: 'Inna odpowiedź',
    send: 'Wyślij',
  },

  page: {
    madeBy: (host: Foreign) => `Ten formularz utworzył użytkownik serwera ${host}.`,
    noPassword: 'Nigdy nie wpisuj tutaj hasła.',
    report: 'Zgłoś ten formularz',
    online: 'Można też wypełnić ten formularz online:',
  },

  challenge: {
    wait: 'Chwileczkę: wiadomość zostanie wysłana automatycznie.',
    failed: (host: string) => `Wiadomość nie została wysłana, ponieważ ${host} nie odpowiada. Spróbuj ponownie.`,
    noScript:
      'Aby chronić przed robotami, ten formularz działa tylko z JavaScriptem. Zezwól na niego i wczytaj stronę ponownie.',
  },

  mail: {
    why: (hosts: readonly string[]) =>
      `Ten e-mail został wysłany, ponieważ ktoś wpisał Twój adres w formularzu na ${either(hosts)}.`,
    ignore: 'Jeśli to pomyłka, zignoruj tę wiadomość.',
    stop: 'Zatrzymaj wszystkie e-maile z tego serwera',
    size,
    empty: 'Puste',
    noName: 'Bez nazwy',
    noFileName: 'Plik bez nazwy',
    moreFields: (count: number) => `Więcej pól: ${number(count)}`,
  },

  unsubscribe: {
    askAll: 'Zatrzymać wszystkie e-maile z tego serwera?',
    allWillStop: (address: Foreign) =>
      `Adres ${address} nie będzie otrzymywać e-maili z żadnego formularza tego serwera i nikt nie będzie mógł dodać go do formularza.`,
    ask: 'Zatrzymać te e-maile?',
    willStop: (address: Foreign) =>
      `Adres ${address} nie będzie otrzymywać e-maili o zgłoszeniach z tego formularza. Właściciel formularza może ponownie dodać adres, chyba że zostaną zatrzymane wszystkie e-maile z tego serwera.`,
    stop: 'Zatrzymaj te e-maile',
    stopAll: 'Zatrzymaj wszystkie e-maile',
    stopped: 'E-maile zatrzymane',
    allStopped: (address: Foreign) =>
      `Adres ${address} nie otrzymuje już e-maili z tego serwera i nikt nie może dodać go do formularza.`,
    formStopped: (address: Foreign, form: Foreign) =>
      `Adres ${address} nie otrzymuje już e-maili o zgłoszeniach z „${form}”.`,
    thisStopped: (address: Foreign) => `Adres ${address} nie otrzymuje już e-maili o tym formularzu.`,
    allow: 'Zezwól ponownie na e-maile',
    allowed: 'E-maile są znów dozwolone',
    allAllowed: (address: Foreign) =>
      `Właściciele formularzy mogą ponownie dodać ${address} do powiadomień, a formularze mogą wysyłać na ten adres automatyczne odpowiedzi.`,
  },
} satisfies Texts
