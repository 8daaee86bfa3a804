import type { Foreign } from './foreign.ts'
import { formats } from './formats.ts'
import type { FoundKind, Texts } from './texts.ts'

const { size, moment, day, kinds: kindsOf, either, number, exact } = formats('ar', 'long')

/** Before a date, whose hyphens would turn it around. */
const leftToRight = '\u200e'
/** Between Latin letters and a number, which would be read after them as if both were one Latin text. */
const rightToLeft = '\u200f'

const groups: Readonly<Record<string, string>> = {
  'image/*': 'الصور',
  'audio/*': 'الملفات الصوتية',
  'video/*': 'مقاطع الفيديو',
  'text/*': 'الملفات النصية',
}

const found: Readonly<Record<FoundKind, string>> = {
  program: 'برنامج',
  script: 'نص برمجي',
  image: 'صورة',
  pdf: 'ملف PDF',
  archive: 'أرشيف ZIP أو مستند',
  document: 'مستند Office',
  audio: 'ملف صوتي',
  video: 'مقطع فيديو',
  other: 'من نوع آخر',
}

const misnamed = (format: string): string => `ملف ${format} امتداده غير صحيح`

const listed = (kinds: readonly string[]): string =>
  kindsOf(kinds, groups, (name, isFirst) => (isFirst ? `ملفات ${name}` : name))

const wrongKind =
  (taker: string) =>
  (file: Foreign, kinds: readonly string[], kind: FoundKind, format: string | null): string =>
    `لا يقبل ${taker} سوى ${listed(kinds)}، أما الملف «${file}» فهو ${format === null ? found[kind] : misnamed(format)}.`

export const arabic = {
  tag: 'ar',
  dir: 'rtl',
  space: ' ',
  labelled: (label: string, text: string) => `${label}: ${text}`,

  thankYou: 'شكرًا لك',
  received: (form: Foreign) => `تم استلام رسالتك إلى «${form}».`,
  backTo: (host: Foreign) => `العودة إلى ${host}`,
  typed: 'ما كتبته',

  titles: {
    notSent: 'لم تُرسل رسالتك',
    early: 'لم يُفتح هذا النموذج بعد',
    closed: 'هذا النموذج مغلق',
    full: 'اكتمل عدد الرسائل في هذا النموذج',
    noForm: 'هذا النموذج غير موجود',
    wrong: 'حدث خطأ ما',
    badLink: 'هذا الرابط لا يعمل',
    messagesOnly: 'هذا العنوان لاستقبال الرسائل فقط',
  },

  reasons: {
    early: (at: number) => `سيُفتح يوم ${moment(at)}.`,
    over: (at: number) => `أُغلق يوم ${moment(at)}.`,
    full: () => 'لم يعد هذا النموذج يستقبل رسائل أخرى.',
    closed: () => 'لا يستقبل رسائل في الوقت الحالي.',
    otherPage: (origin: Foreign) =>
      `لا يستقبل هذا النموذج رسائل من ${origin}. إذا كان هذا موقعك، فيُرجى إضافته إلى الصفحات المسموح لها بالإرسال في إعدادات النموذج.`,
    unknownPage: () => 'يستقبل هذا النموذج الرسائل من صفحات معيّنة فقط، ولم يحدد متصفحك الصفحة التي استخدمتها.',
    unsolved: () =>
      'للحماية من الروبوتات، يحتاج هذا النموذج إلى عملية حسابية قصيرة يجريها متصفحك أثناء الكتابة. لم تصل نتيجتها أو انتهت صلاحيتها أو سبق استخدامها.',
    empty: () => 'كان النموذج فارغًا.',
    malformed: () => 'لم يتمكن الخادم من قراءة ما أرسله متصفحك.',
    interrupted: () => 'لم تصل رسالتك كاملة. قد يكون اتصالك بطيئًا أو متقطعًا.',
    textTooLong: (most: number) => `رسالتك طويلة جدًا: الحد الأقصى للنص في هذا النموذج هو ${size(most)}.`,
    filesTooLarge: (most: number) => `ملفاتك كبيرة جدًا: الحد الأقصى لها مجتمعةً في هذا النموذج هو ${size(most)}.`,
    fileTooLarge: (file: Foreign, most: number) =>
      `الملف «${file}» كبير جدًا: الحد الأقصى لحجم الملف في هذا النموذج هو ${size(most)}.`,
    wrongKind: wrongKind('هذا النموذج'),
    tooManyFiles: (most: number) => `عدد الملفات كبير جدًا. الحد الأقصى في هذا النموذج: ${number(most)}.`,
    noFiles: () => 'لا يقبل هذا النموذج أي ملفات.',
    tooMany: () => 'وصلت رسائل كثيرة جدًا من شبكتك في وقت قصير.',
    tooManyBytes: () => 'وصلت ملفات كثيرة جدًا من شبكتك في وقت قصير.',
    busy: () => 'الخادم مشغول جدًا في الوقت الحالي.',
    noDisk: () => 'لا يمكن للخادم استقبال ملفات في الوقت الحالي.',
    uncertain: () => 'لا يعرف الخادم ما إذا كانت رسالتك قد حُفظت. عند إرسالها مرة أخرى، قد تصل مرتين.',
    noForm: () => 'ربما حُذف.',
    internal: () => 'حدث خطأ في الخادم.',
    messagesOnly: () => 'تصل إليه الرسائل من نموذج في موقع ويب، وليس فيه ما يُعرض.',
    notPosted: (attribute: Foreign) =>
      `يوجد خطأ في النموذج في تلك الصفحة: وضع متصفحك ما كتبته في العنوان، ولم يُحفظ شيء. إذا كان هذا موقعك، فيُرجى إضافة ${attribute} إلى النموذج.`,
    otherAddress: (address: Foreign) =>
      `تُرسل الرسائل إلى هذا النموذج عبر عنوان آخر: ${address}. إذا كان هذا موقعك، فيُرجى تصحيح العنوان الذي يُرسل إليه نموذجه.`,
    badLink: () => 'يُرجى نسخ الرابط كاملًا من رسالة البريد الإلكتروني، حتى آخر حرف.',
  },

  next: {
    change: 'يُرجى الرجوع باستخدام زر الرجوع في المتصفح وتعديل ما يلزم. ما كتبته لا يزال موجودًا.',
    seconds:
      'يُرجى الرجوع باستخدام زر الرجوع في المتصفح والانتظار بضع ثوانٍ، ثم الإرسال مرة أخرى. ما كتبته لا يزال موجودًا.',
    minute: 'يُرجى الرجوع باستخدام زر الرجوع في المتصفح، ثم الإرسال مرة أخرى بعد دقيقة. ما كتبته لا يزال موجودًا.',
    minutes: 'يُرجى الرجوع باستخدام زر الرجوع في المتصفح، ثم الإرسال مرة أخرى بعد عشر دقائق. ما كتبته لا يزال موجودًا.',
    copy: 'لم يُحفظ ما أرسلته. للاحتفاظ بما كتبته، يُرجى الرجوع باستخدام زر الرجوع في المتصفح ونسخه.',
    contact: 'إذا لم ينجح ذلك، فيُرجى التواصل مع صاحب الموقع بطريقة أخرى.',
    copyAndContact: 'يُرجى الرجوع باستخدام زر الرجوع في المتصفح لنسخ ما كتبته، والتواصل مع صاحب الموقع بطريقة أخرى.',
    allowScript:
      'إذا كانت JavaScript معطّلة في متصفحك، فيُرجى نسخ ما كتبته، ثم السماح بها لتلك الصفحة وإعادة تحميلها وإرسال الرسالة.',
    maybeLost: 'ربما لم تُحفظ رسالتك.',
    later: 'يُرجى المحاولة مرة أخرى بعد بضع دقائق.',
    withoutFiles: 'ويمكن أيضًا إرسال الرسالة بدون ملفات.',
    toForm: 'لكتابة رسالة، يُرجى الرجوع إلى الصفحة التي تحتوي على النموذج.',
  },

  fields: {
    error: (title: Foreign) => `خطأ: ${title}`,
    correct: 'يُرجى تصحيح ما يلي ثم الإرسال مرة أخرى. كل ما كتبته غير ذلك لا يزال موجودًا.',
    fillIn: 'يُرجى ملء هذا الحقل.',
    chooseOne: 'يُرجى اختيار أحد الخيارات.',
    chooseSome: 'يُرجى اختيار خيار واحد على الأقل.',
    chooseOnly: 'يُرجى الاختيار من الخيارات المتاحة فقط.',
    optionFull: (option: Foreign) => `اكتملت الأماكن في «${option}». يُرجى اختيار خيار آخر.`,
    repeated: 'سبق إرسال هذه القيمة. لا يمكن إرسالها إلا مرة واحدة.',
    full: 'مكتمل',
    placesLeft: (amount: number) => `الأماكن المتبقية: ${number(amount)}`,
    tick: 'يُرجى وضع علامة في هذا المربع.',
    chooseFile: 'يُرجى اختيار ملف.',
    oneOnly: 'يُرجى تقديم إجابة واحدة فقط.',
    textOnly: 'يُرجى إدخال نص.',
    email: 'يُرجى إدخال عنوان بريد إلكتروني، مثل ada@example.com.',
    tel: 'يُرجى إدخال رقم هاتف يحتوي على ثلاثة أرقام على الأقل.',
    url: 'يُرجى إدخال عنوان موقع ويب، مثل https://example.com.',
    number: 'يُرجى إدخال عدد، مثل 1234 أو 1234.5.',
    date: `يُرجى إدخال تاريخ بهذه الصيغة: ${leftToRight}2026-12-31.`,
    atLeast: (amount: number) => `يُرجى إدخال ${exact(amount)} أو أكثر.`,
    atMost: (amount: number) => `يُرجى إدخال ${exact(amount)} أو أقل.`,
    earliest: (date: string) => `يُرجى إدخال ${day(date)} أو تاريخ بعده.`,
    latest: (date: string) => `يُرجى إدخال ${day(date)} أو تاريخ قبله.`,
    fewest: (amount: number) => `عدد الخيارات: ${number(amount)} على الأقل.`,
    most: (amount: number) => `عدد الخيارات: ${number(amount)} على الأكثر.`,
    shortest: (amount: number) => `الحد الأدنى لعدد الأحرف: ${number(amount)}.`,
    longest: (amount: number) => `الحد الأقصى لعدد الأحرف: ${number(amount)}.`,
    fileMissing: 'لم يصل الملف. يُرجى اختياره مرة أخرى.',
    mostFiles: (amount: number) => `عدد الملفات: ${number(amount)} على الأكثر.`,
    wrongKind: wrongKind('هذا الحقل'),
    unknown: (name: Foreign) => `لا يحتوي هذا النموذج على حقل «${name}»، لذلك لن يُرسل محتواه.`,
    again: (file: Foreign) => `يُرجى اختيار «${file}» مرة أخرى.`,
    optional: 'اختياري',
    choose: 'اختيار…',
    other: 'غير ذلك',
    otherAnswer: 'إجابة أخرى',
    send: 'إرسال',
  },

  confirm: {
    step: 'بقيت خطوة واحدة',
    look: 'افتح الرابط في رسالة البريد الإلكتروني التي ستصلك الآن. لن يُحتسب ما أرسلته قبل ذلك.',
    ask: 'هل تريد تأكيد عنوانك؟',
    willCount: (form: Foreign) => `سيُحتسب ما أُرسل إلى «${form}» بعنوانك بمجرد تأكيده.`,
    waiting: (amount: number) => `الرسائل المنتظرة: ${number(amount)}`,
    confirm: 'تأكيد',
    notMe: 'لم أكن أنا',
    willDelete: '«لم أكن أنا» يحذف كل ما ينتظر. بعد ذلك لن تصلك رسائل يطلب فيها هذا النموذج تأكيد عنوانك.',
    confirmed: 'تم تأكيد عنوانك',
    deleted: 'حُذف كل شيء',
    allDeleted: (form: Foreign) => `حُذف ما أُرسل إلى «${form}» بعنوانك. لن يسألك هذا النموذج مرة أخرى.`,
    over: 'لا يوجد ما يمكن تأكيده',
    nothing: 'لم يُؤكَّد ما أُرسل في الوقت المحدد، أو حُذف. إذا كنت لا تزال تريد إرساله، فاملأ النموذج مرة أخرى.',
  },

  page: {
    madeBy: (host: Foreign) => `أنشأ هذا النموذج أحد مستخدمي ${host}.`,
    noPassword: 'يُرجى عدم إدخال أي كلمة مرور هنا.',
    report: 'الإبلاغ عن هذا النموذج',
    online: 'أو يمكن ملء هذا النموذج عبر الإنترنت:',
  },

  challenge: {
    wait: 'لحظة من فضلك: ستُرسل رسالتك تلقائيًا.',
    failed: (host: string) => `لم تُرسل رسالتك لأن ${host} لم يستجب. يُرجى المحاولة مرة أخرى.`,
    noScript: 'للحماية من الروبوتات، لا يعمل هذا النموذج إلا مع JavaScript. يُرجى السماح بها وإعادة تحميل هذه الصفحة.',
  },

  mail: {
    why: (hosts: readonly string[]) => `وصلتك هذه الرسالة لأن شخصًا ما أدخل عنوانك في نموذج على ${either(hosts)}.`,
    ignore: 'إذا لم يكن ذلك منك، فيُرجى تجاهل هذه الرسالة.',
    stop: 'إيقاف جميع رسائل البريد الإلكتروني من هذا الخادم',
    size,
    file: (extension: string, bytes: number) => `${extension}${rightToLeft}، ${size(bytes)}`,
    empty: 'فارغ',
    noName: 'بلا اسم',
    noFileName: 'ملف بلا اسم',
    moreFields: (count: number) => `حقول أخرى: ${number(count)}`,
    more: (count: number) => `عناصر أخرى: ${number(count)}`,
    shortened: (count: number) => `النص مختصر. إجمالي عدد الأحرف: ${number(count)}`,
  },

  unsubscribe: {
    askAll: 'إيقاف جميع رسائل البريد الإلكتروني من هذا الخادم؟',
    allWillStop: (address: Foreign) =>
      `لن تصل إلى ${address} أي رسائل بريد إلكتروني من نماذج هذا الخادم، ولن يتمكن أحد من إضافة العنوان إلى نموذج.`,
    ask: 'إيقاف رسائل البريد الإلكتروني هذه؟',
    willStop: (address: Foreign) =>
      `لن تصل إلى ${address} رسائل بريد إلكتروني أخرى عن الردود على هذا النموذج. يمكن لصاحب النموذج إضافة العنوان مرة أخرى، إلا إذا أُوقفت جميع الرسائل من هذا الخادم.`,
    stop: 'إيقاف هذه الرسائل',
    stopAll: 'إيقاف جميع الرسائل',
    stopped: 'أُوقفت رسائل البريد الإلكتروني',
    allStopped: (address: Foreign) =>
      `لن تصل إلى ${address} رسائل بريد إلكتروني أخرى من هذا الخادم، ولن يتمكن أحد من إضافة العنوان إلى نموذج.`,
    formStopped: (address: Foreign, form: Foreign) =>
      `لن تصل إلى ${address} رسائل بريد إلكتروني أخرى عن الردود على «${form}».`,
    thisStopped: (address: Foreign) => `لن تصل إلى ${address} رسائل بريد إلكتروني أخرى عن هذا النموذج.`,
    allow: 'السماح برسائل البريد الإلكتروني مرة أخرى',
    allowed: 'أصبحت رسائل البريد الإلكتروني مسموحًا بها مرة أخرى',
    allAllowed: (address: Foreign) =>
      `يمكن لأصحاب النماذج إضافة ${address} إلى الإشعارات مرة أخرى، ويمكن للنماذج إرسال ردود تلقائية إليه.`,
  },
} satisfies Texts
