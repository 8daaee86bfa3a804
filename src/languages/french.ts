import type { Foreign } from './foreign.ts'
import { formats } from './formats.ts'
import type { FoundKind, Texts } from './texts.ts'

const { size, moment: plainMoment, day: plainDay, kinds: kindsOf, either, number, exact } = formats('fr')

/** The first day of a month is an ordinal: `1er mars`. */
const ordinal = (date: string): string => date.replace(/^1 /, '1er ')
const moment = (at: number): string => ordinal(plainMoment(at))
const day = (date: string): string => ordinal(plainDay(date))

const groups: Readonly<Record<string, string>> = {
  'image/*': 'les images',
  'audio/*': 'les fichiers audio',
  'video/*': 'les vidéos',
  'text/*': 'les fichiers texte',
}

const found: Readonly<Record<FoundKind, string>> = {
  program: 'est un programme',
  script: 'est un script',
  image: 'est une image',
  pdf: 'est un PDF',
  archive: 'est une archive ZIP ou un document',
  document: 'est un document Office',
  audio: 'est un fichier audio',
  video: 'est une vidéo',
  other: 'est d’un autre type',
}

const misnamed = (format: string): string => `est un fichier ${format} dont l’extension est incorrecte`

const listed = (kinds: readonly string[]): string =>
  kindsOf(kinds, groups, (name, isFirst) => (isFirst ? `les fichiers ${name}` : name))

const wrongKind =
  (taker: string) =>
  (file: Foreign, kinds: readonly string[], kind: FoundKind, format: string | null): string =>
    `${taker} n’accepte que ${listed(kinds)}, or « ${file} » ${format === null ? found[kind] : misnamed(format)}.`

export const french = {
  tag: 'fr',
  dir: 'ltr',
  space: ' ',
  labelled: (label: string, text: string) => `${label} : ${text}`,

  thankYou: 'Merci',
  received: (form: Foreign) => `Votre message pour « ${form} » a bien été reçu.`,
  backTo: (host: Foreign) => `Retour à ${host}`,
  typed: 'Votre saisie',

  titles: {
    notSent: 'Votre message n’a pas été envoyé',
    early: 'Ce formulaire n’est pas encore ouvert',
    closed: 'Ce formulaire est fermé',
    full: 'Ce formulaire n’accepte plus de messages',
    noForm: 'Ce formulaire n’existe pas',
    wrong: 'Une erreur s’est produite',
    badLink: 'Ce lien ne fonctionne pas',
    messagesOnly: 'Cette adresse sert uniquement à recevoir des messages',
  },

  reasons: {
    early: (at: number) => `Il ouvrira le ${moment(at)}.`,
    over: (at: number) => `Il a fermé le ${moment(at)}.`,
    full: () => 'Le nombre maximal de messages est atteint.',
    closed: () => 'Il n’accepte pas de messages pour le moment.',
    otherPage: (origin: Foreign) =>
      `Ce formulaire n’accepte pas les messages envoyés depuis ${origin}. S’il s’agit de votre site, ajoutez-le aux pages autorisées dans les paramètres du formulaire.`,
    unknownPage: () =>
      'Ce formulaire n’accepte que les messages de certaines pages, et votre navigateur n’a pas indiqué depuis quelle page le vôtre a été envoyé.',
    unsolved: () =>
      'Pour écarter les robots, ce formulaire demande un bref calcul que votre navigateur effectue pendant la saisie. Ce calcul manquait, était trop ancien ou avait déjà servi.',
    empty: () => 'Le formulaire était vide.',
    malformed: () => 'Le serveur n’a pas pu lire ce que votre navigateur a envoyé.',
    interrupted: () =>
      'Votre message n’est pas arrivé en entier. Votre connexion est peut-être lente ou a été interrompue.',
    textTooLong: (most: number) =>
      `Votre message est trop long : ce formulaire accepte jusqu’à ${size(most)} de texte.`,
    filesTooLarge: (most: number) =>
      `Vos fichiers sont trop volumineux : ce formulaire accepte jusqu’à ${size(most)} au total.`,
    fileTooLarge: (file: Foreign, most: number) =>
      `Le fichier « ${file} » est trop volumineux : ce formulaire accepte les fichiers jusqu’à ${size(most)}.`,
    wrongKind: wrongKind('Ce formulaire'),
    tooManyFiles: (most: number) => `Il y a trop de fichiers. Nombre maximal pour ce formulaire : ${number(most)}.`,
    noFiles: () => 'Ce formulaire n’accepte pas de fichiers.',
    tooMany: () => 'Trop de messages sont arrivés de votre réseau en peu de temps.',
    tooManyBytes: () => 'Trop de fichiers sont arrivés de votre réseau en peu de temps.',
    busy: () => 'Le serveur est surchargé pour le moment.',
    noDisk: () => 'Le serveur ne peut pas recevoir de fichiers pour le moment.',
    uncertain: () =>
      'Il n’est pas certain que votre message ait été enregistré. Si vous le renvoyez, il pourrait arriver deux fois.',
    noForm: () => 'Il a peut-être été supprimé.',
    internal: () => 'Le serveur a rencontré un problème.',
    messagesOnly: () => 'Le formulaire d’un site web y envoie ses messages. Il n’y a rien à voir ici.',
    notPosted: (attribute: Foreign) =>
      `Le formulaire de cette page contient une erreur\u202f: votre navigateur a placé votre saisie dans l’adresse, et rien n’a été enregistré. S’il s’agit de votre site, ajoutez ${attribute} au formulaire.`,
    otherAddress: (address: Foreign) =>
      `Les messages destinés à ce formulaire doivent être envoyés à une autre adresse\u202f: ${address}. S’il s’agit de votre site, corrigez l’adresse à laquelle son formulaire envoie.`,
    badLink: () => 'Copiez le lien complet qui figure dans l’e-mail, jusqu’au dernier caractère.',
  },

  next: {
    change:
      'Revenez au formulaire avec le bouton Précédent de votre navigateur pour corriger. Votre saisie est conservée.',
    seconds:
      'Revenez au formulaire avec le bouton Précédent de votre navigateur, attendez quelques secondes et renvoyez votre message. Votre saisie est conservée.',
    minute:
      'Revenez au formulaire avec le bouton Précédent de votre navigateur et renvoyez votre message dans une minute. Votre saisie est conservée.',
    minutes:
      'Revenez au formulaire avec le bouton Précédent de votre navigateur et renvoyez votre message dans dix minutes. Votre saisie est conservée.',
    copy: 'Votre message n’a pas été enregistré. Pour conserver votre texte, revenez au formulaire avec le bouton Précédent de votre navigateur et copiez-le.',
    contact: 'Si le problème persiste, contactez le responsable du site par un autre moyen.',
    copyAndContact:
      'Revenez au formulaire avec le bouton Précédent de votre navigateur, copiez votre texte et contactez le responsable du site par un autre moyen.',
    allowScript:
      'Si JavaScript est désactivé dans votre navigateur, copiez votre texte, autorisez JavaScript pour la page du formulaire, rechargez-la et renvoyez votre message.',
    maybeLost: 'Votre message n’a peut-être pas été enregistré.',
    later: 'Veuillez réessayer dans quelques minutes.',
    withoutFiles: 'Ou envoyez votre message sans fichiers.',
    toForm: 'Pour écrire un message, retournez à la page du formulaire.',
  },

  fields: {
    error: (title: Foreign) => `Erreur : ${title}`,
    correct: 'Corrigez ce qui suit et renvoyez le formulaire. Le reste de votre saisie est conservé.',
    fillIn: 'Remplissez ce champ.',
    chooseOne: 'Choisissez l’une des options proposées.',
    chooseSome: 'Choisissez au moins une des options proposées.',
    chooseOnly: 'Choisissez uniquement parmi les options proposées.',
    optionFull: (option: Foreign) => `« ${option} » est complet. Choisissez une autre option.`,
    repeated: 'Cette réponse a déjà été envoyée. Elle ne peut l’être qu’une fois.',
    full: 'complet',
    placesLeft: (amount: number) => `places restantes : ${number(amount)}`,
    tick: 'Cochez cette case.',
    chooseFile: 'Choisissez un fichier.',
    oneOnly: 'Ne donnez qu’une seule réponse.',
    textOnly: 'Saisissez du texte.',
    email: 'Saisissez une adresse e-mail, par exemple ada@example.com.',
    tel: 'Saisissez un numéro de téléphone d’au moins trois chiffres.',
    url: 'Saisissez une adresse web, par exemple https://example.com.',
    number: 'Saisissez un nombre, par exemple 1234 ou 1234,5.',
    date: 'Saisissez une date au format suivant : 2026-12-31.',
    atLeast: (amount: number) => `Saisissez un nombre supérieur ou égal à ${exact(amount)}.`,
    atMost: (amount: number) => `Saisissez un nombre inférieur ou égal à ${exact(amount)}.`,
    earliest: (date: string) => `La date ne peut pas être antérieure au ${day(date)}.`,
    latest: (date: string) => `La date ne peut pas être postérieure au ${day(date)}.`,
    fewest: (amount: number) => `Choisissez-en au moins ${number(amount)}.`,
    most: (amount: number) => `Choisissez-en ${number(amount)} au maximum.`,
    shortest: (amount: number) => `Nombre minimal de caractères : ${number(amount)}.`,
    longest: (amount: number) => `Nombre maximal de caractères : ${number(amount)}.`,
    fileMissing: 'Le fichier n’est pas arrivé. Choisissez-le à nouveau.',
    mostFiles: (amount: number) => `Nombre maximal de fichiers : ${number(amount)}.`,
    wrongKind: wrongKind('Ce champ'),
    unknown: (name: Foreign) => `Ce formulaire n’a pas de champ « ${name} » : cette saisie ne sera donc pas envoyée.`,
    again: (file: Foreign) => `Choisissez à nouveau « ${file} ».`,
    optional: 'facultatif',
    choose: 'Choisissez…',
    other: 'Autre',
    otherAnswer: 'Autre réponse',
    send: 'Envoyer',
  },

  confirm: {
    step: 'Encore une étape',
    look: 'Ouvrez le lien dans l’e-mail que vous allez recevoir. D’ici là, votre envoi n’est pas pris en compte.',
    ask: 'Confirmer votre adresse ?',
    willCount: (form: Foreign) =>
      `Ce qui a été envoyé à « ${form} » avec votre adresse sera pris en compte dès que vous la confirmerez.`,
    waiting: (amount: number) => `Messages en attente : ${number(amount)}`,
    confirm: 'Confirmer',
    notMe: 'Ce n’était pas moi',
    willDelete:
      '« Ce n’était pas moi » supprime tout ce qui est en attente. Vous ne recevrez plus d’e-mails de ce formulaire demandant de confirmer votre adresse.',
    confirmed: 'Votre adresse est confirmée',
    deleted: 'Tout est supprimé',
    allDeleted: (form: Foreign) =>
      `Ce qui a été envoyé à « ${form} » avec votre adresse est supprimé. Ce formulaire ne vous demandera plus rien.`,
    over: 'Il n’y a rien à confirmer',
    nothing:
      'L’envoi n’a pas été confirmé à temps, ou il a été supprimé. Si vous souhaitez toujours l’envoyer, remplissez à nouveau le formulaire.',
  },

  page: {
    madeBy: (host: Foreign) => `Ce formulaire a été créé par un utilisateur de ${host}.`,
    noPassword: 'Ne saisissez jamais de mot de passe ici.',
    report: 'Signaler ce formulaire',
    online: 'Vous pouvez aussi remplir ce formulaire en ligne :',
  },

  challenge: {
    wait: 'Un instant : votre message sera envoyé automatiquement.',
    failed: (host: string) => `Votre message n’a pas été envoyé, car ${host} n’a pas répondu. Veuillez réessayer.`,
    noScript:
      'Pour écarter les robots, ce formulaire ne fonctionne qu’avec JavaScript. Veuillez l’autoriser et recharger cette page.',
  },

  mail: {
    why: (hosts: readonly string[]) =>
      `Vous recevez cet e-mail parce que quelqu’un a saisi votre adresse dans un formulaire sur ${either(hosts)}.`,
    ignore: 'Si ce n’était pas vous, ignorez cet e-mail.',
    stop: 'Ne plus recevoir d’e-mails de ce serveur',
    size,
    file: (extension: string, bytes: number) => `${extension}, ${size(bytes)}`,
    empty: 'Vide',
    noName: 'Sans nom',
    noFileName: 'Fichier sans nom',
    moreFields: (count: number) => `Autres champs : ${number(count)}`,
    more: (count: number) => `${number(count)} de plus`,
    shortened: (count: number) => `Texte tronqué. Nombre total de caractères : ${number(count)}`,
  },

  unsubscribe: {
    askAll: 'Ne plus recevoir d’e-mails de ce serveur ?',
    allWillStop: (address: Foreign) =>
      `${address} ne recevra plus d’e-mails d’aucun formulaire de ce serveur, et personne ne pourra ajouter cette adresse aux destinataires d’un formulaire.`,
    ask: 'Ne plus recevoir ces e-mails ?',
    willStop: (address: Foreign) =>
      `${address} ne recevra plus d’e-mails concernant les messages envoyés via ce formulaire. Le propriétaire du formulaire pourra ajouter de nouveau cette adresse, sauf si vous refusez tous les e-mails de ce serveur.`,
    stop: 'Ne plus recevoir ces e-mails',
    stopAll: 'Ne plus recevoir aucun e-mail',
    stopped: 'Désinscription confirmée',
    allStopped: (address: Foreign) =>
      `${address} ne recevra plus d’e-mails de ce serveur, et personne ne peut ajouter cette adresse aux destinataires d’un formulaire.`,
    formStopped: (address: Foreign, form: Foreign) =>
      `${address} ne recevra plus d’e-mails concernant les messages envoyés via le formulaire « ${form} ».`,
    thisStopped: (address: Foreign) => `${address} ne recevra plus d’e-mails concernant ce formulaire.`,
    allow: 'Autoriser de nouveau les e-mails',
    allowed: 'Les e-mails sont de nouveau autorisés',
    allAllowed: (address: Foreign) =>
      `Les propriétaires de formulaires peuvent de nouveau ajouter ${address} à leurs notifications, et les formulaires peuvent envoyer des réponses automatiques à cette adresse.`,
  },
} satisfies Texts
