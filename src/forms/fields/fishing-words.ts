import { foldForSearch } from '../../base/search-fold.ts'
import type { Language } from '../../languages/languages.ts'
import { asSeen } from './lookalikes.ts'

// A page of Formbox must be of no use to those who fish for secrets. This makes it harder, not
// impossible. Only what asks for the secret itself counts: a credit card may be one way to pay, and a library card has a
// number too.

/**
 * Words for passwords, PINs, one-time codes, numbers of payment cards and their security codes, and seed phrases: regular
 * expressions for whole words, as `toWords` writes them.
 */
const spaced = {
  en: 'pass ?words?|passwd|pass ?codes?|pass ?phrases?|(?<! (hair|lapel|enamel|rolling|safety|bowling|drawing|tie|postal|area|zip) )pin(codes?|numbers?)?(?! (badges?|ups?|boards?|it) )|otps?|(one time|verification|2 fa|two factor|authenticat(or|ion)|login|sms) (pin|codes?)|(?<! (id|identity|library|member|membership|loyalty|business|gift|student|health|insurance|sim|bus|travel|staff) )card (number|no|nr|details)|(credit|debit|bank)card ?(number|no|nr|details)|cc (number|no)|cvv|cvc|cvn|(card )?security codes?|card verification (code|number|value)|seed ?(phrases?|words)|(recovery|secret|mnemonic) phrases?|private keys?',
  de: '[a-z]*(pass ?|kenn)wort(e|es|s|er)?|pin ?nummer|geheimzahl|tan ?(nummer|code)|(sms|push|chip|photo|foto|mobile) ?tans?|[mi] ?tans?|(einmal|bestatigungs|sicherheits|verifizierungs) ?codes?|einmal ?pin|(kredit|bank|debit|ec|giro)?karten ?(nummern?|nr)|kreditkartendaten|kartenprufnummer|(seed|wiederherstellungs) ?phrasen?|privater schlussel',
  fr: 'mots? de passe|mdp|codes? secrets?|code (confidentiel|a usage unique|de (verification|securite|confirmation)|sms)|(numeros?|no?) de (la |ma |votre )?(carte( bancaire| bleue)?(?! d)|cb|carte de (credit|paiement))|cryptogramme( visuel)?|phrase (secrete|de recuperation|mnemonique)|cle privee',
  es: 'contrasenas?|claves? (de acceso|secretas?|bancarias?|pin)|codigos? (de (verificacion|seguridad|un solo uso|uso unico)|secretos?|sms)|(numeros?|no?|datos) de (la |su |tu |mi )?tarjeta(( bancaria)?(?! d)| de (credito|debito))|frases? (semilla|de recuperacion|secreta)|clave privada',
  it: 'parola d ordine|codic[ei] (segret[oi]|monouso|usa e getta|di (verifica|sicurezza)|otp|sms)|(numero|no?)( di| della)? (tua |sua )?carta(( bancaria)?(?! (d|identita|fedelta))| di (credito|debito|pagamento))|frase (seed|di recupero|segreta|mnemonica)|chiave privata',
  pt: 'senhas?|palavras? passe|codigos? (de (verificacao|seguranca|uso unico|confirmacao)|secretos?|sms)|(numeros?|no?|dados) d[eo] (meu |seu )?cartao(( bancario)?(?! d)| de (credito|debito))|frase (semente|de recuperacao|secreta)|chave privada',
  nl: '[a-z]*wacht ?woord(en)?|toegangscodes?|(eenmalige|geheime) codes?|(verificatie|beveiligings)codes?|(credit|debet|bank|betaal)?kaart ?nummers?|(herstel|seed)(zin|zinnen|woorden)',
  pl: 'has(lo|la|lem|le|el)|kody? (jednorazow[ye]|weryfikacyjn[ye]|bezpieczenstwa|sms)|(numery?|nr) (mojej |swojej )?karty( platniczej| kredytowej| bankowej| debetowej)?(?! (bibliotecznej|stalego|pobytu|lojalnosciowej|czlonkowskiej|miejskiej))|fraz[ay] (odzyskiwania|seed)|klucz prywatny',
  cs: 'hes(lo|la|lem|lu|el)|(jednorazov[ye]|overovaci|bezpecnostni|autorizacni) kody?|(cisl[oa]|c) (platebni |kreditni |bankovni |moji |vasi )?karty|(obnovovaci|zalohovaci|seed) fraz[ei]|soukromy klic',
  sv: '[a-z]*losenord(et|en)?|pinkod(en)?|(engangs|verifierings|sakerhets|bekraftelse)kod(en)?|(kort|kreditkorts|bankkorts) ?nummer|(aterstallnings|seed)fras(en)?|privat nyckel',
  uk: 'парол(ь|я|ем|і|ю)|(пін|pin) ?код(у|и)?|пін|одноразовий код|код (підтвердження|безпеки|перевірки|з смс|із смс)|номер (платіжної |банківської |кредитної |моєї |вашої )?карт(ки|и)(?! (читача|клієнта|лояльності))|(сід|секретна) фраз[аи]|фраз[аи] (для )?відновлення|приватний ключ',
  tr: 'sifre(n|m|si|niz|nizi|mi|yi|ler)?|parola(n|m|si|niz|nizi|yi|lar)?|(dogrulama|guvenlik|onay) (kodu|kodunuz)|tek kullanimlik kod(u|unuz)?|(kredi |banka )?kart(i|in|inizin)? numara(si|niz|nizi)|(kredi|banka) kart(i|in|inizin)? no|(kurtarma|tohum) (ifadesi|kelimeleri|cumlesi)|ozel anahtar',
  ar: '(و|ب)?(ال)?كلمة (ال)?(مرور|سر)|كلمات (ال)?مرور|(ال)?رقم (ال)?سري|(ال)?رمز (ال)?(سري|تحقق|أمان|تأكيد)|رمز لمرة واحدة|رقم بطاقتك|رقم (ال)?بطاقة( (ال)?(ائتمان|ائتمانية|بنكية|مصرفية))?(?! (ال)?(شخصية|هوية|وطنية|مدنية|ائتمان|بنكية))|عبارة (ال)?(استرداد|سرية|استعادة)|(ال)?عبارة (ال)?سرية',
}

/** All other languages of visitors: those that put no spaces between words. */
const joined: Readonly<Record<Exclude<Language, keyof typeof spaced>, string>> = {
  ja: 'パスワード|パスコード|暗証番号|暗証コード|ワンタイムコード|認証コード|確認コード|(?<!会員|図書|診察)カード番号|クレカ番号|セキュリティコード|シードフレーズ|リカバリーフレーズ|秘密鍵',
  zh: '密码(?!学)|密碼(?!學)|验证码|驗證碼|动态码|一次性代码|(?<!会员|會員|借书|学生)卡号|(?<!會員|借書|學生)卡號|安全码|安全碼|助记词|助記詞|恢复短语|私钥|私鑰',
}

const withoutAccents = (text: string): string =>
  foldForSearch(text.normalize('NFKC'))
    .normalize('NFD')
    .replaceAll(/(?![\u3099\u309a])\p{M}/gu, '')
    .normalize('NFC')

const either = (words: Readonly<Record<string, string>>): string => withoutAccents(Object.values(words).join('|'))

/** The parts of these expressions: what is no letter, and a letter or a class of letters, which may be left out. */
const parts = /\[a-z\]\*|\(\?<?[!:=]|[(|]|\)\??| \??|(\[[^\]]*\]|.)(\?)?/gu

/** The expressions for words that are cut into pieces anywhere: `Pa ss word`. */
const inPieces = (words: string): string =>
  words.replaceAll(parts, (part, letter, optional) => {
    if (letter) return optional ? `(?:${letter} ?)?` : `${letter} ?`
    return part.startsWith(' ') ? ' ?' : part
  })

let patterns: { readonly whole: RegExp; readonly inPieces: RegExp } | undefined

/** It takes 2 ms to make them, so that is left until a text is judged. */
const patternsOfWords = () =>
  (patterns ??= {
    whole: new RegExp(`(?<= )(?:${either(spaced)})(?= )|${either(joined)}`, 'u'),
    inPieces: new RegExp(`(?<= )(?:${inPieces(either(spaced))})(?= )`, 'gu'),
  })

/** Shorter ones come about by chance: `Has lo`. */
const leastInPieces = 6

/** The text in small letters without accents, with one space around each word and each number. */
const toWords = (text: string): string => {
  // Names of fields are often written as `cardNumber`.
  const apart = text.replaceAll(/\p{Cf}/gu, '').replaceAll(/(\p{Ll}\p{M}*)(\p{Lu})/gu, '$1 $2')
  return ` ${withoutAccents(apart).replaceAll(/(?<=\p{L})(?=\p{N})|(?<=\p{N})(?=\p{L})|[^\p{L}\p{N}]+/gu, ' ')} `
}

/** The words with which a text asks for a secret; undefined if it does not. */
export const fishingIn = (text: string): string | undefined => {
  const words = new Set([text, ...asSeen(text)].map(toWords))
  for (const one of new Set([...words, ...[...words].map(spelled)])) {
    const found = patternsOfWords().whole.exec(one)?.[0]
    if (found !== undefined) return found
  }
  for (const one of words)
    for (const [found] of one.matchAll(patternsOfWords().inPieces))
      if (found.replaceAll(' ', '').length >= leastInPieces) return found.trim()
  return undefined
}

/** With letters in one word that stand alone: `p i n`. */
const spelled = (words: string): string => words.replaceAll(/(?<= \p{L}) (?=\p{L} )/gu, '')
