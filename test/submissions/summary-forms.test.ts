import { describe, expect, test } from 'bun:test'
import { fieldsIn } from '../../src/submissions/sent-fields.ts'
import { summaryOf } from '../../src/submissions/summary.ts'

/** Sender, about and text, as a row of a list shows them. */
const lineOf = (data: object): string[] => {
  const { sender, about, text } = summaryOf(fieldsIn(JSON.stringify(data)), null)
  return [sender, about, text]
}

type Sent = readonly [name: string, data: object, sender: string, about: string, text: string]

/** Forms of shops and clubs: with names, addresses, numbers, consent and the ways of each country. */
// biome-ignore format: a form a line
const ofFifteen: readonly Sent[] = [
  ['Italian', { Titolo: 'Sig.ra', Nome: 'Giulia', Cognome: 'Conti', 'Indirizzo e-mail': 'giulia@example.it', Cellulare: '+39 333 1234567', Azienda: '', Indirizzo: 'Via Roma 14, secondo piano, scala B, interno 7', CAP: '00100', Città: 'Roma', Provincia: 'RM', Oggetto: 'Preventivo', "Data dell'evento": '12/12/2026', 'Il tuo messaggio': 'Vorrei una torta per venti persone.', "Ho letto e accetto l'informativa sulla privacy": 'on', 'Come ci hai conosciuto?': 'Passaparola' }, 'Giulia Conti', 'Preventivo', 'Vorrei una torta per venti persone.'],
  ['Dutch', { Aanhef: 'Mevr.', Voornaam: 'Sanne', Tussenvoegsel: 'de', Achternaam: 'Vries', 'E-mailadres': 'sanne@example.nl', Telefoonnummer: '0612345678', Bedrijfsnaam: '', Straat: 'Langestraat', Huisnummer: '12', Postcode: '1234 AB', Woonplaats: 'Amsterdam', Onderwerp: 'Bestelling', 'Uw bericht': 'Kan ik tien broden bestellen voor zaterdag?', 'Ik ga akkoord met de privacyverklaring van deze website en de voorwaarden': 'Ja', Bron: 'Google' }, 'Sanne Vries', 'Bestelling', 'Kan ik tien broden bestellen voor zaterdag?'],
  ['Portuguese', { Nome: 'Inês', Apelido: 'Carvalho', 'E-mail': 'ines@example.pt', Telemóvel: '912345678', NIF: '123456789', Morada: 'Rua do Ouro 15, 3.º esquerdo, perto da estação', 'Código Postal': '1100-062', Localidade: 'Lisboa', País: 'Portugal', Assunto: 'Encomenda', Data: '2026-12-12', 'Número de pessoas': '12', Mensagem: 'Queria encomendar um bolo.', 'Li e aceito a política de privacidade': 'Sim, li e aceito a política de privacidade desta loja', Newsletter: 'Não' }, 'Inês Carvalho', 'Encomenda', 'Queria encomendar um bolo.'],
  ['Swedish', { Förnamn: 'Björn', Efternamn: 'Ångström', 'E-post': 'bjorn@example.se', Mobilnummer: '070-123 45 67', Företag: '', Gatuadress: 'Storgatan 14, tredje våningen, porten till vänster', Postnummer: '111 22', Ort: 'Stockholm', Ärende: 'Beställning', Antal: '20', Datum: '2026-12-12', Leveranssätt: 'Hämtas', Meddelande: 'Kan jag beställa bullar?', 'Jag godkänner att mina uppgifter behandlas enligt integritetspolicyn': 'Ja', Kupong: 'JUL10' }, 'Björn Ångström', 'Beställning', 'Kan jag beställa bullar?'],
  ['Turkish', { Ad: 'Elif', Soyad: 'Yıldız', 'E-posta': 'elif@example.com', 'Cep Telefonu': '+90 532 123 45 67', Şirket: '', Adres: 'Atatürk Caddesi No 14 Daire 7, Kadıköy, eczanenin üstü', İl: 'İstanbul', İlçe: 'Kadıköy', 'Posta Kodu': '34710', Konu: 'Sipariş', Tarih: '2026-12-12', 'Kişi sayısı': '12', Mesajınız: 'Pasta sipariş etmek istiyorum.', 'KVKK metnini okudum ve kabul ediyorum': 'Evet', Kaynak: 'Instagram' }, 'Elif Yıldız', 'Sipariş', 'Pasta sipariş etmek istiyorum.'],
  ['Chinese', { 姓名: '王丽', 公司名称: '', 电子邮箱: 'wangli@example.cn', 手机号码: '13800000000', 地址: '上海市浦东新区世纪大道一百号四楼', 邮政编码: '200120', 城市: '上海', 国家: '中国', 主题: '订购', 日期: '2026-12-12', 人数: '12', 留言内容: '想订一个蛋糕。', 我已阅读并同意隐私政策: '是', 来源: '百度', 备注: '' }, '王丽', '订购', '想订一个蛋糕。'],
  ['Korean', { 이름: '김준', 회사: '', 이메일: 'jun@example.kr', 연락처: '010-1234-5678', 주소: '서울시 종로구 세종대로 1길 23, 4층 401호', 우편번호: '03154', 제목: '주문', 날짜: '2026-12-12', 인원: '12', '문의 내용': '케이크를 주문하고 싶어요.', '개인정보 수집 및 이용에 동의합니다': '동의', 유입경로: '네이버', 성별: '남', 나이: '33', 도시: '서울' }, '김준', '주문', '케이크를 주문하고 싶어요.'],
  ['Arabic', { 'الاسم الأول': 'نورة', 'اسم العائلة': 'الحسن', 'البريد الإلكتروني': 'noura@example.org', 'رقم الجوال': '0501234567', الشركة: '', العنوان: 'شارع الملك فهد، مبنى رقم ١٤، الطابق الثالث، شقة ٧', المدينة: 'الرياض', الدولة: 'السعودية', الموضوع: 'طلب', التاريخ: '2026-12-12', 'عدد الأشخاص': '12', الرسالة: 'أريد كعكة.', 'أوافق على سياسة الخصوصية': 'نعم', المصدر: 'جوجل', 'الرمز البريدي': '11564' }, 'نورة الحسن', 'طلب', 'أريد كعكة.'],
  ['Ukrainian', { Імʼя: 'Олена', Прізвище: 'Коваль', 'Електронна пошта': 'o@example.ua', 'Номер телефону': '+380501234567', Компанія: '', Адреса: 'вулиця Хрещатик 14, квартира 7, третій поверх', Місто: 'Київ', Індекс: '01001', Тема: 'Замовлення', Дата: '2026-12-12', Кількість: '12', Повідомлення: 'Хочу торт.', 'Погоджуюся з політикою конфіденційності': 'Так', Джерело: 'Гугл', Країна: 'Україна' }, 'Олена Коваль', 'Замовлення', 'Хочу торт.'],
  ['Japanese, halves of names', { 姓: '高橋', 名: '健太', セイ: 'タカハシ', メイ: 'ケンタ', フリガナ: 'タカハシ ケンタ', 会社名: '', メールアドレス: 'k@example.jp', 電話番号: '03-1234-5678', 郵便番号: '100-0001', 住所: '東京都千代田区千代田一丁目一番地一号皇居前ビル四階', お問い合わせ種別: '見積もり', ご希望日: '2026-12-12', お問い合わせ内容: 'ケーキをお願いします。', 個人情報の取り扱いに同意する: '同意する', 性別: '男性' }, '高橋 健太', '見積もり', 'ケーキをお願いします。'],
  ['German', { Anrede: 'Herr', Titel: 'Dr.', Name: 'Jürgen Weiß', Firma: 'Weiß GmbH', 'E-Mail': 'j@example.de', Telefon: '030 123', 'Straße und Hausnummer': 'Hinter der alten Mühle 12, zweiter Hof links', 'PLZ, Ort': '10115 Berlin', Geburtsdatum: '01.02.1980', 'Art der Anfrage': 'Reklamation', Wunschtermin: '12.12.2026', Bestellnummer: 'B-2211', Ihre_Nachricht: 'Brot war hart.', 'Wie haben Sie von uns erfahren?': 'Über eine Empfehlung meiner Nachbarin von nebenan', Datenschutz: '1' }, 'Jürgen Weiß', 'Reklamation', 'Brot war hart.'],
  ['English', { title: 'Dr', name: 'Ella Fox', email: 'e@example.com', phone: '07700900123', 'Date of birth': '1985-02-03', 'How did you hear about us?': 'A friend told me about you at a party', 'Preferred contact': 'Email', budget: '£1,000 – £5,000', 'Start date': '2027-01-01', website: 'https://fox.example.com', 'Project description': 'A shop.', attachments: null, 'I am not a robot': 'on', newsletter: 'yes', page_title: 'Contact us – Bakery – the best in town since 1901' }, 'Ella Fox', '£1,000 – £5,000', 'A shop.'],
  ['French', { Prénom: 'Léa', 'Nom de famille': 'Garnier', 'Adresse email': 'l@example.fr', 'Téléphone portable': '0612345678', Société: '', 'Adresse postale': '3 rue du Moulin, derrière la boulangerie du village', CP: '75011', Ville: 'Paris', 'Type de demande': 'Devis', 'Date souhaitée': '12/12/2026', Budget: '500 €', 'Votre message': 'Un gâteau.', 'Comment nous avez-vous connus ?': 'Par une amie', 'J’accepte la politique de confidentialité': 'Oui', 'Numéro de commande': 'CMD-2211' }, 'Léa Garnier', 'Devis', 'Un gâteau.'],
  ['Spanish', { Nombre: 'Lucía', 'Primer apellido': 'Fernández', 'Segundo apellido': 'Gil', Correo: 'l@example.es', 'Teléfono móvil': '612345678', DNI: '12345678Z', Domicilio: 'Calle Mayor 14, segundo piso, puerta de la izquierda', Localidad: 'Madrid', Provincia: 'Madrid', 'Fecha del evento': '12/12/2026', 'Número de invitados': '80', 'Tipo de evento': 'Boda', Comentarios: 'Sin nueces.', 'Acepto la política de privacidad': 'Sí', '¿Cómo nos conociste?': 'Por una amiga que se casó el año pasado aquí' }, 'Lucía Fernández', 'Boda', 'Sin nueces.'],
  ['Polish', { Imię: 'Ewa', Nazwisko: 'Nowak', 'E-mail': 'ewa@example.pl', Telefon: '600123456', Firma: '', NIP: '123-456-78-90', Ulica: 'Długa 14 mieszkanie 7, klatka druga, domofon 7', 'Kod pocztowy': '00-001', Miasto: 'Warszawa', Kraj: 'Polska', Temat: 'Zamówienie', Data: '2026-12-12', 'Liczba osób': '12', Wiadomość: 'Chcę zamówić tort.', 'Wyrażam zgodę na przetwarzanie danych osobowych': 'Tak' }, 'Ewa Nowak', 'Zamówienie', 'Chcę zamówić tort.'],
  ['Czech', { Jméno: 'Tereza', Příjmení: 'Dvořáková', 'E-mail': 't@example.cz', Telefon: '777123456', Firma: '', Ulice: 'Dlouhá 14, druhé patro, zvonek Dvořáková vpravo', Město: 'Praha', PSČ: '110 00', Stát: 'Česko', Předmět: 'Objednávka', Datum: '2026-12-12', 'Počet osob': '12', Zpráva: 'Chci dort.', 'Souhlasím se zpracováním osobních údajů': 'Ano', IČO: '12345678' }, 'Tereza Dvořáková', 'Objednávka', 'Chci dort.'],
]

/** As exports of services name their columns; what a program wrote is beside what people did. */
// biome-ignore format: a form a line
const exported: readonly Sent[] = [
  ['Google Forms, German', { Zeitstempel: '04.03.2026 14:05:06', 'E-Mail-Adresse': 'bo@example.de', 'Wie heißt du?': 'Bo', 'Kommst du?': 'Ja', 'Was bringst du mit?': 'Salat' }, 'Bo', '', 'Salat'],
  ['Google Forms, French', { Horodateur: '04/03/2026 14:05:06', 'Adresse e-mail': 'bo@example.fr', 'Ton nom': 'Bo', 'Tu viens ?': 'Oui', 'Tu apportes quoi ?': 'Une salade' }, 'Bo', '', 'Une salade'],
  ['Qualtrics', { StartDate: '2026-03-04 14:05:06', EndDate: '2026-03-04', Status: 'IP Address', IPAddress: '203.0.113.7', Progress: '100', 'Duration (in seconds)': '60', Finished: 'True', RecordedDate: '2026-03-04 14:05:06', ResponseId: 'R_3fdsfdsfsd8d', RecipientLastName: '', RecipientFirstName: '', RecipientEmail: '', ExternalReference: '', LocationLatitude: '52.5', LocationLongitude: '13.4', DistributionChannel: 'anonymous', UserLanguage: 'EN', Q1: 'Strongly agree', Q2: 'It was fine, thank you' }, '', 'Strongly agree', 'It was fine, thank you'],
  ['ODK', { SubmissionDate: '2026-03-04T13:06:10.000Z', 'visit-village': 'Kisumu', 'visit-remarks': 'Pump broken', 'meta-instanceID': 'uuid:7b7f7f1f-0000-4000-8000-000000000000', KEY: 'uuid:7b7f7f1f-0000-4000-8000-000000000000', SubmitterID: '22', SubmitterName: 'Field worker 7 of the north', AttachmentsPresent: '0', Status: '', ReviewState: '', DeviceID: '', Edits: '0', FormVersion: '3' }, '', 'Kisumu', 'Pump broken'],
  ['Airtable', { Name: 'Ann', Notes: 'Call back', Status: 'In progress', Assignee: 'Bo', Attachments: 'photo.jpg (https://dl.airtable.com/.attachments/aaaa/photo.jpg)', Created: '2026-03-04 14:05' }, 'Ann', 'In progress', 'Call back'],
  ['Nextcloud', { 'User ID': '', 'User display name': 'Anonymous user', Timestamp: '2026-03-04T14:05:06+01:00', 'Wie war es?': 'Gut', 'Was fehlt?': 'Ein Garten' }, '', 'Gut', 'Ein Garten'],
  ['Drupal', { 'Serial number': '1', SID: '1', Token: 'abcdef', 'Submission URI': '/form/contact', Created: '2026-03-04 - 14:05', Completed: '', Changed: '', 'In draft': 'No', 'Current page': '', 'Remote IP address': '203.0.113.7', 'Submitted by: ID': '0', 'Submitted by: Title': 'Anonymous', 'Submitted by: URL': '', 'Submitted to: Entity title': 'A page with a long title for everyone', Language: 'English', 'Your Name': 'Ann', 'Your Email': 'a@example.com', Subject: 'Hello', Message: 'Do you ship?' }, 'Ann', 'Hello', 'Do you ship?'],
  ['Ninja Forms', { '#': '1', 'Date Submitted': '03/04/2026', Name: 'Ann', Email: 'a@example.com', Message: 'Hi there' }, 'Ann', '', 'Hi there'],
  ['WPForms', { Name: 'Ann', Email: 'a@example.com', 'Comment or Message': 'Hi there', 'Entry Date': 'March 4, 2026 2:05 pm', 'Date GMT': '', ID: '1', 'User Device': 'Mozilla/5.0 (X11; Linux) AppleWebKit', 'Entry Notes': '', Viewed: 'Yes', Starred: 'No', 'User IP': '1.2.3.4', 'Unique User ID': '2f3c77aa-aaaa-4000-8000-000000000000', 'Geolocation Details': 'Berlin, DE' }, 'Ann', '', 'Hi there'],
  ['Formidable', { Name: 'Ann', Last: 'Lee', 'Email Address': 'a@example.com', Subject: 'Hello', Message: 'Do you ship?', Timestamp: '2026-03-04', 'Last Updated': '2026-03-04', 'Created By': '1', 'Updated By': '', Draft: 'No', IP: '203.0.113.7', ID: '3', Key: 'ab12c', Form: 'Contact us now and we reply' }, 'Ann Lee', 'Hello', 'Do you ship?'],
  ['Flamingo', { Subject: 'Hello', From: 'Ann Lee <a@example.com>', 'your-name': 'Ann Lee', 'your-email': 'a@example.com', 'your-subject': 'Hello', 'your-message': 'Do you ship?', Date: '2026-03-04 10:00:00' }, 'Ann Lee', 'Hello', 'Do you ship?'],
  ['Netlify', { number: '12', name: 'Ann', email: 'a@example.com', message: 'Hello there', ip: '203.0.113.7', user_agent: 'Mozilla/5.0 (X11; Linux)', referrer: 'https://example.com/contact', created_at: '2026-03-04T14:05:06Z' }, 'Ann', '', 'Hello there'],
]

/** Without any sentence. */
// biome-ignore format: a form a line
const short: readonly Sent[] = [
  ['reply to an invitation', { name: 'Ann', attending: 'Yes', guests: '2', song: 'Dancing Queen', diet: 'Vegan' }, 'Ann', 'Dancing Queen', 'Vegan'],
  ['fault', { url: 'https://example.com/a?b=c', browser: 'Firefox', steps: 'Click twice on Save', severity: 'High', reporter: 'ann@example.com' }, 'ann@example.com', 'Firefox', 'Click twice on Save'],
  ['table', { name: 'Ann', when: '2026-12-12', time: '18:30', persons: '4', table: 'Window' }, 'Ann', '2026-12-12', 'Window'],
  ['day', { name: 'Ann', email: 'a@example.com', date: '2026-12-12', persons: '4' }, 'Ann', '', '2026-12-12'],
  ['helpers of a festival', { name: 'Alex Morgan', email: 'alex@example.org', shift: 'Morning', shirt: 'M', message: '' }, 'Alex Morgan', '', 'Morning'],
  ['order', { name: 'Karl Neumann', email: 'karl@example.org', phone: '0301234567', cake: 'Black Forest', servings: '12', inscription: 'Opa wird 75' }, 'Karl Neumann', 'Black Forest', 'Opa wird 75'],
  ['order with two texts', { name: 'Megan Hart', cake: 'A white rabbit on green grass, two tiers', inscription: 'Welcome, Noah' }, 'Megan Hart', 'Welcome, Noah', 'A white rabbit on green grass, two tiers'],
  ['score', { score: '9', why: 'fast', email: '' }, '', '', 'fast'],
  ['one choice', { name: 'Poppy Wells', cake: 'Carrot', servings: '10' }, 'Poppy Wells', '', 'Carrot'],
]

describe('what a row of a list shows', () => {
  test.each(ofFifteen)('of fifteen fields: %s', (_, data, sender, about, text) => {
    expect(Object.keys(data)).toHaveLength(15)
    expect(lineOf(data)).toEqual([sender, about, text])
  })

  test.each([...exported, ...short])('%s', (_, data, sender, about, text) =>
    expect(lineOf(data)).toEqual([sender, about, text]),
  )
})
