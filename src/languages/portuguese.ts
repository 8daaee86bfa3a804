import type { Foreign } from './foreign.ts'
import { formats } from './formats.ts'
import type { FoundKind, Texts } from './texts.ts'

const { size, moment, list, either, number } = formats('pt')

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
  other: 'não é um deles',
}

export const portuguese = {
  tag: 'pt',
  dir: 'ltr',

  thankYou: 'Obrigado',
  received: (form: Foreign) => `Sua mensagem para “${form}” foi recebida.`,
  backTo: (host: Foreign) => `Voltar para ${host}`,

  titles: {
    notSent: 'Sua mensagem não foi enviada',
    early: 'Este formulário ainda não está aberto',
    closed: 'Este formulário está fechado',
    full: 'Este formulário está lotado',
    noForm: 'Este formulário não existe',
    wrong: 'Algo deu errado',
    badLink: 'Este link não funciona',
    messagesOnly: 'Este endereço recebe mensagens',
  },

  reasons: {
    early: (at: number) => `Ele abre em ${moment(at)}.`,
    over: (at: number) => `Ele fechou em ${moment(at)}.`,
    full: () => 'Ele não aceita mais mensagens.',
    closed: () => 'Ele não aceita mensagens no momento.',
    otherPage: (origin: Foreign) =>
      `Este formulário não aceita mensagens de ${origin}. Se este é o seu site, adicione-o às páginas permitidas nas configurações do formulário.`,
    unknownPage: () =>
      'Este formulário só aceita mensagens de determinadas páginas, e seu navegador não informou qual página você usou.',
    unsolved: () =>
      'Para afastar robôs, este formulário precisa de um breve cálculo que seu navegador faz enquanto você digita. Ele estava ausente, era antigo demais ou já havia sido usado.',
    empty: () => 'O formulário estava vazio.',
    malformed: () => 'O servidor não conseguiu ler o que seu navegador enviou.',
    interrupted: () => 'Sua mensagem não chegou por completo. Sua conexão pode estar lenta ou ter sido interrompida.',
    textTooLong: (most: number) => `Sua mensagem é longa demais: este formulário aceita até ${size(most)} de texto.`,
    filesTooLarge: (most: number) =>
      `Seus arquivos são grandes demais: este formulário aceita até ${size(most)} no total.`,
    fileTooLarge: (file: Foreign, most: number) =>
      `O arquivo “${file}” é grande demais: este formulário aceita arquivos de até ${size(most)}.`,
    wrongKind: (file: Foreign, kinds: readonly string[], kind: FoundKind) =>
      `Este formulário só aceita ${list(kinds.map((one) => groups[one] ?? `arquivos ${one}`))}, e “${file}” ${found[kind]}.`,
    tooManyFiles: (most: number) => `Há arquivos demais. Máximo neste formulário: ${number(most)}.`,
    noFiles: () => 'Este formulário não aceita arquivos.',
    tooMany: () => 'Chegaram mensagens demais da sua rede em pouco tempo.',
    tooManyBytes: () => 'Chegaram arquivos demais da sua rede em pouco tempo.',
    busy: () => 'O servidor está ocupado demais no momento.',
    noDisk: () => 'O servidor não pode aceitar arquivos no momento.',
    uncertain: () =>
      'O servidor não sabe se sua mensagem foi armazenada. Se você a enviar de novo, ela poderá chegar duas vezes.',
    noForm: () => 'Ele pode ter sido excluído.',
    internal: () => 'Ocorreu um erro no servidor.',
    messagesOnly: () => 'Ele recebe o que o formulário de um site envia e não mostra nada.',
    badLink: () => 'Copie o link inteiro do e-mail, até o último caractere.',
  },

  next: {
    change: 'Volte com o botão Voltar do navegador para alterar. O que você digitou ainda está lá.',
    seconds:
      'Volte com o botão Voltar do navegador, aguarde alguns segundos e envie de novo. O que você digitou ainda está lá.',
    minute:
      'Volte com o botão Voltar do navegador e envie de novo daqui a um minuto. O que você digitou ainda está lá.',
    minutes:
      'Volte com o botão Voltar do navegador e envie de novo daqui a dez minutos. O que você digitou ainda está lá.',
    copy: 'O que você enviou não foi armazenado. Para guardar seu texto, volte com o botão Voltar do navegador e copie-o.',
    contact: 'Se isso não resolver, entre em contato com o responsável pelo site de outra forma.',
    copyAndContact:
      'Volte com o botão Voltar do navegador para copiar seu texto e entre em contato com o responsável pelo site de outra forma.',
    allowScript:
      'Se o JavaScript estiver desativado no navegador, copie seu texto, permita JavaScript para aquela página, recarregue-a e envie.',
    maybeLost: 'Sua mensagem pode não ter sido armazenada.',
    later: 'Tente de novo daqui a alguns minutos.',
    withoutFiles: 'Ou envie sua mensagem sem arquivos.',
    toForm: 'Para escrever uma mensagem, volte à página com o formulário.',
  },

  fields: {
    error: (title: Foreign) => `Erro: ${title}`,
    correct: 'Corrija isto e envie de novo. Todo o resto que você digitou ainda está lá.',
    fillIn: 'Preencha este campo.',
    chooseOne: 'Escolha uma das opções.',
    chooseSome: 'Escolha pelo menos uma das opções.',
    chooseOnly: 'Escolha apenas entre as opções indicadas.',
    tick: 'Marque esta caixa.',
    chooseFile: 'Escolha um arquivo.',
    oneOnly: 'Dê apenas uma resposta.',
    textOnly: 'Escreva isto como texto.',
    email: 'Digite um endereço de e-mail, por exemplo ada@example.com.',
    tel: 'Digite um número de telefone com pelo menos três dígitos.',
    url: 'Digite um endereço da web, por exemplo https://example.com.',
    number: 'Digite um número, por exemplo 1234 ou 1234,5.',
    date: 'Digite uma data neste formato: 2026-12-31.',
    atLeast: (amount: string) => `Digite ${amount} ou mais.`,
    atMost: (amount: string) => `Digite ${amount} ou menos.`,
    earliest: (day: string) => `Digite ${day} ou uma data posterior.`,
    latest: (day: string) => `Digite ${day} ou uma data anterior.`,
    fewest: (amount: string) => `Opções a escolher: no mínimo ${amount}.`,
    most: (amount: string) => `Opções a escolher: no máximo ${amount}.`,
    shortest: (amount: string) => `Tamanho mínimo em caracteres: ${amount}.`,
    longest: (amount: string) => `Tamanho máximo em caracteres: ${amount}.`,
    fileMissing: 'O arquivo não chegou. Escolha-o de novo.',
    mostFiles: (amount: string) => `Número de arquivos: no máximo ${amount}.`,
    unknown: (name: Foreign) => `Este formulário não tem o campo “${name}”, então isto não será enviado.`,
    again: (file: Foreign) => `Escolha “${file}” de novo.`,
    optional: 'opcional',
    choose: 'Escolha…',
    other: 'Outro',
    otherAnswer: 'Outra resposta',
    send: 'Enviar',
  },

  page: {
    madeBy: (host: Foreign) => `Este formulário foi criado por um usuário de ${host}.`,
    noPassword: 'Nunca digite uma senha aqui.',
    report: 'Denunciar este formulário',
    online: 'Ou preencha este formulário on-line:',
  },

  challenge: {
    wait: 'Um momento: sua mensagem será enviada automaticamente.',
    failed: (host: string) => `Sua mensagem não foi enviada porque ${host} não respondeu. Tente de novo.`,
    noScript: 'Para afastar robôs, este formulário só funciona com JavaScript. Permita-o e recarregue esta página.',
  },

  mail: {
    why: (hosts: readonly string[]) =>
      `Você recebeu este e-mail porque alguém informou seu endereço em um formulário em ${either(hosts)}.`,
    ignore: 'Se não foi você, ignore este e-mail.',
    stop: 'Parar todos os e-mails deste servidor',
    size,
    empty: 'Vazio',
    noName: 'Sem nome',
    noFileName: 'Arquivo sem nome',
    moreFields: (count: number) => `Mais campos: ${number(count)}`,
  },

  unsubscribe: {
    askAll: 'Parar todos os e-mails deste servidor?',
    allWillStop: (address: Foreign) =>
      `${address} não receberá mais e-mails de nenhum formulário deste servidor, e ninguém poderá adicionar o endereço a um formulário.`,
    ask: 'Parar estes e-mails?',
    willStop: (address: Foreign) =>
      `${address} não receberá mais e-mails sobre os envios a este formulário. O proprietário do formulário pode adicionar o endereço de novo, a menos que você pare todos os e-mails deste servidor.`,
    stop: 'Parar estes e-mails',
    stopAll: 'Parar todos os e-mails',
    stopped: 'E-mails interrompidos',
    allStopped: (address: Foreign) =>
      `${address} não recebe mais e-mails deste servidor, e ninguém pode adicionar o endereço a um formulário.`,
    formStopped: (address: Foreign, form: Foreign) => `${address} não recebe mais e-mails sobre os envios a “${form}”.`,
    thisStopped: (address: Foreign) => `${address} não recebe mais e-mails sobre este formulário.`,
    allow: 'Permitir e-mails de novo',
    allowed: 'Os e-mails estão permitidos de novo',
    allAllowed: (address: Foreign) =>
      `Proprietários de formulários podem adicionar ${address} de novo às notificações, e formulários podem enviar respostas automáticas.`,
  },
} satisfies Texts
