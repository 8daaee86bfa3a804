import { expect, test } from 'bun:test'
import { fishingIn } from '../../src/forms/fields/fishing-words.ts'
import type { Language } from '../../src/languages/languages.ts'

/** Texts that ask for a secret, a row a language. */
const asking: Readonly<Record<Language, string>> = {
  en: 'Password|Your e-mail password|userPassword|user_password|passcode|Passphrase|PIN|pin code|4-digit PIN|One-time code|OTP|Verification code|2FA code|Card number|cardNumber|Credit card number|CVV|cvv2|CVC|Security code|Seed phrase|recovery phrase|Private key|ＰＡＳＳＷＯＲＤ|pass\u200bword|P\u0430sswоrd|\u03a1IN|P.I.N.|p a s s w o r d|pass\u3164word|Creditcard number|SMS code|passwd',
  de: 'Passwort|Ihr Kennwort|PIN-Nummer|mTAN|SMS-TAN|TAN-Nummer|Einmalcode|Bestätigungscode|Kartennummer|Kreditkartennummer|Kartenprüfnummer|Seed-Phrase|Wiederherstellungsphrase|E-Mail-Passwort|Bankpasswort|Einmalkennwörter|Pass-Wort|Kreditkarten-Nr.|Karten-Nr.',
  fr: 'Mot de passe|Code confidentiel|Code à usage unique|Numéro de carte|Numéro de carte de crédit|Numéro de la carte bancaire|Cryptogramme visuel|Phrase de récupération|N° de carte bancaire|Nº de carte|Numéro de CB|mdp',
  es: 'Contraseña|Clave de acceso|Código de verificación|Número de tarjeta|Número de tarjeta de crédito|Código de seguridad|Frase semilla|Nº de tarjeta|Número de mi tarjeta',
  it: 'Password|Parola d’ordine|Codice monouso|Numero di carta|Numero della carta di credito|Codice di sicurezza|Frase di recupero|Numero carta|Numero carta di credito',
  pt: 'Senha|Palavra-passe|Código de verificação|Número do cartão|Código de segurança|Frase de recuperação|Nº do cartão|Número de cartão de crédito',
  nl: 'Wachtwoord|Pincode|Eenmalige code|Verificatiecode|Kaartnummer|Beveiligingscode|Herstelzin|Kaart nummer|Bankwachtwoord',
  pl: 'Hasło|Kod PIN|Kod jednorazowy|Numer karty|Kod bezpieczeństwa|Fraza odzyskiwania|Nr karty|Nr mojej karty',
  cs: 'Heslo|Jednorázový kód|Číslo karty|Bezpečnostní kód|Obnovovací fráze|Č. karty',
  sv: 'Lösenord|Pinkod|Engångskod|Kortnummer|Säkerhetskod|Återställningsfras|Banklösenord|Kort-nummer',
  uk: 'Пароль|ПІН-код|Одноразовий код|Код підтвердження|Номер картки|Код безпеки|Фраза відновлення|Номер моєї картки',
  tr: 'Şifre|ŞİFRENİZ|Parola|Tek kullanımlık kod|Doğrulama kodu|Kart numarası|Güvenlik kodu|Kurtarma ifadesi|Kredi kartı no',
  ar: 'كلمة المرور|كَلِمَة السِّرّ|الرقم السري|رمز التحقق|رقم البطاقة|رمز الأمان|عبارة الاسترداد|رقم بطاقتك',
  ja: 'パスワード|ﾊﾟｽﾜｰﾄﾞ|メールのパスワードを入力|暗証番号|認証コード|カード番号を入力|セキュリティコード|シードフレーズ|クレカ番号',
  zh: '密码|請輸入密碼|验证码|银行卡号|安全码|助记词|密 码',
}

/** Texts that look like them. */
const harmless: Readonly<Record<Language, string>> = {
  en: 'Passport|Passport number|Passenger|Compass|Pinboard|Pins and needles|Pinterest|Opinion|Spinning|Credit card|Pay by credit card|Library card number|Membership card number|ID card number|Tan|Code|Postcode|Promo code|Seeds|Seedling|Key|Keyword|Recovery|Hassle|Helsinki|Pin badge|Hair pin|Postal PIN code|SIM card number|Sizes S M L',
  de: 'Pass|Passfoto|Reisepass|Passkontrolle|Pinnwand|Spinat|Tanne|Bibliothekskartennummer|Kennzeichen|Einmal|Passwortmanager|Wortschatz|Kartenspiel Nr. 3',
  fr: 'Passeport|Numéro de carte d’identité|Mot|Code postal|Nº de carte de fidélité',
  es: 'Pasaporte|Número de tarjeta de fidelidad|Código postal|Clave',
  it: 'Passaporto|Numero di carta d’identità|Codice fiscale|Numero carta d’identità|Numero carta fedeltà',
  pt: 'Passaporte|Cartão|Código postal|Número de cartão de cidadão',
  nl: 'Paspoort|Korting|Postcode',
  pl: 'Paszport|Haslinger|Numer karty bibliotecznej|Kod pocztowy|Nr karty bibliotecznej',
  cs: 'Klíč|Kód zboží|Číslo účtu',
  sv: 'Pass|Kort|Postnummer',
  uk: 'Паспорт|Карта|Номер карти читача|Піна|Кава',
  tr: 'Pasaport|Şifreli|Posta kodu',
  ar: 'جواز السفر|رقم البطاقة الشخصية|الرقم',
  ja: 'パスポート|会員カード番号|番号',
  zh: '护照|密码学|会员卡号',
}

/** The same words as someone writes them who knows the list. */
const disguised = [
  'Pa ss word|pa-ss_wo.rd|P assword|passwor d|See d phrase|secu rity code|Priv ate key|Ver if ication co de',
  'ᴘᴀѕѕᴡᴏʀᴅ|🅿🅰🆂🆂🆆🅾🆁🅳|🅟🅘🅝|🇵 🇮 🇳|ραѕѕωοrd|Ƥassword|ꓑassword|ⲣassword|ᑭassword|𝗽𝗮𝘀𝘀𝘄𝗼𝗿𝗱|🄿🄸🄽',
  'Passw0rd|P@ssword|Pa$$word|P1N|PlN|P|N|pa$$w0rd|PІN|PӀN|ꓑꓲꓠ|СVV|ϹⅤⅤ|ΟΤΡ|Ⅽⅴⅽ|ѕeed phrаse|Mot dе рasse|Kеnnwort|Wachtwооrd',
  'Pas swort|Kenn wort|Wacht woord|Mot depas se|Contra seña|Pa rol a|Löse nord|П а рол ь вход|Па роль|Број картице Па роль',
  'Пapoль|BАШ ПAPОЛЬ|ПIН-кoд|Hомер кapтки|Кoд пiдтвердження|Приватний kлюч',
].flatMap((texts) => texts.split('|').filter((text) => text.length > 1))

/** Words and pieces that come about by chance. */
const byChance = [
  'Boarding pass, wording|Pass the word on|Has lo que puedas|Hes lovely|Passwording|A passing word|Pass port|Sen. Hassan',
  'PLN|Price in PLN|2 PLN|$ 100|US$|E-mail @ work|ada@example.com|100 m|Room 101|10 o’clock|H1N1|B1 or B2|1.5 l|O|l|I',
  'Пин-понг|Сор|Рассвет|Καλημέρα|Πίνακας|Ωμέγα|Пинск|ピンク|パス ポート|Ping pong|P.S. in short|Spin 0 times|Top 1 nation|pinata',
  'Card game numbers|ID card number|Library card number|Numéro de carte d’identité|Número de tarjeta de fidelidad',
  'Пapa|Кoд тoвару|IT-відділ|Web-сайт|Паcпорт|iPhone чи Android',
  'Codes of conduct|Secure it yourself|Se curity guard|Key to private rooms',
].flatMap((texts) => texts.split('|'))

const rows = (table: Readonly<Record<string, string>>) =>
  Object.entries(table).map(([language, texts]) => [language, texts.split('|')] as const)

test.each(rows(asking))('knows what asks for a secret in %s', (_, texts) => {
  expect(texts.filter((text) => fishingIn(text) === undefined)).toEqual([])
})

test.each(rows(harmless))('lets what only looks like it pass in %s', (_, texts) => {
  expect(texts.filter((text) => fishingIn(text) !== undefined)).toEqual([])
})

test('knows the words in pieces, and in letters that look like theirs', () => {
  expect(disguised.filter((text) => fishingIn(text) === undefined)).toEqual([])
})

test('lets pieces and letters pass that only come near such a word', () => {
  expect(byChance.filter((text) => fishingIn(text) !== undefined)).toEqual([])
})
