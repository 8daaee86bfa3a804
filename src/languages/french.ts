import type { Foreign } from './foreign.ts'
import { formats } from './formats.ts'
import type { FoundKind, Texts } from './texts.ts'

const { size, moment, list, either, number } = formats('fr')

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
  other: 'n’en fait pas partie',
}

export const french = {
  tag: 'fr',
  dir: 'ltr',

  thankYou: 'Merci',
  received: (form: Foreign) => `Votre message à « ${form} » a bien été reçu.`,
  backTo: (host: Foreign) => `Retour à ${host}`,

  titles: {
    notSent: 'Votre message n’a pas été envoyé',
    early: 'Ce formulaire n’est pas encore ouvert',
    closed: 'Ce formulaire est fermé',
    full: 'Ce formulaire est complet',
    noForm: 'Ce formulaire n’existe pas',
    wrong: 'Une erreur s’est produite',
    badLink: 'Ce lien ne fonctionne pas',
    messagesOnly: 'Cette adresse reçoit des messages',
  },

  reasons: {
    early: (at: number) => `Il ouvrira le ${moment(at)}.`,
    over: (at: number) => `Il a fermé le ${moment(at)}.`,
    full: () => 'Il n’accepte plus de messages.',
    closed: () => 'Il n’accepte pas de messages pour le moment.',
    otherPage: (origin: Foreign) =>
      `Ce formulaire n’accepte pas de messages depuis ${origin}. S’il s’agit de votre site, ajoutez-le aux pages autorisées dans les paramètres du formulaire.`,
    unknownPage: () =>
      'Ce formulaire n’accepte que les messages de certaines pages, et votre navigateur n’a pas indiqué la page que vous avez utilisée.',
    unsolved: () =>
      'Pour écarter les robots, ce formulaire demande un bref calcul que votre navigateur effectue pendant la saisie. Il était absent, trop ancien ou déjà utilisé.',
    empty: () => 'Le formulaire était vide.',
    malformed: () => 'Le serveur n’a pas pu lire ce que votre navigateur a envoyé.',
    interrupted: () => 'Votre message n’est pas arrivé en entier. Votre connexion est peut-être lente ou interrompue.',
    textTooLong: (most: number) =>
      `Votre message est trop long : ce formulaire accepte jusqu’à ${size(most)} de texte.`,
    filesTooLarge: (most: number) =>
      `Vos fichiers sont trop volumineux : ce formulaire accepte jusqu’à ${size(most)} au total.`,
    fileTooLarge: (file: Foreign, most: number) =>
      `Le fichier « ${file} » est trop volumineux : ce formulaire accepte les fichiers jusqu’à ${size(most)}.`,
    wrongKind: (file: Foreign, kinds: readonly string[], kind: FoundKind) =>
      `Ce formulaire n’accepte que ${list(kinds.map((one) => groups[one] ?? `les fichiers ${one}`))}, et « ${file} » ${found[kind]}.`,
    tooManyFiles: (most: number) => `Il y a trop de fichiers. Nombre maximal pour ce formulaire : ${number(most)}.`,
    noFiles: () => 'Ce formulaire n’accepte pas de fichiers.',
    tooMany: () => 'Trop de messages sont arrivés de votre réseau en peu de temps.',
    tooManyBytes: () => 'Trop de fichiers sont arrivés de votre réseau en peu de temps.',
    busy: () => 'Le serveur est trop occupé pour le moment.',
    noDisk: () => 'Le serveur ne peut pas recevoir de fichiers pour le moment.',
    uncertain: () =>
      'Le serveur ne sait pas si votre message a été enregistré. Si vous le renvoyez, il pourrait arriver deux fois.',
    noForm: () => 'Il a peut-être été supprimé.',
    internal: () => 'Une erreur s’est produite sur le serveur.',
    messagesOnly: () => 'Elle reçoit ce qu’envoie le formulaire d’un site web et n’affiche rien.',
    badLink: () => 'Copiez le lien entier depuis l’e-mail, jusqu’au dernier caractère.',
  },

  next: {
    change:
      'Revenez en arrière avec le bouton Précédent de votre navigateur pour corriger. Ce que vous avez saisi est toujours là.',
    seconds:
      'Revenez en arrière avec le bouton Précédent de votre navigateur, attendez quelques secondes et renvoyez votre message. Ce que vous avez saisi est toujours là.',
    minute:
      'Revenez en arrière avec le bouton Précédent de votre navigateur et renvoyez votre message dans une minute. Ce que vous avez saisi est toujours là.',
    minutes:
      'Revenez en arrière avec le bouton Précédent de votre navigateur et renvoyez votre message dans dix minutes. Ce que vous avez saisi est toujours là.',
    copy: 'Ce que vous avez envoyé n’a pas été enregistré. Pour conserver votre texte, revenez en arrière avec le bouton Précédent de votre navigateur et copiez-le.',
    contact: 'Si cela ne suffit pas, contactez le responsable du site par un autre moyen.',
    copyAndContact:
      'Revenez en arrière avec le bouton Précédent de votre navigateur pour copier votre texte, et contactez le responsable du site par un autre moyen.',
    allowScript:
      'Si JavaScript est désactivé dans votre navigateur, copiez votre texte, autorisez JavaScript pour cette page, rechargez-la et envoyez.',
    maybeLost: 'Votre message n’a peut-être pas été enregistré.',
    later: 'Veuillez réessayer dans quelques minutes.',
    withoutFiles: 'Ou envoyez votre message sans fichiers.',
    toForm: 'Pour écrire un message, retournez à la page du formulaire.',
  },

  fields: {
    error: (title: Foreign) => `Erreur : ${title}`,
    correct: 'Corrigez ceci et renvoyez. Tout le reste de votre saisie est toujours là.',
    fillIn: 'Remplissez ce champ.',
    chooseOne: 'Choisissez l’une des options.',
    chooseSome: 'Choisissez au moins une des options.',
    chooseOnly: 'Choisissez uniquement parmi les options.',
    tick: 'Cochez cette case.',
    chooseFile: 'Choisissez un fichier.',
    oneOnly: 'Donnez une seule réponse.',
    textOnly: 'Écrivez ceci sous forme de texte.',
    email: 'Saisissez une adresse e-mail, par exemple ada@example.com.',
    tel: 'Saisissez un numéro de téléphone d’au moins trois chiffres.',
    url: 'Saisissez une adresse web, par exemple https://example.com.',
    number: 'Saisissez un nombre, par exemple 1234 ou 1234,5.',
    date: 'Saisissez une date sous cette forme : 2026-12-31.',
    atLeast: (amount: string) => `Saisissez ${amount} ou plus.`,
    atMost: (amount: string) => `Saisissez ${amount} ou moins.`,
    earliest: (day: string) => `Date possible à partir du ${day}.`,
    latest: (day: string) => `Date possible jusqu’au ${day}.`,
    fewest: (amount: string) => `Nombre d’options à choisir : ${amount} au minimum.`,
    most: (amount: string) => `Nombre d’options à choisir : ${amount} au maximum.`,
    shortest: (amount: string) => `Nombre minimal de caractères : ${amount}.`,
    longest: (amount: string) => `Nombre maximal de caractères : ${amount}.`,
    fileMissing: 'Le fichier n’est pas arrivé. Choisissez-le à nouveau.',
    mostFiles: (amount: string) => `Nombre de fichiers : ${amount} au maximum.`,
    unknown: (name: Foreign) => `Ce formulaire n’a pas de champ « ${name} » : ceci ne sera donc pas envoyé.`,
    again: (file: Foreign) => `Choisissez à nouveau « ${file} ».`,
    optional: 'facultatif',
    choose: 'Choisissez…',
    other: 'Autre',
    otherAnswer: 'Une autre réponse',
    send: 'Envoyer',
  },

  page: {
    madeBy: (host: Foreign) => `Ce formulaire a été créé par un utilisateur de ${host}.`,
    noPassword: 'Ne saisissez jamais de mot de passe ici.',
    report: 'Signaler ce formulaire',
    online: 'Ou remplissez ce formulaire en ligne :',
  },

  challenge: {
    wait: 'Un instant : votre message sera envoyé automatiquement.',
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
    empty: 'Vide',
    noName: 'Sans nom',
    noFileName: 'Fichier sans nom',
    moreFields: (count: number) => `Autres champs : ${number(count)}`,
  },

  unsubscribe: {
    askAll: 'Ne plus recevoir d’e-mails de ce serveur ?',
    allWillStop: (address: Foreign) =>
      `${address} ne recevra plus d’e-mails d’aucun formulaire de ce serveur, et personne ne pourra l’ajouter à un formulaire.`,
    ask: 'Ne plus recevoir ces e-mails ?',
    willStop: (address: Foreign) =>
      `${address} ne recevra plus d’e-mails sur les envois à ce formulaire. Le propriétaire du formulaire pourra ajouter de nouveau l’adresse, sauf si vous arrêtez tous les e-mails de ce serveur.`,
    stop: 'Arrêter ces e-mails',
    stopAll: 'Arrêter tous les e-mails',
    stopped: 'E-mails arrêtés',
    allStopped: (address: Foreign) =>
      `${address} ne reçoit plus d’e-mails de ce serveur, et personne ne peut l’ajouter à un formulaire.`,
    formStopped: (address: Foreign, form: Foreign) =>
      `${address} ne reçoit plus d’e-mails sur les envois à « ${form} ».`,
    thisStopped: (address: Foreign) => `${address} ne reçoit plus d’e-mails sur ce formulaire.`,
    allow: 'Autoriser de nouveau les e-mails',
    allowed: 'Les e-mails sont de nouveau autorisés',
    allAllowed: (address: Foreign) =>
      `Les propriétaires de formulaires peuvent de nouveau ajouter ${address} à leurs notifications, et les formulaires peuvent y envoyer des réponses automatiques.`,
  },
} satisfies Texts
