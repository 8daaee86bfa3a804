// Two sets of submissions of our own, made from a seed: a contact form in English and German, and a booking form whose
// visitors choose more than they write. What its robots send is spun from a few campaigns, as at real forms.

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
export const randomFrom = (seed: number): (() => number) => {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export type Data = Readonly<Record<string, string>>
type Random = () => number

const oneOf = <T>(random: Random, list: readonly T[]): T => list[Math.floor(random() * list.length)] as T

/** Replaces `{a|b}` by one of them, from the inside out, `#` by a digit. */
const spin = (random: Random, text: string): string => {
  let spun = text
  while (spun.includes('{')) spun = spun.replace(/\{([^{}]*)\}/g, (_, all: string) => oneOf(random, all.split('|')))
  return spun.replace(/#/g, () => String(Math.floor(random() * 10)))
}

const firstNames =
  '{Ada|Grace|Alan|Edsger|Barbara|Niklaus|Anna|Jörg|Sabine|Uwe|Heike|Tom|Lucy|Peter|Maria|Claire|Omar|Yuki|Lena|Max}'
const lastNames =
  '{Lovelace|Hopper|Turing|Dijkstra|Liskov|Wirth|Müller|Schmidt|Weber|Fischer|Baker|Smith|Jones|Novak|Rossi|Haddad|Sato}'
const mailHosts = '{gmail.com|outlook.com|web.de|gmx.de|example.com|example.org|mail.example}'

const goodTexts = [
  '{Hello|Hi|Good morning|Dear team}, {do you have|is there still} {a table|room|space} for {two|four|six|eight} {people|of us|adults} on {Friday|Saturday|Sunday} {evening|at noon|at eight}? {Thanks|Thank you|Best wishes|Kind regards}',
  '{Hello|Hi there}, I {ordered|bought} a {lamp|chair|desk|shelf} {last week|on Monday|in March} and {it has not arrived|one leg is broken|the screws are missing}. My {order|invoice} number is ######. {Could you help?|What should I do?}',
  'We are {planning|organising} {a wedding|a birthday|an office party|a school trip} in {May|June|September} {and|and we} would like {an offer|a price|to visit you first}. {Around|About} {twenty|forty|sixty} guests. {Please call me on +44 20 #### ####.|Email is fine.}',
  '{What are your|Could you tell me your} opening hours {at Easter|on bank holidays|in August}? {The page says nothing about it.|I could not find them on your website.}',
  'The link to {the brochure|your price list|the map} on your {website|page} {is broken|leads nowhere}, {just so you know|in case nobody told you}. See https://www.example.com/{brochure|prices|map}.pdf',
  '{My daughter|My son|My husband} {left|forgot} {a scarf|a blue jacket|an umbrella|his glasses} at your place {yesterday|on Tuesday}. {Have you found it?|Did anyone hand it in?}',
  'I am a {student|journalist|teacher} {at the university|in Leeds|from Vienna} and {would love|would like} to {interview you|visit the workshop|use a photo of yours} {for a project|for our newsletter}. {Is that possible?|Whom should I ask?}',
  '{Please cancel|I need to cancel} my {booking|appointment|subscription} for {#. May|#. June|next week}. {Sorry for the trouble.|I have been ill.} {Thank you|Regards}',
  'Do you {ship|deliver} to {Norway|Ireland|Switzerland}, and {how much is it|what does it cost} for a {small|large} parcel of {two|three|five} kilos?',
  'I {applied|sent my application} for the {gardener|cook|developer} position {two weeks ago|on the ##.} and {wonder|would like to know} {whether you got it|if it is still open}.',
  '{Guten Tag|Hallo|Liebes Team}, {haben Sie|gibt es} am {Freitag|Samstag|Sonntag} {noch einen Tisch|noch Plätze} für {zwei|vier|sechs} Personen? {Viele Grüße|Vielen Dank|Mit freundlichen Grüßen}',
  '{Guten Tag|Hallo}, meine Bestellung ###### ist {noch nicht angekommen|beschädigt|unvollständig}. {Was soll ich tun?|Können Sie bitte nachsehen?} {Danke|Viele Grüße}',
  'Wir {planen|feiern} {eine Hochzeit|einen Geburtstag|ein Sommerfest} im {Mai|Juni|September} und {hätten gern|bitten um} ein Angebot für {zwanzig|vierzig|sechzig} Gäste. {Rufen Sie mich gern an: 0##/#######.|Am liebsten per Mail.}',
  '{Wie sind|Bitte sagen Sie mir} Ihre Öffnungszeiten {an Ostern|im August|zwischen den Jahren}? {Auf der Seite steht nichts.|Ich habe nichts dazu gefunden.}',
  'Ich möchte meinen {Termin|Kurs|Vertrag} am {#. Mai|#. Juni} {absagen|verschieben}. {Leider bin ich krank.|Geht auch die Woche danach?} {Viele Grüße|Danke}',
  'Unsere {Tochter|Firma|Schule} {sucht|braucht} {einen Praktikumsplatz|neue Stühle|Hilfe bei der Website}. {An wen kann ich mich wenden?|Ist das bei Ihnen möglich?} Unsere Seite: https://schule.example',
]

const badTexts = [
  '{Hi|Hello|Dear owner}, {I was looking|we took a look} at your {website|site} and {noticed|found} it {is not ranking|does not rank} on {Google|the first page}. Our {SEO|link building} {experts|team} can {boost|increase} your {traffic|rankings} {from only $##|for a low price}. {Reply|Visit https://best-seo-#.top} for a {free|full} audit',
  '{Play|Enjoy} the {best|hottest} online {casino|slots} and {get|claim} your ###% {bonus|welcome bonus} {today|now}! https://{lucky|royal|mega}{spin|win|bet}#.{xyz|top|bet} {jackpot|betting|free spins} {await|waiting for you}!!',
  '{Earn|Make} {$###|$####} a {day|week} with {crypto|bitcoin|our trading bot}, {no experience|without risk}. {Investors|Members} {double|triple} their {deposit|investment} in {## days|a month}: http://{coin|btc|profit}{fast|bot|max}.{biz|top}/?ref=####',
  '{Cheap|Original} {viagra|cialis|pills} {without prescription|online}, {discreet|worldwide} shipping, {##% off|discount} {today|this week} <a href="http://{pharm|meds}{shop|rx}##.ru">{buy|order} now</a>',
  'We {offer|provide} {business|personal} loans from $##,000 to $##,000,000 at #% {interest|rate}, {approval|funding} in ## hours, {no collateral|bad credit accepted}. {Contact|WhatsApp} our {agent|loan officer} at {loans|credit}##@{finance|capital}-{group|trust}.biz',
  '{Buy|Get} {###|####} {real|active} {followers|likes|views} for {Instagram|TikTok|YouTube} {cheap|instantly} - https://{social|likes|grow}{boost|rush}.{biz|top} {promo|coupon} code BOOST##',
  '{Hallo|Guten Tag}, wir bringen Ihre {Webseite|Homepage} auf {Platz 1|die erste Seite} bei Google. {SEO|Backlinks} {ab nur|schon ab} ## Euro {im Monat|einmalig}, {Erfolg|Ranking} garantiert: https://seo-{turbo|profi}#.top',
  '{Lonely|Hot|Single} {girls|ladies} {in your city|near you} want to {meet|chat} {tonight|now}, {profile|photos} here http://{date|flirt|sweet}{now|meet}##.xyz {no registration|free}',
  '{Заработок|Доход} от ### {рублей|$} в {день|неделю} {на удаленке|без вложений}, {пишите|оплата} в {лс|телеграм} @{work|money}_#### {ищем|набираем} {партнеров|людей}',
  '{Explainer|Promo} video for your {company|business}: our {studio|team} makes {stunning|professional} {animated|animation} videos {from just|starting at} $###. {Samples|Portfolio}: https://{video|clip}{magic|pro}#.biz {unsubscribe|opt out} here',
]

/** One message of a visitor. */
export const goodMessage = (random: Random): string => spin(random, oneOf(random, goodTexts))

/** What visitors of a contact form send. */
export const goodContact = (random: Random): Data => ({
  name: spin(random, `${firstNames} ${lastNames}`),
  email: spin(random, `{a|b|k|m|info|post}.${lastNames.toLowerCase()}##@${mailHosts}`),
  message: goodMessage(random),
})

export const badContact = (random: Random): Data => ({
  name: spin(random, `{${firstNames}|${firstNames}{tob|Sig|fug|Cal}}`),
  email: spin(random, `{promo|sales|x}${lastNames.toLowerCase()}###@{gmail.com|mail.ru|outlook.com}`),
  message: spin(random, oneOf(random, badTexts)),
})

const rooms = '{Single|Double|Family|Suite}'
const extras = '{none|Breakfast|Breakfast, parking|Parking|Late arrival}'

const stay = (random: Random): Data => ({
  room: spin(random, rooms),
  guests: spin(random, '{1|2|3|4}'),
  from: spin(random, '2026-0{5|6|7|8}-{0|1|2}{1|2|3|4}'),
  nights: spin(random, '{1|2|3|4|7|10}'),
  extras: spin(random, extras),
})

/** What guests choose in a booking form: there is almost nothing to read. */
export const goodBooking = (random: Random): Data => ({
  name: spin(random, `${firstNames} ${lastNames}`),
  email: spin(random, `${lastNames.toLowerCase()}##@${mailHosts}`),
  ...stay(random),
  remarks: spin(
    random,
    '{||||Late arrival|With a dog|Two beds please|Wir kommen gegen 22 Uhr|Ground floor if possible|Kinderbett}',
  ),
})

/** Robots choose as well as guests do, and put their links wherever there is room. */
export const badBooking = (random: Random): Data => ({
  name: spin(random, '{Bonus|Casino|Crypto|Dating|SEO}{Tom|Max|Win|King|Pro}'),
  email: spin(random, 'x######@{mail.ru|gmail.com|bk.ru}'),
  ...stay(random),
  remarks: spin(
    random,
    '{https://{win|spin|date|coin}##.{xyz|top}|casino bonus ###%|buy backlinks {cheap|now}|{earn|make} $### {daily|now}|free {spins|crypto} http://{go|my}{bet|coin}.{top|biz}}',
  ),
})

export const listOf = (count: number, make: (random: Random) => Data, random: Random): Data[] =>
  Array.from({ length: count }, () => make(random))
