import type { Foreign } from './foreign.ts'
import { formats } from './formats.ts'
import type { FoundKind, Texts } from './texts.ts'

const { size, moment: plainMoment, day: plainDay, kinds: kindsOf, either, number, exact } = formats('uk')

/** Before a vowel it is `об`: `об 11:05`. */
const moment = (at: number): string => plainMoment(at).replace(' о 11:', ' об 11:')
/** Without the short `р.`, whose full stop would meet that of the sentence. */
const day = (date: string): string => plainDay(date).replace(/р\.$/, 'року')

const groups: Readonly<Record<string, string>> = {
  'image/*': 'зображення',
  'audio/*': 'аудіофайли',
  'video/*': 'відео',
  'text/*': 'текстові файли',
}

const found: Readonly<Record<FoundKind, string>> = {
  program: '— це програма',
  script: '— це скрипт',
  image: '— це зображення',
  pdf: '— це PDF',
  archive: '— це архів ZIP або документ',
  document: '— це документ Office',
  audio: '— це аудіофайл',
  video: '— це відео',
  other: 'до них не належить',
}

const misnamed = (format: string): string => `— це файл ${format} із неправильним розширенням`

const listed = (kinds: readonly string[]): string =>
  kindsOf(kinds, groups, (name, isFirst) => (isFirst ? `файли ${name}` : name))

const wrongKind =
  (taker: string) =>
  (file: Foreign, kinds: readonly string[], kind: FoundKind, format: string | null): string =>
    `${taker} приймає лише ${listed(kinds)}, а «${file}» ${format === null ? found[kind] : misnamed(format)}.`

export const ukrainian = {
  tag: 'uk',
  dir: 'ltr',
  space: ' ',
  labelled: (label: string, text: string) => `${label}: ${text}`,

  thankYou: 'Дякуємо',
  received: (form: Foreign) => `Ваше повідомлення з форми «${form}» отримано.`,
  backTo: (host: Foreign) => `Повернутися на ${host}`,
  typed: 'Ваш текст',

  titles: {
    notSent: 'Ваше повідомлення не надіслано',
    early: 'Цю форму ще не відкрито',
    closed: 'Цю форму закрито',
    full: 'Досягнуто ліміту повідомлень',
    noForm: 'Такої форми немає',
    wrong: 'Щось пішло не так',
    badLink: 'Це посилання не працює',
    messagesOnly: 'Ця адреса лише приймає повідомлення',
  },

  reasons: {
    early: (at: number) => `Її буде відкрито ${moment(at)}.`,
    over: (at: number) => `Її було закрито ${moment(at)}.`,
    full: () => 'Ця форма більше не приймає повідомлень.',
    closed: () => 'Наразі вона не приймає повідомлень.',
    otherPage: (origin: Foreign) =>
      `Ця форма не приймає повідомлень з адреси ${origin}. Якщо це ваш сайт, додайте його до дозволених сторінок у налаштуваннях форми.`,
    unknownPage: () =>
      'Ця форма приймає повідомлення лише з певних сторінок, а ваш браузер не вказав, якою сторінкою ви скористалися.',
    unsolved: () =>
      'Для захисту від роботів ця форма потребує короткого обчислення, яке ваш браузер виконує, поки ви пишете. Його не було, воно застаріло або його вже використано.',
    empty: () => 'Форма була порожня.',
    malformed: () => 'Сервер не зміг прочитати те, що надіслав ваш браузер.',
    interrupted: () => 'Ваше повідомлення надійшло не повністю. Можливо, з’єднання повільне або перервалося.',
    textTooLong: (most: number) => `Ваше повідомлення задовге: ця форма приймає до ${size(most)} тексту.`,
    filesTooLarge: (most: number) => `Ваші файли завеликі: ця форма приймає загалом до ${size(most)}.`,
    fileTooLarge: (file: Foreign, most: number) => `Файл «${file}» завеликий: ця форма приймає файли до ${size(most)}.`,
    wrongKind: wrongKind('Ця форма'),
    tooManyFiles: (most: number) => `Забагато файлів: ця форма приймає щонайбільше ${number(most)}.`,
    noFiles: () => 'Ця форма не приймає файлів.',
    tooMany: () => 'З вашої мережі за короткий час надійшло забагато повідомлень.',
    tooManyBytes: () => 'З вашої мережі за короткий час надійшло забагато файлів.',
    busy: () => 'Сервер зараз перевантажений.',
    noDisk: () => 'Сервер зараз не може приймати файли.',
    uncertain: () =>
      'Сервер не знає, чи збережено ваше повідомлення. Якщо надіслати його ще раз, воно може надійти двічі.',
    noForm: () => 'Можливо, її видалено.',
    internal: () => 'На сервері сталася помилка.',
    messagesOnly: () => 'Сюди надходять повідомлення з форми на сайті, переглядати тут нічого.',
    notPosted: (attribute: Foreign) =>
      `Форма на тій сторінці містить помилку: браузер додав ваш текст до адреси, і нічого не було збережено. Якщо це ваш сайт, додайте до форми ${attribute}.`,
    otherAddress: (address: Foreign) =>
      `Повідомлення для цієї форми надсилаються на іншу адресу: ${address}. Якщо це ваш сайт, виправте адресу, на яку надсилає його форма.`,
    badLink: () => 'Скопіюйте з листа все посилання, до останнього символу.',
  },

  next: {
    change: 'Поверніться кнопкою «Назад» у браузері, щоб виправити це. Усе, що ви ввели, залишилося на місці.',
    seconds:
      'Поверніться кнопкою «Назад» у браузері, зачекайте кілька секунд і надішліть ще раз. Усе, що ви ввели, залишилося на місці.',
    minute:
      'Поверніться кнопкою «Назад» у браузері та надішліть ще раз через хвилину. Усе, що ви ввели, залишилося на місці.',
    minutes:
      'Поверніться кнопкою «Назад» у браузері та надішліть ще раз через десять хвилин. Усе, що ви ввели, залишилося на місці.',
    copy: 'Надіслане не збережено. Щоб не втратити текст, поверніться кнопкою «Назад» у браузері та скопіюйте його.',
    contact: 'Якщо це не допоможе, зверніться до власника сайту в інший спосіб.',
    copyAndContact:
      'Поверніться кнопкою «Назад» у браузері, щоб скопіювати текст, і зверніться до власника сайту в інший спосіб.',
    allowScript:
      'Якщо JavaScript у браузері вимкнено, скопіюйте текст, дозвольте JavaScript для тієї сторінки, оновіть її та надішліть.',
    maybeLost: 'Можливо, ваше повідомлення не збережено.',
    later: 'Спробуйте ще раз через кілька хвилин.',
    withoutFiles: 'Або надішліть повідомлення без файлів.',
    toForm: 'Щоб написати повідомлення, поверніться на сторінку з формою.',
  },

  fields: {
    error: (title: Foreign) => `Помилка: ${title}`,
    correct: 'Виправте вказане нижче та надішліть форму ще раз. Усе інше, що ви ввели, залишилося на місці.',
    fillIn: 'Заповніть це поле.',
    chooseOne: 'Виберіть один із варіантів.',
    chooseSome: 'Виберіть щонайменше один із варіантів.',
    chooseOnly: 'Вибирайте лише із запропонованих варіантів.',
    optionFull: (option: Foreign) => `«${option}»: вільних місць немає. Виберіть інший варіант.`,
    repeated: 'Це вже надіслано. Надіслати можна лише один раз.',
    full: 'місць немає',
    placesLeft: (amount: number) => `вільних місць: ${number(amount)}`,
    tick: 'Поставте тут позначку.',
    chooseFile: 'Виберіть файл.',
    oneOnly: 'Дайте лише одну відповідь.',
    textOnly: 'Напишіть це текстом.',
    email: 'Введіть адресу електронної пошти, наприклад ada@example.com.',
    tel: 'Введіть номер телефону, у якому щонайменше три цифри.',
    url: 'Введіть вебадресу, наприклад https://example.com.',
    number: 'Введіть число, наприклад 1234 або 1234,5.',
    date: 'Введіть дату в такому вигляді: 2026-12-31.',
    atLeast: (amount: number) => `Введіть ${exact(amount)} або більше.`,
    atMost: (amount: number) => `Введіть ${exact(amount)} або менше.`,
    earliest: (date: string) => `Введіть дату не раніше ${day(date)}.`,
    latest: (date: string) => `Введіть дату не пізніше ${day(date)}.`,
    fewest: (amount: number) => `Виберіть щонайменше ${number(amount)} із запропонованих варіантів.`,
    most: (amount: number) => `Виберіть щонайбільше ${number(amount)} із запропонованих варіантів.`,
    shortest: (amount: number) => `Мінімальна кількість символів: ${number(amount)}.`,
    longest: (amount: number) => `Максимальна кількість символів: ${number(amount)}.`,
    fileMissing: 'Файл не надійшов. Виберіть його ще раз.',
    mostFiles: (amount: number) => `Максимальна кількість файлів: ${number(amount)}.`,
    wrongKind: wrongKind('Це поле'),
    unknown: (name: Foreign) => `У цій формі немає поля «${name}», тому це не буде надіслано.`,
    again: (file: Foreign) => `Виберіть «${file}» ще раз.`,
    optional: 'необов’язково',
    choose: 'Виберіть…',
    other: 'Інше',
    otherAnswer: 'Інша відповідь',
    send: 'Надіслати',
  },

  page: {
    madeBy: (host: Foreign) => `Цю форму створив користувач сервера ${host}.`,
    noPassword: 'Ніколи не вводьте тут пароль.',
    report: 'Поскаржитися на цю форму',
    online: 'Або заповніть цю форму онлайн:',
  },

  challenge: {
    wait: 'Зачекайте, будь ласка: ваше повідомлення буде надіслано автоматично.',
    failed: (host: string) => `Ваше повідомлення не надіслано, бо сервер ${host} не відповів. Спробуйте ще раз.`,
    noScript: 'Для захисту від роботів ця форма працює лише з JavaScript. Дозвольте його та оновіть сторінку.',
  },

  mail: {
    why: (hosts: readonly string[]) => `Ви отримали цей лист, бо хтось указав вашу адресу у формі на ${either(hosts)}.`,
    ignore: 'Якщо це були не ви, не зважайте на цей лист.',
    stop: 'Відмовитися від усіх листів із цього сервера',
    size,
    file: (extension: string, bytes: number) => `${extension}, ${size(bytes)}`,
    empty: 'Порожньо',
    noName: 'Без назви',
    noFileName: 'Файл без назви',
    moreFields: (count: number) => `Інших полів: ${number(count)}`,
    more: (count: number) => `Ще ${number(count)}`,
    shortened: (count: number) => `Скорочено. Усього символів: ${number(count)}`,
  },

  unsubscribe: {
    askAll: 'Відмовитися від усіх листів із цього сервера?',
    allWillStop: (address: Foreign) =>
      `На адресу ${address} більше не надходитимуть листи від жодної форми цього сервера, і ніхто не зможе додати її до форми.`,
    ask: 'Відмовитися від цих листів?',
    willStop: (address: Foreign) =>
      `На адресу ${address} більше не надходитимуть листи про повідомлення із цієї форми. Власник форми може знову додати адресу, якщо ви не відмовитеся від усіх листів із цього сервера.`,
    stop: 'Відмовитися від цих листів',
    stopAll: 'Відмовитися від усіх листів',
    stopped: 'Листи більше не надходитимуть',
    allStopped: (address: Foreign) =>
      `На адресу ${address} більше не надходитимуть листи із цього сервера, і ніхто не зможе додати її до форми.`,
    formStopped: (address: Foreign, form: Foreign) =>
      `На адресу ${address} більше не надходитимуть листи про повідомлення з форми «${form}».`,
    thisStopped: (address: Foreign) => `На адресу ${address} більше не надходитимуть листи про цю форму.`,
    allow: 'Знову дозволити листи',
    allowed: 'Листи знову дозволено',
    allAllowed: (address: Foreign) =>
      `Власники форм можуть знову додати адресу ${address} до сповіщень, а форми можуть надсилати на неї автоматичні відповіді.`,
  },
} satisfies Texts
