import type { Foreign } from './foreign.ts'
import { formats } from './formats.ts'
import type { FoundKind, Texts } from './texts.ts'

const { size, moment, list, either, number } = formats('es')

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
  archive: 'es un archivo ZIP o un documento',
  document: 'es un documento de Office',
  audio: 'es un archivo de audio',
  video: 'es un vídeo',
  other: 'no es de estos tipos',
}

export const spanish = {
  tag: 'es',
  dir: 'ltr',

  thankYou: 'Gracias',
  received: (form: Foreign) => `Hemos recibido su mensaje a «${form}».`,
  backTo: (host: Foreign) => `Volver a ${host}`,

  titles: {
    notSent: 'Su mensaje no se ha enviado',
    early: 'Este formulario aún no está abierto',
    closed: 'Este formulario está cerrado',
    full: 'Este formulario está completo',
    noForm: 'Este formulario no existe',
    wrong: 'Algo ha salido mal',
    badLink: 'Este enlace no funciona',
    messagesOnly: 'Esta dirección recibe mensajes',
  },

  reasons: {
    early: (at: number) => `Se abre el ${moment(at)}.`,
    over: (at: number) => `Se cerró el ${moment(at)}.`,
    full: () => 'Ya no acepta más mensajes.',
    closed: () => 'No acepta mensajes en este momento.',
    otherPage: (origin: Foreign) =>
      `Este formulario no acepta mensajes desde ${origin}. Si es su sitio web, añádalo a las páginas permitidas en los ajustes del formulario.`,
    unknownPage: () =>
      'Este formulario solo acepta mensajes de determinadas páginas y su navegador no ha indicado qué página ha utilizado.',
    unsolved: () =>
      'Para evitar robots, este formulario necesita un breve cálculo que su navegador hace mientras usted escribe. Faltaba, era demasiado antiguo o ya se había usado.',
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
    wrongKind: (file: Foreign, kinds: readonly string[], kind: FoundKind) =>
      `Este formulario solo acepta ${list(kinds.map((one) => groups[one] ?? `archivos ${one}`))}, y «${file}» ${found[kind]}.`,
    tooManyFiles: (most: number) => `Hay demasiados archivos. Máximo en este formulario: ${number(most)}.`,
    noFiles: () => 'Este formulario no acepta archivos.',
    tooMany: () => 'Han llegado demasiados mensajes desde su red en poco tiempo.',
    tooManyBytes: () => 'Han llegado demasiados archivos desde su red en poco tiempo.',
    busy: () => 'El servidor está demasiado ocupado en este momento.',
    noDisk: () => 'El servidor no puede aceptar archivos en este momento.',
    uncertain: () => 'El servidor no sabe si su mensaje se ha guardado. Si lo envía otra vez, puede llegar dos veces.',
    noForm: () => 'Es posible que se haya eliminado.',
    internal: () => 'Se ha producido un error en el servidor.',
    messagesOnly: () => 'Recibe lo que envía el formulario de un sitio web y no muestra nada.',
    badLink: () => 'Copie el enlace completo del correo electrónico, hasta el último carácter.',
  },

  next: {
    change: 'Vuelva atrás con el botón Atrás de su navegador para cambiarlo. Lo que ha escrito sigue ahí.',
    seconds:
      'Vuelva atrás con el botón Atrás de su navegador, espere unos segundos y envíelo de nuevo. Lo que ha escrito sigue ahí.',
    minute:
      'Vuelva atrás con el botón Atrás de su navegador y envíelo de nuevo dentro de un minuto. Lo que ha escrito sigue ahí.',
    minutes:
      'Vuelva atrás con el botón Atrás de su navegador y envíelo de nuevo dentro de diez minutos. Lo que ha escrito sigue ahí.',
    copy: 'Lo que ha enviado no se ha guardado. Para conservar su texto, vuelva atrás con el botón Atrás de su navegador y cópielo.',
    contact: 'Si esto no ayuda, contacte por otro medio con el responsable del sitio web.',
    copyAndContact:
      'Vuelva atrás con el botón Atrás de su navegador para copiar su texto y contacte por otro medio con el responsable del sitio web.',
    allowScript:
      'Si JavaScript está desactivado en su navegador, copie su texto, permita JavaScript en esa página, vuelva a cargarla y envíe.',
    maybeLost: 'Es posible que su mensaje no se haya guardado.',
    later: 'Inténtelo de nuevo dentro de unos minutos.',
    withoutFiles: 'O envíe su mensaje sin archivos.',
    toForm: 'Para escribir un mensaje, vuelva a la página del formulario.',
  },

  fields: {
    error: (title: Foreign) => `Error: ${title}`,
    correct: 'Corrija esto y envíe de nuevo. Todo lo demás que ha escrito sigue ahí.',
    fillIn: 'Rellene este campo.',
    chooseOne: 'Elija una de las opciones.',
    chooseSome: 'Elija al menos una de las opciones.',
    chooseOnly: 'Elija solo entre las opciones indicadas.',
    tick: 'Marque esta casilla.',
    chooseFile: 'Elija un archivo.',
    oneOnly: 'Dé una sola respuesta.',
    textOnly: 'Escriba esto como texto.',
    email: 'Introduzca una dirección de correo electrónico, por ejemplo ada@example.com.',
    tel: 'Introduzca un número de teléfono con al menos tres cifras.',
    url: 'Introduzca una dirección web, por ejemplo https://example.com.',
    number: 'Introduzca un número, por ejemplo 1234 o 1234,5.',
    date: 'Introduzca una fecha en este formato: 2026-12-31.',
    atLeast: (amount: string) => `Introduzca ${amount} o más.`,
    atMost: (amount: string) => `Introduzca ${amount} o menos.`,
    earliest: (day: string) => `Introduzca ${day} o una fecha posterior.`,
    latest: (day: string) => `Introduzca ${day} o una fecha anterior.`,
    fewest: (amount: string) => `Opciones que debe elegir: al menos ${amount}.`,
    most: (amount: string) => `Opciones que puede elegir: como máximo ${amount}.`,
    shortest: (amount: string) => `Longitud mínima en caracteres: ${amount}.`,
    longest: (amount: string) => `Longitud máxima en caracteres: ${amount}.`,
    fileMissing: 'El archivo no ha llegado. Elíjalo de nuevo.',
    mostFiles: (amount: string) => `Número de archivos: como máximo ${amount}.`,
    unknown: (name: Foreign) => `Este formulario no tiene ningún campo «${name}», por lo que esto no se enviará.`,
    again: (file: Foreign) => `Elija «${file}» de nuevo.`,
    optional: 'opcional',
    choose: 'Elija…',
    other: 'Otro',
    otherAnswer: 'Otra respuesta',
    send: 'Enviar',
  },

  page: {
    madeBy: (host: Foreign) => `Este formulario lo ha creado un usuario de ${host}.`,
    noPassword: 'Nunca introduzca una contraseña aquí.',
    report: 'Denunciar este formulario',
    online: 'O rellene este formulario en línea:',
  },

  challenge: {
    wait: 'Un momento: su mensaje se enviará automáticamente.',
    failed: (host: string) => `Su mensaje no se ha enviado porque ${host} no ha respondido. Inténtelo de nuevo.`,
    noScript:
      'Para evitar robots, este formulario solo funciona con JavaScript. Permítalo y vuelva a cargar esta página.',
  },

  mail: {
    why: (hosts: readonly string[]) =>
      `Recibe este correo porque alguien ha introducido su dirección en un formulario de ${either(hosts)}.`,
    ignore: 'Si no ha sido usted, ignore este correo.',
    stop: 'Dejar de recibir correos de este servidor',
    size,
    empty: 'Vacío',
    noName: 'Sin nombre',
    noFileName: 'Archivo sin nombre',
    moreFields: (count: number) => `Más campos: ${number(count)}`,
  },

  unsubscribe: {
    askAll: '¿Dejar de recibir todos los correos de este servidor?',
    allWillStop: (address: Foreign) =>
      `${address} no recibirá más correos de ningún formulario de este servidor y nadie podrá añadir la dirección a un formulario.`,
    ask: '¿Dejar de recibir estos correos?',
    willStop: (address: Foreign) =>
      `${address} no recibirá más correos sobre los envíos a este formulario. El propietario del formulario puede añadir la dirección de nuevo, salvo que usted detenga todos los correos de este servidor.`,
    stop: 'Detener estos correos',
    stopAll: 'Detener todos los correos',
    stopped: 'Correos detenidos',
    allStopped: (address: Foreign) =>
      `${address} ya no recibe correos de este servidor y nadie puede añadir la dirección a un formulario.`,
    formStopped: (address: Foreign, form: Foreign) => `${address} ya no recibe correos sobre los envíos a «${form}».`,
    thisStopped: (address: Foreign) => `${address} ya no recibe correos sobre este formulario.`,
    allow: 'Permitir los correos de nuevo',
    allowed: 'Los correos vuelven a estar permitidos',
    allAllowed: (address: Foreign) =>
      `Los propietarios de formularios pueden volver a añadir ${address} a sus notificaciones, y los formularios pueden enviarle respuestas automáticas.`,
  },
} satisfies Texts
