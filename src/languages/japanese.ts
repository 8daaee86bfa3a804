import type { Foreign } from './foreign.ts'
import { formats } from './formats.ts'
import type { FoundKind, Texts } from './texts.ts'

const { size, moment, day, list, number, exact } = formats('ja')

const groups: Readonly<Record<string, string>> = {
  'image/*': '画像',
  'audio/*': '音声',
  'video/*': '動画',
  'text/*': 'テキスト',
}

const found: Readonly<Record<FoundKind, string>> = {
  program: 'プログラム',
  script: 'スクリプト',
  image: '画像',
  pdf: 'PDF',
  archive: 'ZIPファイルまたは文書',
  document: 'Office文書',
  audio: '音声ファイル',
  video: '動画',
  other: '別の形式',
}

const misnamed = (format: string): string => `拡張子が正しくない${format}ファイル`

const wrongKind =
  (taker: string) =>
  (file: Foreign, kinds: readonly string[], kind: FoundKind, format: string | null): string =>
    `${taker}は${list(kinds.map((one) => groups[one] ?? one))}のみです。「${file}」は${format === null ? found[kind] : misnamed(format)}です。`

export const japanese = {
  tag: 'ja',
  dir: 'ltr',
  space: '',
  labelled: (label: string, text: string) => `${label}：${text}`,

  thankYou: 'ありがとうございました',
  received: (form: Foreign) => `「${form}」へのメッセージを受け付けました。`,
  backTo: (host: Foreign) => `${host} に戻る`,
  typed: '入力した内容',

  titles: {
    notSent: 'メッセージは送信されませんでした',
    early: 'このフォームはまだ受付を開始していません',
    closed: 'このフォームは受付を終了しています',
    full: 'このフォームは受付数の上限に達しました',
    noForm: 'このフォームは存在しません',
    wrong: 'エラーが発生しました',
    badLink: 'このリンクは無効です',
    messagesOnly: 'このアドレスはメッセージの受付用です',
  },

  reasons: {
    early: (at: number) => `受付開始：${moment(at)}`,
    over: (at: number) => `受付終了：${moment(at)}`,
    full: () => 'これ以上のメッセージは受け付けていません。',
    closed: () => '現在、メッセージを受け付けていません。',
    otherPage: (origin: Foreign) =>
      `このフォームは ${origin} からのメッセージを受け付けていません。ご自身のサイトの場合は、フォームの設定で送信を許可するページに追加してください。`,
    unknownPage: () =>
      'このフォームは特定のページからのメッセージだけを受け付けています。どのページから送信されたのか、ブラウザーから通知されませんでした。',
    unsolved: () =>
      'ボットによる送信を防ぐため、このフォームでは入力中にブラウザーが短い計算を行います。その結果がないか、古すぎるか、すでに使用されています。',
    empty: () => 'フォームに何も入力されていません。',
    malformed: () => 'ブラウザーから送信された内容をサーバーが読み取れませんでした。',
    interrupted: () => 'メッセージの一部しか届きませんでした。接続が遅いか、途切れた可能性があります。',
    textTooLong: (most: number) => `メッセージが長すぎます。このフォームで送信できるテキストは${size(most)}までです。`,
    filesTooLarge: (most: number) =>
      `ファイルの合計サイズが大きすぎます。このフォームで送信できるのは合計${size(most)}までです。`,
    fileTooLarge: (file: Foreign, most: number) =>
      `ファイル「${file}」は大きすぎます。このフォームで送信できるファイルは${size(most)}までです。`,
    wrongKind: wrongKind('このフォームで送信できるファイル'),
    tooManyFiles: (most: number) => `ファイルが多すぎます。このフォームで送信できるのは${number(most)}個までです。`,
    noFiles: () => 'このフォームではファイルを送信できません。',
    tooMany: () => 'お使いのネットワークから短時間に多数のメッセージが送信されました。',
    tooManyBytes: () => 'お使いのネットワークから短時間に多数のファイルが送信されました。',
    busy: () => '現在、サーバーが混み合っています。',
    noDisk: () => '現在、サーバーはファイルを受け付けられません。',
    uncertain: () => 'メッセージが保存されたかどうかを確認できません。もう一度送信すると、二重に届く可能性があります。',
    noForm: () => '削除された可能性があります。',
    internal: () => 'サーバーでエラーが発生しました。',
    messagesOnly: () => 'ウェブサイトのフォームから送信された内容を受け付けるためのもので、表示する内容はありません。',
    notPosted: (attribute: Foreign) =>
      `そのページのフォームに誤りがあり、入力した内容がブラウザーによってアドレスに含められたため、何も保存されませんでした。ご自身のサイトの場合は、フォームに ${attribute} を追加してください。`,
    otherAddress: (address: Foreign) =>
      `このフォームへのメッセージの送信先は別のアドレスです：${address}。ご自身のサイトの場合は、フォームの送信先アドレスを修正してください。`,
    badLink: () => 'メールにあるリンクを、最後の文字まですべてコピーしてください。',
  },

  next: {
    change: 'ブラウザーの戻るボタンで戻り、修正してください。入力した内容は残っています。',
    seconds: 'ブラウザーの戻るボタンで戻り、数秒待ってからもう一度送信してください。入力した内容は残っています。',
    minute: 'ブラウザーの戻るボタンで戻り、1分後にもう一度送信してください。入力した内容は残っています。',
    minutes: 'ブラウザーの戻るボタンで戻り、10分後にもう一度送信してください。入力した内容は残っています。',
    copy: '送信された内容は保存されていません。入力した内容を残すには、ブラウザーの戻るボタンで戻り、コピーしてください。',
    contact: '解決しない場合は、別の方法でウェブサイトの運営者にお問い合わせください。',
    copyAndContact:
      'ブラウザーの戻るボタンで戻って入力した内容をコピーし、別の方法でウェブサイトの運営者にお問い合わせください。',
    allowScript:
      'JavaScriptが無効になっている場合は、入力した内容をコピーし、そのページでJavaScriptを許可してから再読み込みして送信してください。',
    maybeLost: 'メッセージは保存されていない可能性があります。',
    later: '数分後にもう一度お試しください。',
    withoutFiles: 'または、ファイルを付けずに送信してください。',
    toForm: 'メッセージを書くには、フォームのあるページに戻ってください。',
  },

  fields: {
    error: (title: Foreign) => `エラー：${title}`,
    correct: '次の項目を修正して、もう一度送信してください。ほかに入力した内容は残っています。',
    fillIn: 'この項目を入力してください。',
    chooseOne: '選択肢から1つ選んでください。',
    chooseSome: '選択肢から1つ以上選んでください。',
    chooseOnly: '表示されている選択肢からのみ選んでください。',
    optionFull: (option: Foreign) => `「${option}」は満席です。ほかの選択肢を選んでください。`,
    repeated: 'この内容はすでに送信されています。送信できるのは一度だけです。',
    full: '満席',
    placesLeft: (amount: number) => `残り${number(amount)}`,
    tick: 'チェックを入れてください。',
    chooseFile: 'ファイルを選んでください。',
    oneOnly: '回答は1つだけにしてください。',
    textOnly: 'テキストで入力してください。',
    email: 'メールアドレスを入力してください（例：ada@example.com）。',
    tel: '数字が3桁以上の電話番号を入力してください。',
    url: 'ウェブアドレスを入力してください（例：https://example.com）。',
    number: '数値を入力してください（例：1234、1234.5）。',
    date: '日付を次の形式で入力してください：2026-12-31',
    atLeast: (amount: number) => `${exact(amount)}以上の数値を入力してください。`,
    atMost: (amount: number) => `${exact(amount)}以下の数値を入力してください。`,
    earliest: (date: string) => `${day(date)}以降の日付を入力してください。`,
    latest: (date: string) => `${day(date)}以前の日付を入力してください。`,
    fewest: (amount: number) => `${number(amount)}個以上選んでください。`,
    most: (amount: number) => `選べるのは${number(amount)}個までです。`,
    shortest: (amount: number) => `${number(amount)}文字以上で入力してください。`,
    longest: (amount: number) => `${number(amount)}文字以内で入力してください。`,
    fileMissing: 'ファイルが届きませんでした。もう一度選んでください。',
    mostFiles: (amount: number) => `ファイルは${number(amount)}個までです。`,
    wrongKind: wrongKind('この項目で送信できるファイル'),
    unknown: (name: Foreign) => `このフォームに「${name}」という項目はないため、この内容は送信されません。`,
    again: (file: Foreign) => `「${file}」をもう一度選んでください。`,
    optional: '任意',
    choose: '選択してください',
    other: 'その他',
    otherAnswer: 'その他の回答',
    send: '送信',
  },

  confirm: {
    step: 'あと一歩です',
    look: 'これから届くメールのリンクを開いてください。それまで、送信した内容は有効になりません。',
    ask: 'アドレスを確認しますか？',
    willCount: (form: Foreign) => `あなたのアドレスで「${form}」に送信された内容は、確認すると有効になります。`,
    waiting: (amount: number) => `待機中のメッセージ：${number(amount)}`,
    confirm: '確認する',
    notMe: '自分ではありません',
    willDelete:
      '「自分ではありません」を選ぶと、待機中のものはすべて削除されます。その後、このフォームからアドレスの確認を求めるメールは届きません。',
    confirmed: 'アドレスを確認しました',
    deleted: 'すべて削除しました',
    allDeleted: (form: Foreign) =>
      `あなたのアドレスで「${form}」に送信された内容を削除しました。このフォームから再び確認を求めることはありません。`,
    over: '確認するものはありません',
    nothing:
      '送信された内容は期限内に確認されなかったか、削除されました。まだ送信したい場合は、もう一度フォームに入力してください。',
  },

  page: {
    madeBy: (host: Foreign) => `このフォームは ${host} の利用者が作成しました。`,
    noPassword: 'ここには絶対にパスワードを入力しないでください。',
    report: 'このフォームを報告する',
    online: 'または、このフォームにオンラインで入力してください：',
  },

  challenge: {
    wait: '少々お待ちください。メッセージは自動的に送信されます。',
    failed: (host: string) => `${host} から応答がないため、メッセージは送信されませんでした。もう一度お試しください。`,
    noScript:
      'ボットによる送信を防ぐため、このフォームにはJavaScriptが必要です。JavaScriptを許可して、このページを再読み込みしてください。',
  },

  mail: {
    why: (hosts: readonly string[]) =>
      `このメールは、${hosts.join(' または ')} のフォームにこのメールアドレスが入力されたためお送りしています。`,
    ignore: 'お心当たりがない場合は、このメールを無視してください。',
    stop: 'このサーバーからのすべてのメールの配信を停止する',
    size,
    file: (extension: string, bytes: number) => `${extension}、${size(bytes)}`,
    empty: '未入力',
    noName: '名前なし',
    noFileName: '名前のないファイル',
    moreFields: (count: number) => `ほか${number(count)}項目`,
    more: (count: number) => `ほか${number(count)}件`,
    shortened: (count: number) => `省略されています（全${number(count)}文字）`,
  },

  unsubscribe: {
    askAll: 'このサーバーからのすべてのメールの配信を停止しますか？',
    allWillStop: (address: Foreign) =>
      `${address} には、このサーバーのフォームからのメールが届かなくなり、誰もこのアドレスをフォームに追加できなくなります。`,
    ask: 'このフォームに関するメールの配信を停止しますか？',
    willStop: (address: Foreign) =>
      `${address} には、このフォームへの送信に関するメールが届かなくなります。このサーバーからのすべてのメールの配信を停止しない限り、フォームの所有者はアドレスを再び追加できます。`,
    stop: 'メールの配信を停止する',
    stopAll: 'すべてのメールの配信を停止する',
    stopped: 'メールの配信を停止しました',
    allStopped: (address: Foreign) =>
      `${address} には今後このサーバーからメールが届きません。誰もこのアドレスをフォームに追加できません。`,
    formStopped: (address: Foreign, form: Foreign) =>
      `${address} には今後「${form}」への送信に関するメールが届きません。`,
    thisStopped: (address: Foreign) => `${address} には今後このフォームに関するメールが届きません。`,
    allow: 'メールの配信を再び許可する',
    allowed: 'メールの配信を再び許可しました',
    allAllowed: (address: Foreign) =>
      `フォームの所有者は ${address} を再び通知先に追加でき、フォームから自動返信を送信できます。`,
  },
} satisfies Texts
