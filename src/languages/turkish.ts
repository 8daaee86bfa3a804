import type { Foreign } from './foreign.ts'
import { formats } from './formats.ts'
import type { FoundKind, Texts } from './texts.ts'

const { size, moment, day, kinds: kindsOf, either, number, exact } = formats('tr')

const groups: Readonly<Record<string, string>> = {
  'image/*': 'resimler',
  'audio/*': 'ses dosyaları',
  'video/*': 'videolar',
  'text/*': 'metin dosyaları',
}

const found: Readonly<Record<FoundKind, string>> = {
  program: 'bir program',
  script: 'bir betik',
  image: 'bir resim',
  pdf: 'bir PDF',
  archive: 'bir ZIP arşivi veya belge',
  document: 'bir Office belgesi',
  audio: 'bir ses dosyası',
  video: 'bir video',
  other: 'bunlardan biri değil',
}

const misnamed = (format: string): string => `uzantısı yanlış bir ${format} dosyası`

const listed = (kinds: readonly string[]): string =>
  kindsOf(kinds, groups, (name, _isFirst, isLast) => (isLast ? `${name} dosyaları` : name))

const wrongKind =
  (taker: string) =>
  (file: Foreign, kinds: readonly string[], kind: FoundKind, format: string | null): string =>
    `${taker} yalnızca şunları kabul ediyor: ${listed(kinds)}. “${file}” ise ${format === null ? found[kind] : misnamed(format)}.`

export const turkish = {
  tag: 'tr',
  dir: 'ltr',
  space: ' ',
  labelled: (label: string, text: string) => `${label}: ${text}`,

  thankYou: 'Teşekkür ederiz',
  received: (form: Foreign) => `“${form}” formuna gönderdiğiniz mesaj alındı.`,
  backTo: (host: Foreign) => `${host} sitesine dön`,
  typed: 'Yazdıklarınız',

  titles: {
    notSent: 'Mesajınız gönderilmedi',
    early: 'Bu form henüz açılmadı',
    closed: 'Bu form kapalı',
    full: 'Bu formun kontenjanı doldu',
    noForm: 'Böyle bir form yok',
    wrong: 'Bir sorun oluştu',
    badLink: 'Bu bağlantı çalışmıyor',
    messagesOnly: 'Bu adres yalnızca mesaj alır',
  },

  reasons: {
    early: (at: number) => `Açılış zamanı: ${moment(at)}.`,
    over: (at: number) => `Kapanış zamanı: ${moment(at)}.`,
    full: () => 'Form artık mesaj kabul etmiyor.',
    closed: () => 'Şu anda mesaj kabul etmiyor.',
    otherPage: (origin: Foreign) =>
      `Bu form ${origin} adresinden mesaj kabul etmiyor. Bu sizin sitenizse formun ayarlarından izin verilen sayfalara ekleyin.`,
    unknownPage: () =>
      'Bu form yalnızca belirli sayfalardan mesaj kabul ediyor ve tarayıcınız hangi sayfayı kullandığınızı bildirmedi.',
    unsolved: () =>
      'Robotları uzak tutmak için bu form, siz yazarken tarayıcınızın yaptığı kısa bir hesaplamaya ihtiyaç duyar. Bu hesaplama yapılmamış, süresi geçmiş veya daha önce kullanılmış.',
    empty: () => 'Form boştu.',
    malformed: () => 'Sunucu, tarayıcınızın gönderdiği verileri okuyamadı.',
    interrupted: () => 'Mesajınız eksik ulaştı. Bağlantınız yavaş veya kesintili olabilir.',
    textTooLong: (most: number) => `Mesajınız çok uzun: bu form en fazla ${size(most)} metin kabul ediyor.`,
    filesTooLarge: (most: number) => `Dosyalarınız çok büyük: bu form toplamda en fazla ${size(most)} kabul ediyor.`,
    fileTooLarge: (file: Foreign, most: number) =>
      `“${file}” dosyası çok büyük: bu form en fazla ${size(most)} boyutunda dosya kabul ediyor.`,
    wrongKind: wrongKind('Bu form'),
    tooManyFiles: (most: number) => `Çok fazla dosya var: bu form en fazla ${number(most)} dosya kabul ediyor.`,
    noFiles: () => 'Bu form dosya kabul etmiyor.',
    tooMany: () => 'Ağınızdan kısa sürede çok fazla mesaj geldi.',
    tooManyBytes: () => 'Ağınızdan kısa sürede çok fazla dosya geldi.',
    busy: () => 'Sunucu şu anda çok yoğun.',
    noDisk: () => 'Sunucu şu anda dosya alamıyor.',
    uncertain: () =>
      'Sunucu, mesajınızın kaydedilip kaydedilmediğini bilmiyor. Yeniden gönderirseniz iki kez ulaşabilir.',
    noForm: () => 'Silinmiş olabilir.',
    internal: () => 'Sunucuda bir hata oluştu.',
    messagesOnly: () => 'Bir web sitesindeki form, mesajlarını buraya gönderir. Burada görüntülenecek bir şey yok.',
    notPosted: (attribute: Foreign) =>
      `O sayfadaki formda bir hata var: tarayıcınız yazdıklarınızı adrese ekledi ve hiçbir şey kaydedilmedi. Bu sizin sitenizse forma ${attribute} ekleyin.`,
    otherAddress: (address: Foreign) =>
      `Bu formun mesajları başka bir adrese gönderilir: ${address}. Bu sizin sitenizse formun gönderdiği adresi düzeltin.`,
    badLink: () => 'E-postadaki bağlantının tamamını, son karakterine kadar kopyalayın.',
  },

  next: {
    change: 'Tarayıcınızın geri düğmesiyle önceki sayfaya dönün ve düzeltin. Yazdıklarınız hâlâ orada.',
    seconds:
      'Tarayıcınızın geri düğmesiyle önceki sayfaya dönün, birkaç saniye bekleyin ve yeniden gönderin. Yazdıklarınız hâlâ orada.',
    minute:
      'Tarayıcınızın geri düğmesiyle önceki sayfaya dönün ve bir dakika sonra yeniden gönderin. Yazdıklarınız hâlâ orada.',
    minutes:
      'Tarayıcınızın geri düğmesiyle önceki sayfaya dönün ve on dakika sonra yeniden gönderin. Yazdıklarınız hâlâ orada.',
    copy: 'Gönderdikleriniz kaydedilmedi. Metninizi saklamak için tarayıcınızın geri düğmesiyle önceki sayfaya dönün ve metni kopyalayın.',
    contact: 'Bu işe yaramazsa site sahibine başka bir yolla ulaşın.',
    copyAndContact:
      'Metninizi kopyalamak için tarayıcınızın geri düğmesiyle önceki sayfaya dönün ve site sahibine başka bir yolla ulaşın.',
    allowScript:
      'Tarayıcınızda JavaScript kapalıysa metninizi kopyalayın, o sayfa için JavaScript’e izin verin, sayfayı yenileyin ve gönderin.',
    maybeLost: 'Mesajınız kaydedilmemiş olabilir.',
    later: 'Lütfen birkaç dakika sonra yeniden deneyin.',
    withoutFiles: 'Ya da mesajınızı dosyasız gönderin.',
    toForm: 'Mesaj yazmak için formun bulunduğu sayfaya dönün.',
  },

  fields: {
    error: (title: Foreign) => `Hata: ${title}`,
    correct: 'Aşağıdakileri düzeltin ve formu yeniden gönderin. Yazdığınız diğer her şey olduğu gibi duruyor.',
    fillIn: 'Bu alanı doldurun.',
    chooseOne: 'Seçeneklerden birini seçin.',
    chooseSome: 'Seçeneklerden en az birini seçin.',
    chooseOnly: 'Yalnızca listedeki seçenekler arasından seçin.',
    optionFull: (option: Foreign) => `“${option}” dolu. Başka bir seçenek seçin.`,
    repeated: 'Bu daha önce gönderildi. Yalnızca bir kez gönderilebilir.',
    full: 'dolu',
    placesLeft: (amount: number) => `kalan yer: ${number(amount)}`,
    tick: 'Bu kutuyu işaretleyin.',
    chooseFile: 'Bir dosya seçin.',
    oneOnly: 'Yalnızca bir yanıt verin.',
    textOnly: 'Bunu metin olarak yazın.',
    email: 'Bir e-posta adresi girin, örneğin ada@example.com.',
    tel: 'En az üç rakamlı bir telefon numarası girin.',
    url: 'Bir web adresi girin, örneğin https://example.com.',
    number: 'Bir sayı girin, örneğin 1234 veya 1234,5.',
    date: 'Şu biçimde bir tarih girin: 2026-12-31.',
    atLeast: (amount: number) => `${exact(amount)} veya daha büyük bir değer girin.`,
    atMost: (amount: number) => `${exact(amount)} veya daha küçük bir değer girin.`,
    earliest: (date: string) => `${day(date)} veya daha sonraki bir tarih girin.`,
    latest: (date: string) => `${day(date)} veya daha önceki bir tarih girin.`,
    fewest: (amount: number) => `En az ${number(amount)} seçenek seçin.`,
    most: (amount: number) => `En fazla ${number(amount)} seçenek seçin.`,
    shortest: (amount: number) => `En az ${number(amount)} karakter girin.`,
    longest: (amount: number) => `En fazla ${number(amount)} karakter girin.`,
    fileMissing: 'Dosya ulaşmadı. Yeniden seçin.',
    mostFiles: (amount: number) => `En fazla ${number(amount)} dosya seçin.`,
    wrongKind: wrongKind('Bu alan'),
    unknown: (name: Foreign) => `Bu formda “${name}” alanı yok, bu nedenle bu içerik gönderilmeyecek.`,
    again: (file: Foreign) => `“${file}” dosyasını yeniden seçin.`,
    optional: 'isteğe bağlı',
    choose: 'Seçin…',
    other: 'Diğer',
    otherAnswer: 'Başka bir yanıt',
    send: 'Gönder',
  },

  confirm: {
    step: 'Bir adım daha',
    look: 'Şimdi alacağınız e-postadaki bağlantıyı açın. Gönderdiğiniz, o zamana kadar sayılmaz.',
    ask: 'Adresiniz onaylansın mı?',
    willCount: (form: Foreign) => `Adresinizle “${form}” formuna gönderilen, siz onaylayınca sayılır.`,
    waiting: (amount: number) => `Bekleyen mesajlar: ${number(amount)}`,
    confirm: 'Onayla',
    notMe: 'Bu ben değildim',
    willDelete:
      '“Bu ben değildim” bekleyen her şeyi siler. Bundan sonra bu formdan adresinizi onaylamanızı isteyen e-posta almazsınız.',
    confirmed: 'Adresiniz onaylandı',
    deleted: 'Her şey silindi',
    allDeleted: (form: Foreign) => `Adresinizle “${form}” formuna gönderilen silindi. Bu form size bir daha sormaz.`,
    over: 'Onaylanacak bir şey yok',
    nothing:
      'Gönderilen zamanında onaylanmadı veya silindi. Hâlâ göndermek istiyorsanız lütfen formu yeniden doldurun.',
  },

  page: {
    madeBy: (host: Foreign) => `Bu form, bir ${host} kullanıcısı tarafından oluşturuldu.`,
    noPassword: 'Buraya asla parola girmeyin.',
    report: 'Bu formu bildir',
    online: 'Ya da bu formu çevrim içi doldurun:',
  },

  challenge: {
    wait: 'Lütfen bekleyin: mesajınız otomatik olarak gönderilecek.',
    failed: (host: string) => `${host} yanıt vermediği için mesajınız gönderilmedi. Lütfen yeniden deneyin.`,
    noScript:
      'Robotları uzak tutmak için bu form yalnızca JavaScript ile çalışır. Lütfen JavaScript’e izin verin ve bu sayfayı yenileyin.',
  },

  mail: {
    why: (hosts: readonly string[]) =>
      `Bu e-postayı, birisi adresinizi ${either(hosts)} sitesindeki bir forma girdiği için alıyorsunuz.`,
    ignore: 'Bunu yapan siz değilseniz bu e-postayı dikkate almayın.',
    stop: 'Bu sunucudan gelen tüm e-postaları durdur',
    size,
    file: (extension: string, bytes: number) => `${extension}, ${size(bytes)}`,
    empty: 'Boş',
    noName: 'Adsız',
    noFileName: 'Adsız dosya',
    moreFields: (count: number) => `${number(count)} alan daha`,
    more: (count: number) => `${number(count)} tane daha`,
    shortened: (count: number) => `Metin kısaltıldı. Toplam karakter sayısı: ${number(count)}`,
  },

  unsubscribe: {
    askAll: 'Bu sunucudan gelen tüm e-postalar durdurulsun mu?',
    allWillStop: (address: Foreign) =>
      `${address} artık bu sunucunun hiçbir formundan e-posta almayacak ve kimse bu adresi bir forma ekleyemeyecek.`,
    ask: 'Bu e-postalar durdurulsun mu?',
    willStop: (address: Foreign) =>
      `${address} artık bu forma gönderilenler hakkında e-posta almayacak. Bu sunucudan gelen tüm e-postaları durdurmazsanız form sahibi adresi yeniden ekleyebilir.`,
    stop: 'Bu e-postaları durdur',
    stopAll: 'Tüm e-postaları durdur',
    stopped: 'E-postalar durduruldu',
    allStopped: (address: Foreign) =>
      `${address} artık bu sunucudan e-posta almıyor ve kimse bu adresi bir forma ekleyemez.`,
    formStopped: (address: Foreign, form: Foreign) =>
      `${address} artık “${form}” formuna gönderilenler hakkında e-posta almıyor.`,
    thisStopped: (address: Foreign) => `${address} artık bu form hakkında e-posta almıyor.`,
    allow: 'E-postalara yeniden izin ver',
    allowed: 'E-postalara yeniden izin verildi',
    allAllowed: (address: Foreign) =>
      `Form sahipleri ${address} adresini yeniden bildirimlerine ekleyebilir ve formlar bu adrese otomatik yanıt gönderebilir.`,
  },
} satisfies Texts
