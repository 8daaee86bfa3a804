import type { Foreign } from './foreign.ts'
import { formats } from './formats.ts'
import type { FoundKind, Texts } from './texts.ts'

const { size, moment: plainMoment, day, kinds: kindsOf, either, number, exact } = formats('es')

/** One o’clock is singular: `a la 1:05`. */
const moment = (at: number): string => plainMoment(at).replace(' a las 1:', ' a la 1:')

const groups: Readonly<Record<string, string>> = {
  'image/*': 'imágenes',
  'audio/*': 'archivos de audio',
  'video/*': 'vídeos',
  'text/*': 'archivos de texto',
}

const found: Readonly<Record<FoundKind, string>> = {
  program: 'es un programa',
  script: 'es un script',
  image: 'es una imagen',
  pdf: 'es un PDF',
  archive: 'es un archivo comprimido ZIP o un documento',
  document: 'es un documento de Office',
  audio: 'es un archivo de audio',
  video: 'es un vídeo',
  other: 'es de otro tipo',
}

const misnamed = (format: string): string => `es un archivo ${format} con una extensión incorrecta`

const listed = (kinds: readonly string[]): string =>
  kindsOf(kinds, groups, (name, isFirst) => (isFirst ? `archivos ${name}` : name))

const wrongKind =
  (taker: string) =>
  (file: Foreign, kinds: readonly string[], kind: FoundKind, format: string | null): string =>
    `${taker} solo acepta ${listed(kinds)}, pero «${file}» ${format === null ? found[kind] : misnamed(format)}.`

export const spanish = {
  tag: 'es',
  dir: 'ltr',
  space: ' ',
  labelled: (label: string, text: string) => `${label}: ${text}`,

  thankYou: 'Gracias',
  received: (form: Foreign) => `Hemos recibido su mensaje para «${form}».`,
  backTo: (host: Foreign) => `Volver a ${host}`,
  typed: 'Lo que ha escrito',

  titles: {
    notSent: 'Su mensaje no se ha enviado',
    early: 'Este formulario aún no está abierto',
    closed: 'Este formulario está cerrado',
    full: 'Este formulario ya no acepta mensajes',
    noForm: 'Este formulario no existe',
    wrong: 'Se ha producido un error',
    badLink: 'Este enlace no funciona',
    messagesOnly: 'Esta dirección solo sirve para recibir mensajes',
  },

  reasons: {
    early: (at: number) => `Se abre el ${moment(at)}.`,
    over: (at: number) => `Se cerró el ${moment(at)}.`,
    full: () => 'Se ha alcanzado el número máximo de mensajes.',
    closed: () => 'No acepta mensajes en este momento.',
    otherPage: (origin: Foreign) =>
      `Este formulario no acepta mensajes enviados desde ${origin}. Si es su sitio web, añádalo a las páginas permitidas en los ajustes del formulario.`,
    unknownPage: () =>
      'Este formulario solo acepta mensajes de determinadas páginas y su navegador no ha indicado desde qué página se ha enviado el suyo.',
    unsolved: () =>
      'Como protección contra los robots, este formulario requiere un breve cálculo que su navegador realiza mientras usted escribe. El cálculo faltaba, era demasiado antiguo o ya se había usado.',
    empty: () => 'El formulario estaba vacío.',
    malformed: () => 'El servidor no ha podido leer lo que ha enviado su navegador.',
    interrupted: () =>
      'Su mensaje no ha llegado completo. Es posible que su conexión sea lenta o se haya interrumpido.',
    textTooLong: (most: number) =>
      `Su mensaje es demasiado largo: este formulario acepta hasta ${size(most)} de texto.`,
    filesTooLarge: (most: number) =>
      `Sus archivos son demasiado grandes: este formulario acepta hasta ${size(most)} en total.`,
    fileTooLarge: (file: Foreign, most: number) =>
      `El archivo «${file}» es demasiado grande: este formulario acepta archivos de hasta ${size(most)}.`,
    wrongKind: wrongKind('Este formulario'),
    tooManyFiles: (most: number) => `Hay demasiados archivos. Número máximo en este formulario: ${number(most)}.`,
    noFiles: () => 'Este formulario no acepta archivos.',
    tooMany: () => 'Han llegado demasiados mensajes desde su red en poco tiempo.',
    tooManyBytes: () => 'Han llegado demasiados archivos desde su red en poco tiempo.',
    busy: () => 'El servidor está saturado en este momento.',
    noDisk: () => 'El servidor no puede aceptar archivos en este momento.',
    uncertain: () => 'No se sabe si su mensaje se ha guardado. Si lo envía otra vez, es posible que llegue dos veces.',
    noForm: () => 'Es posible que se haya eliminado.',
    internal: () => 'El servidor ha tenido un problema.',
    messagesOnly: () => 'El formulario de un sitio web envía aquí sus mensajes. No hay nada que ver.',
    notPosted: (attribute: Foreign) =>
      `El formulario de esa página tiene un error: su navegador puso lo que usted escribió en la dirección y no se guardó nada. Si es su sitio web, añada ${attribute} al formulario.`,
    otherAddress: (address: Foreign) =>
      `Los mensajes para este formulario van a otra dirección: ${address}. Si es su sitio web, corrija la dirección a la que envía su formulario.`,
    badLink: () => 'Copie el enlace completo que aparece en el correo, hasta el último carácter.',
  },

  next: {
    change: 'Vuelva al formulario con el botón Atrás de su navegador para corregirlo. Lo que ha escrito sigue ahí.',
    seconds:
      'Vuelva al formulario con el botón Atrás de su navegador, espere unos segundos y envíe el mensaje de nuevo. Lo que ha escrito sigue ahí.',
    minute:
      'Vuelva al formulario con el botón Atrás de su navegador y envíe el mensaje de nuevo dentro de un minuto. Lo que ha escrito sigue ahí.',
    minutes:
      'Vuelva al formulario con el botón Atrás de su navegador y envíe el mensaje de nuevo dentro de diez minutos. Lo que ha escrito sigue ahí.',
    copy: 'Su mensaje no se ha guardado. Para conservar su texto, vuelva al formulario con el botón Atrás de su navegador y cópielo.',
    contact: 'Si el problema continúa, póngase en contacto con el responsable del sitio web por otro medio.',
    copyAndContact:
      'Vuelva al formulario con el botón Atrás de su navegador, copie su texto y póngase en contacto con el responsable del sitio web por otro medio.',
    allowScript:
      'Si JavaScript está desactivado en su navegador, copie su texto, permita JavaScript en la página del formulario, vuelva a cargarla y envíe el mensaje de nuevo.',
    maybeLost: 'Es posible que su mensaje no se haya guardado.',
    later: 'Inténtelo de nuevo dentro de unos minutos.',
    withoutFiles: 'O envíe su mensaje sin archivos.',
    toForm: 'Para escribir un mensaje, vuelva a la página del formulario.',
  },

  fields: {
    error: (title: Foreign) => `Error: ${title}`,
    correct: 'Corrija lo siguiente y envíe el formulario de nuevo. Todo lo demás que ha escrito sigue ahí.',
    fillIn: 'Rellene este campo.',
    chooseOne: 'Elija una de las opciones indicadas.',
    chooseSome: 'Elija al menos una de las opciones indicadas.',
    chooseOnly: 'Elija solo entre las opciones indicadas.',
    optionFull: (option: Foreign) => `«${option}» está completo. Elija otra opción.`,
    repeated: 'Esto ya se ha enviado. Solo se puede enviar una vez.',
    full: 'completo',
    placesLeft: (amount: number) => `plazas libres: ${number(amount)}`,
    tick: 'Marque esta casilla.',
    chooseFile: 'Elija un archivo.',
    oneOnly: 'Dé una sola respuesta.',
    textOnly: 'Introduzca un texto.',
    email: 'Introduzca una dirección de correo electrónico, por ejemplo ada@example.com.',
    tel: 'Introduzca un número de teléfono con al menos tres dígitos.',
    url: 'Introduzca una dirección web, por ejemplo https://example.com.',
    number: 'Introduzca un número, por ejemplo 1234 o 1234,5.',
    date: 'Introduzca una fecha en este formato: 2026-12-31.',
    atLeast: (amount: number) => `Introduzca un número igual o mayor que ${exact(amount)}.`,
    atMost: (amount: number) => `Introduzca un número igual o menor que ${exact(amount)}.`,
    earliest: (date: string) => `La fecha no puede ser anterior al ${day(date)}.`,
    latest: (date: string) => `La fecha no puede ser posterior al ${day(date)}.`,
    fewest: (amount: number) => `Elija al menos ${number(amount)}.`,
    most: (amount: number) => `Elija como máximo ${number(amount)}.`,
    shortest: (amount: number) => `Número mínimo de caracteres: ${number(amount)}.`,
    longest: (amount: number) => `Número máximo de caracteres: ${number(amount)}.`,
    fileMissing: 'El archivo no ha llegado. Vuelva a elegirlo.',
    mostFiles: (amount: number) => `Número máximo de archivos: ${number(amount)}.`,
    wrongKind: wrongKind('Este campo'),
    unknown: (name: Foreign) => `Este formulario no tiene ningún campo «${name}», por lo que este dato no se enviará.`,
    again: (file: Foreign) => `Vuelva a elegir «${file}».`,
    optional: 'opcional',
    choose: 'Elija…',
    other: 'Otra opción',
    otherAnswer: 'Otra respuesta',
    send: 'Enviar',
  },

  confirm: {
    step: 'Un paso más',
    look: 'Abra el enlace del correo que va a recibir. Hasta entonces, lo que ha enviado no cuenta.',
    ask: '¿Confirmar su dirección?',
    willCount: (form: Foreign) => `Lo que se envió a «${form}» con su dirección contará en cuanto la confirme.`,
    waiting: (amount: number) => `Mensajes en espera: ${number(amount)}`,
    confirm: 'Confirmar',
    notMe: 'No fui yo',
    willDelete:
      '«No fui yo» elimina todo lo que está en espera. Después no recibirá más correos en los que este formulario le pida confirmar su dirección.',
    confirmed: 'Su dirección está confirmada',
    deleted: 'Se ha eliminado todo',
    allDeleted: (form: Foreign) =>
      `Lo que se envió a «${form}» con su dirección se ha eliminado. Este formulario no volverá a preguntarle.`,
    over: 'No hay nada que confirmar',
    nothing:
      'Lo que se envió no se confirmó a tiempo o se ha eliminado. Si todavía quiere enviarlo, rellene de nuevo el formulario.',
  },

  page: {
    madeBy: (host: Foreign) => `Este formulario lo ha creado un usuario de ${host}.`,
    noPassword: 'No introduzca nunca una contraseña aquí.',
    report: 'Denunciar este formulario',
    online: 'También puede rellenar este formulario en línea:',
  },

  challenge: {
    wait: 'Un momento: su mensaje se enviará automáticamente.',
    failed: (host: string) => `Su mensaje no se ha enviado porque ${host} no ha respondido. Inténtelo de nuevo.`,
    noScript:
      'Como protección contra los robots, este formulario solo funciona con JavaScript. Permítalo y vuelva a cargar esta página.',
  },

  mail: {
    why: (hosts: readonly string[]) =>
      `Recibe este correo porque alguien ha introducido su dirección en un formulario de ${either(hosts)}.`,
    ignore: 'Si no ha sido usted, ignore este correo.',
    stop: 'Dejar de recibir correos de este servidor',
    size,
    file: (extension: string, bytes: number) => `${extension}, ${size(bytes)}`,
    empty: 'Vacío',
    noName: 'Sin nombre',
    noFileName: 'Archivo sin nombre',
    moreFields: (count: number) => `Más campos: ${number(count)}`,
    more: (count: number) => `${number(count)} más`,
    shortened: (count: number) => `Texto recortado. Total de caracteres: ${number(count)}`,
  },

  unsubscribe: {
    askAll: '¿Dejar de recibir correos de este servidor?',
    allWillStop: (address: Foreign) =>
      `${address} no recibirá más correos de ningún formulario de este servidor y nadie podrá añadir la dirección como destinataria de un formulario.`,
    ask: '¿Dejar de recibir estos correos?',
    willStop: (address: Foreign) =>
      `${address} no recibirá más correos sobre los mensajes enviados con este formulario. El propietario del formulario puede añadir la dirección de nuevo, salvo que usted rechace todos los correos de este servidor.`,
    stop: 'Dejar de recibir estos correos',
    stopAll: 'Dejar de recibir todos los correos',
    stopped: 'Baja confirmada',
    allStopped: (address: Foreign) =>
      `${address} ya no recibirá correos de este servidor y nadie puede añadir la dirección como destinataria de un formulario.`,
    formStopped: (address: Foreign, form: Foreign) =>
      `${address} ya no recibirá correos sobre los mensajes enviados con el formulario «${form}».`,
    thisStopped: (address: Foreign) => `${address} ya no recibirá correos sobre este formulario.`,
    allow: 'Permitir los correos de nuevo',
    allowed: 'Los correos vuelven a estar permitidos',
    allAllowed: (address: Foreign) =>
      `Los propietarios de formularios pueden volver a añadir ${address} a sus notificaciones, y los formularios pueden enviar respuestas automáticas a esta dirección.`,
  },
} satisfies Texts
