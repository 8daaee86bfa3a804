import type { Foreign } from './foreign.ts'
import { formats } from './formats.ts'
import type { FoundKind, Texts } from './texts.ts'

const { size, moment: plainMoment, day: plainDay, kinds: kindsOf, either, number, exact } = formats('pt')

/** The first day of a month is an ordinal: `1º de março`. */
const ordinal = (date: string): string => date.replace(/^1 /, '1º ')
const moment = (at: number): string => ordinal(plainMoment(at))
const day = (date: string): string => ordinal(plainDay(date))

const groups: Readonly<Record<string, string>> = {
  'image/*': 'imagens',
  'audio/*': 'arquivos de áudio',
  'video/*': 'vídeos',
  'text/*': 'arquivos de texto',
}

const found: Readonly<Record<FoundKind, string>> = {
  program: 'é um programa',
  script: 'é um script',
  image: 'é uma imagem',
  pdf: 'é um PDF',
  archive: 'é um arquivo ZIP ou um documento',
  document: 'é um documento do Office',
  audio: 'é um arquivo de áudio',
  video: 'é um vídeo',
  other: 'é de outro tipo',
}

const misnamed = (format: string): string => `é um arquivo ${format} com a extensão errada`

const listed = (kinds: readonly string[]): string =>
  kindsOf(kinds, groups, (name, isFirst) => (isFirst ? `arquivos ${name}` : name))

const wrongKind =
  (taker: string) =>
  (file: Foreign, kinds: readonly string[], kind: FoundKind, format: string | null): string =>
    `${taker} só aceita ${listed(kinds)}, mas “${file}” ${format === null ? found[kind] : misnamed(format)}.`

export const portuguese = {
  tag: 'pt',
  dir: 'ltr',
  space: ' ',
  labelled: (label: string, text: string) => `${label}: ${text}`,

  thankYou: 'Obrigado',
  received: (form: Foreign) => `Sua mensagem para “${form}” foi recebida.`,
  backTo: (host: Foreign) => `Voltar para ${host}`,
  typed: 'O que você digitou',

  titles: {
    notSent: 'Sua mensagem não foi enviada',
    early: 'Este formulário ainda não está aberto',
    closed: 'Este formulário está fechado',
    full: 'Este formulário não aceita mais mensagens',
    noForm: 'Este formulário não existe',
    wrong: 'Algo deu errado',
    badLink: 'Este link não funciona',
    messagesOnly: 'Este endereço serve apenas para receber mensagens',
  },

  reasons: {
    early: (at: number) => `Ele abre em ${moment(at)}.`,
    over: (at: number) => `Ele fechou em ${moment(at)}.`,
    full: () => 'O número máximo de mensagens foi atingido.',
    closed: () => 'Ele não aceita mensagens no momento.',
    otherPage: (origin: Foreign) =>
      `Este formulário não aceita mensagens enviadas de ${origin}. Se for o seu site, adicione-o às páginas permitidas nas configurações do formulário.`,
    unknownPage: () =>
      'Este formulário só aceita mensagens de determinadas páginas, e seu navegador não informou de qual página a sua foi enviada.',
    unsolved: () =>
      'Para barrar robôs, este formulário exige um breve cálculo, que seu navegador faz enquanto você digita. O cálculo estava ausente, era antigo demais ou já tinha sido usado.',
    empty: () => 'O formulário estava vazio.',
    malformed: () => 'O servidor não conseguiu ler o que seu navegador enviou.',
    interrupted: () => 'Sua mensagem não chegou por completo. Sua conexão pode estar lenta ou ter sido interrompida.',
    textTooLong: (most: number) => `Sua mensagem é longa demais: este formulário aceita até ${size(most)} de texto.`,
    filesTooLarge: (most: number) =>
      `Seus arquivos são grandes demais: este formulário aceita até ${size(most)} no total.`,
    fileTooLarge: (file: Foreign, most: number) =>
      `O arquivo “${file}” é grande demais: este formulário aceita arquivos de até ${size(most)}.`,
    wrongKind: wrongKind('Este formulário'),
    tooManyFiles: (most: number) => `Há arquivos demais. Número máximo neste formulário: ${number(most)}.`,
    noFiles: () => 'Este formulário não aceita arquivos.',
    tooMany: () => 'Chegaram mensagens demais da sua rede em pouco tempo.',
    tooManyBytes: () => 'Chegaram arquivos demais da sua rede em pouco tempo.',
    busy: () => 'O servidor está sobrecarregado no momento.',
    noDisk: () => 'O servidor não pode aceitar arquivos no momento.',
    uncertain: () => 'Não se sabe se sua mensagem foi salva. Se você a enviar novamente, ela poderá chegar duas vezes.',
    noForm: () => 'Talvez ele tenha sido excluído.',
    internal: () => 'Ocorreu um erro no servidor.',
    messagesOnly: () => 'É para cá que o formulário de um site envia suas mensagens. Não há nada para ver aqui.',
    notPosted: (attribute: Foreign) =>
      `O formulário dessa página tem um erro: o navegador colocou no endereço o que você digitou, e nada foi salvo. Se for o seu site, adicione ${attribute} ao formulário.`,
    otherAddress: (address: Foreign) =>
      `As mensagens para este formulário vão para outro endereço: ${address}. Se for o seu site, corrija o endereço para o qual o formulário envia.`,
    badLink: () => 'Copie o link completo do e-mail, até o último caractere.',
  },

  next: {
    change: 'Volte ao formulário com o botão Voltar do navegador para corrigir isso. O que você digitou continua lá.',
    seconds:
      'Volte ao formulário com o botão Voltar do navegador, aguarde alguns segundos e envie novamente. O que você digitou continua lá.',
    minute:
      'Volte ao formulário com o botão Voltar do navegador e envie novamente daqui a um minuto. O que você digitou continua lá.',
    minutes:
      'Volte ao formulário com o botão Voltar do navegador e envie novamente daqui a dez minutos. O que você digitou continua lá.',
    copy: 'Sua mensagem não foi salva. Para guardar seu texto, volte ao formulário com o botão Voltar do navegador e copie-o.',
    contact: 'Se o problema persistir, entre em contato com o responsável pelo site por outro meio.',
    copyAndContact:
      'Volte ao formulário com o botão Voltar do navegador, copie seu texto e entre em contato com o responsável pelo site por outro meio.',
    allowScript:
      'Se o JavaScript estiver desativado no navegador, copie seu texto, permita o JavaScript na página do formulário, recarregue-a e envie novamente.',
    maybeLost: 'Talvez sua mensagem não tenha sido salva.',
    later: 'Tente novamente daqui a alguns minutos.',
    withoutFiles: 'Ou envie sua mensagem sem arquivos.',
    toForm: 'Para escrever uma mensagem, volte à página com o formulário.',
  },

  fields: {
    error: (title: Foreign) => `Erro: ${title}`,
    correct: 'Corrija o que está indicado abaixo e envie novamente. O resto do que você digitou continua lá.',
    fillIn: 'Preencha este campo.',
    chooseOne: 'Escolha uma das opções indicadas.',
    chooseSome: 'Escolha pelo menos uma das opções indicadas.',
    chooseOnly: 'Escolha apenas entre as opções indicadas.',
    optionFull: (option: Foreign) => `“${option}” está esgotado. Escolha outra opção.`,
    repeated: 'Isto já foi enviado. Só pode ser enviado uma vez.',
    full: 'esgotado',
    placesLeft: (amount: number) => `vagas restantes: ${number(amount)}`,
    tick: 'Marque esta caixa.',
    chooseFile: 'Escolha um arquivo.',
    oneOnly: 'Dê apenas uma resposta.',
    textOnly: 'Digite um texto.',
    email: 'Digite um endereço de e-mail, por exemplo ada@example.com.',
    tel: 'Digite um número de telefone com pelo menos três dígitos.',
    url: 'Digite um endereço da web, por exemplo https://example.com.',
    number: 'Digite um número, por exemplo 1234 ou 1234,5.',
    date: 'Digite uma data neste formato: 2026-12-31.',
    atLeast: (amount: number) => `Digite um número maior ou igual a ${exact(amount)}.`,
    atMost: (amount: number) => `Digite um número menor ou igual a ${exact(amount)}.`,
    earliest: (date: string) => `A data não pode ser anterior a ${day(date)}.`,
    latest: (date: string) => `A data não pode ser posterior a ${day(date)}.`,
    fewest: (amount: number) => `Escolha no mínimo ${number(amount)}.`,
    most: (amount: number) => `Escolha no máximo ${number(amount)}.`,
    shortest: (amount: number) => `Número mínimo de caracteres: ${number(amount)}.`,
    longest: (amount: number) => `Número máximo de caracteres: ${number(amount)}.`,
    fileMissing: 'O arquivo não chegou. Escolha-o novamente.',
    mostFiles: (amount: number) => `Número máximo de arquivos: ${number(amount)}.`,
    wrongKind: wrongKind('Este campo'),
    unknown: (name: Foreign) => `Este formulário não tem o campo “${name}”, por isso este dado não será enviado.`,
    again: (file: Foreign) => `Escolha “${file}” novamente.`,
    optional: 'opcional',
    choose: 'Escolha…',
    other: 'Outra opção',
    otherAnswer: 'Outra resposta',
    send: 'Enviar',
  },

  confirm: {
    step: 'Mais um passo',
    look: 'Abra o link no e-mail que vai receber agora. Até lá, o que enviou não conta.',
    ask: 'Confirmar o seu endereço?',
    willCount: (form: Foreign) => `O que foi enviado para “${form}” com o seu endereço conta assim que o confirmar.`,
    waiting: (amount: number) => `Mensagens à espera: ${number(amount)}`,
    confirm: 'Confirmar',
    notMe: 'Não fui eu',
    willDelete:
      '“Não fui eu” apaga tudo o que está à espera. Depois, não receberá mais e-mails em que este formulário peça para confirmar o seu endereço.',
    confirmed: 'O seu endereço está confirmado',
    deleted: 'Tudo foi apagado',
    allDeleted: (form: Foreign) =>
      `O que foi enviado para “${form}” com o seu endereço foi apagado. Este formulário não voltará a perguntar.`,
    over: 'Não há nada a confirmar',
    nothing:
      'O que foi enviado não foi confirmado a tempo ou foi apagado. Se ainda quiser enviar, preencha o formulário novamente.',
  },

  page: {
    madeBy: (host: Foreign) => `Este formulário foi criado por um usuário de ${host}.`,
    noPassword: 'Nunca digite uma senha aqui.',
    report: 'Denunciar este formulário',
    online: 'Você também pode preencher este formulário on-line:',
  },

  challenge: {
    wait: 'Um momento: sua mensagem será enviada automaticamente.',
    failed: (host: string) => `Sua mensagem não foi enviada porque ${host} não respondeu. Tente novamente.`,
    noScript: 'Para barrar robôs, este formulário só funciona com JavaScript. Permita-o e recarregue esta página.',
  },

  mail: {
    why: (hosts: readonly string[]) =>
      `Você recebeu este e-mail porque alguém informou seu endereço em um formulário de ${either(hosts)}.`,
    ignore: 'Se não foi você, ignore este e-mail.',
    stop: 'Não receber mais e-mails deste servidor',
    size,
    file: (extension: string, bytes: number) => `${extension}, ${size(bytes)}`,
    empty: 'Vazio',
    noName: 'Sem nome',
    noFileName: 'Arquivo sem nome',
    moreFields: (count: number) => `Mais campos: ${number(count)}`,
    more: (count: number) => `Mais ${number(count)}`,
    shortened: (count: number) => `Texto cortado. Total de caracteres: ${number(count)}`,
  },

  unsubscribe: {
    askAll: 'Não receber mais e-mails deste servidor?',
    allWillStop: (address: Foreign) =>
      `${address} não receberá mais e-mails de nenhum formulário deste servidor, e ninguém poderá adicionar o endereço aos destinatários de um formulário.`,
    ask: 'Não receber mais estes e-mails?',
    willStop: (address: Foreign) =>
      `${address} não receberá mais e-mails sobre as mensagens enviadas por este formulário. O proprietário do formulário pode adicionar o endereço novamente, a menos que você recuse todos os e-mails deste servidor.`,
    stop: 'Não receber mais estes e-mails',
    stopAll: 'Não receber mais nenhum e-mail',
    stopped: 'Cancelamento confirmado',
    allStopped: (address: Foreign) =>
      `${address} não receberá mais e-mails deste servidor, e ninguém pode adicionar o endereço aos destinatários de um formulário.`,
    formStopped: (address: Foreign, form: Foreign) =>
      `${address} não receberá mais e-mails sobre as mensagens enviadas pelo formulário “${form}”.`,
    thisStopped: (address: Foreign) => `${address} não receberá mais e-mails sobre este formulário.`,
    allow: 'Permitir e-mails novamente',
    allowed: 'Os e-mails estão permitidos novamente',
    allAllowed: (address: Foreign) =>
      `Proprietários de formulários podem adicionar ${address} novamente às notificações, e os formulários podem enviar respostas automáticas a este endereço.`,
  },
} satisfies Texts
