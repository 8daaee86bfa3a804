import type { Foreign } from './foreign.ts'
import { formats } from './formats.ts'
import type { FoundKind, Texts } from './texts.ts'

const { size, moment, day, number, exact } = formats('zh')

const groups: Readonly<Record<string, string>> = {
  'image/*': '图片',
  'audio/*': '音频文件',
  'video/*': '视频',
  'text/*': '文本文件',
}

const found: Readonly<Record<FoundKind, string>> = {
  program: '程序',
  script: '脚本',
  image: '图片',
  pdf: ' PDF 文件',
  archive: ' ZIP 压缩文件或文档',
  document: ' Office 文档',
  audio: '音频文件',
  video: '视频',
  other: '其他类型的文件',
}

const misnamed = (format: string): string => `扩展名不正确的 ${format} 文件`

const wrongKind =
  (taker: string) =>
  (file: Foreign, kinds: readonly string[], kind: FoundKind, format: string | null): string =>
    `${taker}只接收以下类型：${kinds.map((one) => groups[one] ?? `${one} 文件`).join('、')}。“${file}”是${format === null ? found[kind] : misnamed(format)}。`

export const chinese = {
  tag: 'zh',
  dir: 'ltr',
  space: '',
  labelled: (label: string, text: string) => `${label}：${text}`,

  thankYou: '谢谢',
  received: (form: Foreign) => `已收到您发送至“${form}”的消息。`,
  backTo: (host: Foreign) => `返回 ${host}`,
  typed: '您输入的内容',

  titles: {
    notSent: '您的消息未发送',
    early: '此表单尚未开放',
    closed: '此表单已关闭',
    full: '此表单名额已满',
    noForm: '此表单不存在',
    wrong: '出错了',
    badLink: '此链接无效',
    messagesOnly: '此地址仅用于接收消息',
  },

  reasons: {
    early: (at: number) => `开放时间：${moment(at)}。`,
    over: (at: number) => `关闭时间：${moment(at)}。`,
    full: () => '此表单不再接收新消息。',
    closed: () => '此表单目前不接收消息。',
    otherPage: (origin: Foreign) =>
      `此表单不接收来自 ${origin} 的消息。如果这是您的网站，请在表单设置中将其添加到允许发送的页面中。`,
    unknownPage: () => '此表单只接收来自特定页面的消息，而您的浏览器没有说明您使用的是哪个页面。',
    unsolved: () =>
      '为防止机器人发送消息，此表单需要一次简短的计算，由浏览器在您输入时完成。计算结果缺失、已过期或已被使用。',
    empty: () => '表单是空的。',
    malformed: () => '服务器无法读取浏览器发送的内容。',
    interrupted: () => '您的消息没有完整送达，网络连接可能较慢或已中断。',
    textTooLong: (most: number) => `您的消息太长：此表单最多接收 ${size(most)} 的文字。`,
    filesTooLarge: (most: number) => `您的文件太大：此表单接收的文件总大小不能超过 ${size(most)}。`,
    fileTooLarge: (file: Foreign, most: number) => `文件“${file}”太大：此表单接收的文件不能超过 ${size(most)}。`,
    wrongKind: wrongKind('此表单'),
    tooManyFiles: (most: number) => `文件太多：此表单最多接收 ${number(most)} 个文件。`,
    noFiles: () => '此表单不接收文件。',
    tooMany: () => '短时间内来自您的网络的消息过多。',
    tooManyBytes: () => '短时间内来自您的网络的文件过多。',
    busy: () => '服务器目前过于繁忙。',
    noDisk: () => '服务器目前无法接收文件。',
    uncertain: () => '服务器无法确定您的消息是否已保存。如果再次发送，可能会送达两次。',
    noForm: () => '此表单可能已被删除。',
    internal: () => '服务器出现错误。',
    messagesOnly: () => '网站上的表单会将消息发送到这里，此处没有可显示的内容。',
    notPosted: (attribute: Foreign) =>
      `该页面上的表单有误：浏览器将您输入的内容放进了网址，没有保存任何内容。如果这是您的网站，请为表单添加 ${attribute}。`,
    otherAddress: (address: Foreign) =>
      `发送给此表单的消息应使用另一个网址：${address}。如果这是您的网站，请更正表单的发送地址。`,
    badLink: () => '请从邮件中复制完整的链接，直到最后一个字符。',
  },

  next: {
    change: '请用浏览器的返回按钮返回并修改。您输入的内容仍然保留。',
    seconds: '请用浏览器的返回按钮返回，等待几秒钟后再次发送。您输入的内容仍然保留。',
    minute: '请用浏览器的返回按钮返回，一分钟后再次发送。您输入的内容仍然保留。',
    minutes: '请用浏览器的返回按钮返回，十分钟后再次发送。您输入的内容仍然保留。',
    copy: '您发送的内容没有保存。如需保留输入的内容，请用浏览器的返回按钮返回并复制。',
    contact: '如果仍然不行，请通过其他方式联系网站的所有者。',
    copyAndContact: '请用浏览器的返回按钮返回，复制您输入的内容，并通过其他方式联系网站的所有者。',
    allowScript:
      '如果浏览器关闭了 JavaScript，请先复制您输入的内容，然后允许该页面使用 JavaScript，重新加载页面后再发送。',
    maybeLost: '您的消息可能没有保存。',
    later: '请过几分钟再试。',
    withoutFiles: '或者不带文件发送您的消息。',
    toForm: '如需写消息，请返回表单所在的页面。',
  },

  fields: {
    error: (title: Foreign) => `错误：${title}`,
    correct: '请更正以下内容后再次发送。您输入的其他内容仍然保留。',
    fillIn: '请填写此项。',
    chooseOne: '请选择其中一个选项。',
    chooseSome: '请至少选择一个选项。',
    chooseOnly: '请只从这些选项中选择。',
    optionFull: (option: Foreign) => `“${option}”已满。请选择其他选项。`,
    repeated: '此内容已经提交过，只能提交一次。',
    full: '已满',
    placesLeft: (amount: number) => `剩余 ${number(amount)} 个名额`,
    tick: '请勾选此框。',
    chooseFile: '请选择一个文件。',
    oneOnly: '请只填写一个答案。',
    textOnly: '请以文字形式填写。',
    email: '请输入电子邮件地址，例如 ada@example.com。',
    tel: '请输入至少包含三位数字的电话号码。',
    url: '请输入网址，例如 https://example.com。',
    number: '请输入数字，例如 1234 或 1234.5。',
    date: '请按此格式输入日期：2026-12-31。',
    atLeast: (amount: number) => `请输入不小于 ${exact(amount)} 的数字。`,
    atMost: (amount: number) => `请输入不大于 ${exact(amount)} 的数字。`,
    earliest: (date: string) => `请输入${day(date)}或之后的日期。`,
    latest: (date: string) => `请输入${day(date)}或之前的日期。`,
    fewest: (amount: number) => `请至少选择 ${number(amount)} 个选项。`,
    most: (amount: number) => `最多可选择 ${number(amount)} 个选项。`,
    shortest: (amount: number) => `至少需要 ${number(amount)} 个字符。`,
    longest: (amount: number) => `最多 ${number(amount)} 个字符。`,
    fileMissing: '文件没有送达，请重新选择。',
    mostFiles: (amount: number) => `最多 ${number(amount)} 个文件。`,
    wrongKind: wrongKind('此项'),
    unknown: (name: Foreign) => `此表单没有“${name}”这一项，因此这项内容不会发送。`,
    again: (file: Foreign) => `请重新选择“${file}”。`,
    optional: '选填',
    choose: '请选择',
    other: '其他',
    otherAnswer: '其他答案',
    send: '发送',
  },

  confirm: {
    step: '还差一步',
    look: '请打开您即将收到的电子邮件中的链接。在此之前，您发送的内容不会生效。',
    ask: '确认您的地址？',
    willCount: (form: Foreign) => `使用您的地址发送到“${form}”的内容，在您确认后生效。`,
    waiting: (amount: number) => `等待中的消息：${number(amount)}`,
    confirm: '确认',
    notMe: '不是我发送的',
    willDelete: '“不是我发送的”会删除所有等待中的内容。之后，您不会再收到此表单要求确认地址的邮件。',
    confirmed: '您的地址已确认',
    deleted: '已全部删除',
    allDeleted: (form: Foreign) => `使用您的地址发送到“${form}”的内容已删除。此表单不会再询问您。`,
    over: '没有需要确认的内容',
    nothing: '发送的内容没有及时确认，或已被删除。如果您仍想发送，请重新填写表单。',
  },

  page: {
    madeBy: (host: Foreign) => `此表单由 ${host} 的用户创建。`,
    noPassword: '切勿在此输入密码。',
    report: '举报此表单',
    online: '或在线填写此表单：',
  },

  challenge: {
    wait: '请稍候，您的消息将自动发送。',
    failed: (host: string) => `您的消息未发送，因为 ${host} 没有响应。请重试。`,
    noScript: '为防止机器人发送消息，此表单需要 JavaScript 才能使用。请允许 JavaScript 并重新加载此页面。',
  },

  mail: {
    why: (hosts: readonly string[]) => `您收到此邮件，是因为有人在 ${hosts.join(' 或 ')} 的表单中填写了您的地址。`,
    ignore: '如果不是您本人操作，请忽略此邮件。',
    stop: '停止接收此服务器的所有邮件',
    size,
    file: (extension: string, bytes: number) => `${extension}，${size(bytes)}`,
    empty: '空',
    noName: '未命名',
    noFileName: '未命名的文件',
    moreFields: (count: number) => `另有 ${number(count)} 项`,
    more: (count: number) => `另有 ${number(count)} 项`,
    shortened: (count: number) => `仅显示部分内容，共 ${number(count)} 个字符`,
  },

  unsubscribe: {
    askAll: '要停止接收此服务器的所有邮件吗？',
    allWillStop: (address: Foreign) =>
      `${address} 将不再收到此服务器上任何表单的邮件，任何人都无法将该地址添加到表单。`,
    ask: '要停止接收这些邮件吗？',
    willStop: (address: Foreign) =>
      `${address} 将不再收到关于此表单提交内容的邮件。除非您停止接收此服务器的所有邮件，否则表单的所有者可以再次添加该地址。`,
    stop: '停止接收这些邮件',
    stopAll: '停止接收所有邮件',
    stopped: '已停止发送邮件',
    allStopped: (address: Foreign) => `${address} 将不再收到此服务器的邮件，任何人都无法将该地址添加到表单。`,
    formStopped: (address: Foreign, form: Foreign) => `${address} 将不再收到关于“${form}”提交内容的邮件。`,
    thisStopped: (address: Foreign) => `${address} 将不再收到关于此表单的邮件。`,
    allow: '重新允许邮件',
    allowed: '已重新允许邮件',
    allAllowed: (address: Foreign) => `表单的所有者可以再次将 ${address} 添加到通知中，表单也可以向其发送自动回复。`,
  },
} satisfies Texts
