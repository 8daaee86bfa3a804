import { describe, expect, test } from 'bun:test'
import { fieldsIn } from '../../src/submissions/sent-fields.ts'
import { summaryOf } from '../../src/submissions/summary.ts'

const lineOf = (data: object, fields?: readonly object[]) => {
  const { from, ...line } = summaryOf(fieldsIn(JSON.stringify(data)), fields ? JSON.stringify({ fields }) : null)
  return line
}

describe('a submission in one line', () => {
  test.each([
    [
      'English',
      {
        _language: 'en',
        salutation: 'Ms',
        'First name': 'Ella',
        'Last name': 'Fox',
        Email: 'ella@example.com',
        Phone: '+44 7700 900123',
        Company: 'Fox & Sons',
        Street: '14 Mill Lane, the house behind the old mill',
        City: 'Leeds',
        Postcode: 'LS1 4AP',
        Guests: '4',
        Occasion: 'Christening',
        Message: 'Lemon, for thirty, with the name in white, please.',
        consent: 'I agree that my data is kept as the privacy policy of this page says.',
        utm_campaign: 'a-campaign-of-the-winter-with-a-name-that-is-longer-than-the-message-is',
      },
      { sender: 'Ella Fox', about: 'Christening', text: 'Lemon, for thirty, with the name in white, please.' },
    ],
    [
      'German',
      {
        Anrede: 'Frau',
        Vorname: 'Miriam',
        Nachname: 'Groß',
        'E-Mail-Adresse': 'miriam@example.de',
        Telefonnummer: '030 1234567',
        Straße: 'Hinter der alten Mühle in der Gartenstraße 120',
        Hausnummer: '120',
        PLZ: '10115',
        Ort: 'Berlin',
        Land: 'Deutschland',
        Betreff: 'Hochzeit',
        Termin: '2027-05-03',
        Nachricht: 'Haben Sie im Frühjahr noch Termine für zwei Torten?',
        Newsletter: 'ja',
        Datenschutz: 'Ich habe die Hinweise zum Datenschutz gelesen und stimme ihnen zu.',
      },
      { sender: 'Miriam Groß', about: 'Hochzeit', text: 'Haben Sie im Frühjahr noch Termine für zwei Torten?' },
    ],
    [
      'French',
      {
        Civilité: 'Mme',
        Nom: 'Petit-Lemaire',
        Prénom: 'Chloé',
        Courriel: 'chloe@example.fr',
        Téléphone: '01 23 45 67 89',
        Adresse: '3 rue du Moulin, derrière la boulangerie du village',
        'Code postal': '75011',
        Ville: 'Paris',
        Pays: 'France',
        Objet: 'Commande',
        Date: 'samedi',
        Nombre_de_pains: '3',
        Message: 'Pourriez-vous me réserver trois baguettes aux graines ?',
        RGPD: "J'accepte que mes données soient conservées pour répondre à ma demande.",
        newsletter: 'non',
      },
      {
        sender: 'Chloé Petit-Lemaire',
        about: 'Commande',
        text: 'Pourriez-vous me réserver trois baguettes aux graines ?',
      },
    ],
    [
      'Spanish',
      {
        Tratamiento: 'Sr.',
        Nombre: 'Pablo',
        Apellidos: 'Serrano Gil',
        'Correo electrónico': 'pablo@example.es',
        Teléfono: '612 345 678',
        Empresa: '',
        Dirección: 'Calle Mayor 14, segundo piso, puerta de la izquierda',
        'Código postal': '28013',
        Ciudad: 'Madrid',
        País: 'España',
        Asunto: '',
        Productos: ['Pan', 'Tarta'],
        Mensaje: '¡El pan de centeno de ayer estaba espectacular!',
        Privacidad: 'He leído y acepto la política de privacidad de esta página web.',
        token: '0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef',
      },
      { sender: 'Pablo Serrano Gil', about: 'Pan, Tarta', text: '¡El pan de centeno de ayer estaba espectacular!' },
    ],
    [
      'Japanese',
      {
        お名前: '高橋 健太',
        会社名: 'パン工房',
        メールアドレス: 'kenta@example.jp',
        電話番号: '03-1234-5678',
        件名: '注文',
        個数: '3',
        日付: '12月12日',
        本文: '金曜日に食パンを三斤お願いできますか。',
        _language: 'ja',
        q1: '',
        q2: '',
        q3: '',
        q4: '',
        utm_source: 'newsletter',
        gclid: 'x'.repeat(80),
      },
      { sender: '高橋 健太', about: '注文', text: '金曜日に食パンを三斤お願いできますか。' },
    ],
  ])('finds sender, subject and text among fifteen fields: %s', (_, data, line) => {
    expect(Object.keys(data)).toHaveLength(15)
    expect(lineOf(data)).toEqual(line)
    expect(lineOf(Object.fromEntries(Object.entries(data).reverse())).sender).toBe(line.sender)
  })

  test.each([
    [{ message: 'Hi', email: 'ada@example.com', name: ' ' }, 'ada@example.com', 'Hi'],
    [{ message: 'Hi', company: 'Fox & Sons', email: 'ada@example.com' }, 'Fox & Sons', 'Hi'],
    [{ message: 'Hi', 'Wohin?': 'ada@example.com' }, 'ada@example.com', 'Hi'],
    [{ message: 'Hi', mobile: '+44 7700 900123' }, '+44 7700 900123', 'Hi'],
    [{ name: 'Ada Lovelace', surname: 'Lovelace' }, 'Ada Lovelace', ''],
    [{ name: '\u200b\u2060', email: 'not an address' }, 'not an address', ''],
    [{ a: 'One', b: 'Two words', c: 3, d: { e: 'nested and longer than the others' } }, '', 'Two words'],
    [{ name: 'Ada', link: 'https://example.com/a/long/one', note: 'a word' }, 'Ada', 'a word'],
    [{ token: 'abc' }, '', 'abc'],
    [{}, '', ''],
  ])('%j', (data, sender, text) => expect(lineOf(data)).toMatchObject({ sender, text }))

  test.each([
    // As their exports name the columns.
    [
      'Typeform',
      {
        '#': 'a1b2c3d4e5f60718293a4b5c6d7e8f90',
        "What's your full name?": 'Rosa Weber',
        'Great! Where can we reach you?': 'rosa@example.com',
        'Which of these do you use?': 'Git',
        Other: '',
        'Tell us more about your project.':
          'We print maps for hikers and would like to know the price of five hundred.',
        'Response Type': 'completed',
        'Start Date (UTC)': '2026-03-04 14:05:06',
        'Stage Date (UTC)': '',
        'Submit Date (UTC)': '2026-03-04 14:06:06',
        'Network ID': '9f3c1a77b2',
        Tags: '',
      },
      {
        sender: 'Rosa Weber',
        about: 'Git',
        text: 'We print maps for hikers and would like to know the price of five hundred.',
      },
    ],
    [
      'Google Forms',
      {
        Timestamp: '2026/03/04 2:05:06 PM GMT+1',
        'Email Address': 'bo@example.com',
        'What is your name?': 'Bo Lind',
        'Will you come?': 'Yes',
        'How many of you?': '3',
        'Anything else?': 'We bring a cake.',
      },
      { sender: 'Bo Lind', about: '', text: 'We bring a cake.' },
    ],
    [
      'Jotform',
      {
        'Submission Date': '2026-03-05 14:05:06',
        'First Name': 'Bo',
        'Last Name': 'Lind',
        'E-mail': 'bo@example.com',
        'Street Address': '12 Long Street, second floor, left',
        'Phone Number': '(555) 123-4567',
        Appointment: 'Monday, Mar 09, 2026 10:00 AM-11:00 AM',
        Comments: 'Please call first.',
        'Submission IP': '203.0.113.7',
        'Submission URL': 'https://form.jotform.com/123',
        'Submission ID': '551',
        'Last Update Date': '',
      },
      { sender: 'Bo Lind', about: 'Monday, Mar 09, 2026 10:00 AM-11:00 AM', text: 'Please call first.' },
    ],
    [
      'Gravity Forms',
      {
        'Name (First)': 'Ana',
        'Name (Last)': 'Ruiz',
        Email: 'ana@example.com',
        Message: 'Do you ship to Spain?',
        'Created By (User Id)': '',
        'Entry Id': '21',
        'Entry Date': '2026-03-04 10:00:00',
        'Source Url': 'https://example.com/contact/',
        'Transaction Id': '',
        'User Agent': 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36',
        'User IP': '203.0.113.7',
      },
      { sender: 'Ana Ruiz', about: '', text: 'Do you ship to Spain?' },
    ],
    [
      'Kobo',
      {
        start: '2026-03-04T14:05:06.000+01:00',
        end: '2026-03-04T14:06:06.000+01:00',
        'group_a/respondent_name': 'Amina',
        'group_a/village': 'Kisumu',
        'group_b/water_source': 'well',
        'group_b/notes': 'The pump has been broken since January.',
        _id: '123',
        _uuid: '2f3c-77',
        _submission_time: '2026-03-04T13:06:10',
        _validation_status: '',
        _index: '1',
      },
      { sender: 'Amina', about: 'Kisumu', text: 'The pump has been broken since January.' },
    ],
    [
      'LimeSurvey',
      {
        id: '3',
        submitdate: '2026-03-04 14:05:06',
        lastpage: '4',
        startlanguage: 'de',
        seed: '1878822391',
        G01Q01: 'Wie war der Kurs? Sehr gut, vielen Dank.',
        G01Q02: 'A2',
      },
      { sender: '', about: 'A2', text: 'Wie war der Kurs? Sehr gut, vielen Dank.' },
    ],
    [
      'Wufoo',
      {
        'Entry Id': '1',
        Name: 'Kim',
        Last: 'Park',
        Email: 'kim@example.com',
        'What can we help with?': 'Billing',
        'Date Created': '2026-03-04 10:00:00',
        'Created By': 'public',
        'IP Address': '203.0.113.7',
        'Last Page Accessed': '1',
        'Completion Status': '1',
      },
      { sender: 'Kim Park', about: '', text: 'Billing' },
    ],
    [
      'MS Forms',
      {
        ID: '1',
        'Start time': '3/4/26 14:05:00',
        'Completion time': '3/4/26 14:07:00',
        Email: 'anonymous',
        Name: '',
        'Wie heißen Sie?': 'Jörg Müller',
        'An welchem Tag kommen Sie?': 'Samstag',
        'Was essen Sie nicht?': 'Nüsse und alles mit Milch',
      },
      { sender: 'Jörg Müller', about: 'Samstag', text: 'Nüsse und alles mit Milch' },
    ],
    [
      'Tally',
      {
        'Submission ID': 'wQx1',
        'Respondent ID': 'a8xY',
        'Submitted at': '2026-03-04 14:05:06',
        'Company name': 'Fox GmbH',
        'Work email': 'fox@example.de',
        'How many people work with you?': '11-50',
        'What should we know?': 'We move in May.',
      },
      { sender: 'Fox GmbH', about: '11-50', text: 'We move in May.' },
    ],
    [
      'SurveyMonkey',
      {
        'Respondent ID': '11874567',
        'Collector ID': '22',
        'Start Date': '03/04/2026 02:05:06 PM',
        'End Date': '03/04/2026',
        'IP Address': '203.0.113.7',
        'First Name': '',
        'How likely is it that you would recommend us?': '9',
        'What could we do better?': 'Open on Sundays.',
      },
      { sender: '', about: '', text: 'Open on Sundays.' },
    ],
    [
      'Event',
      {
        'Ticket type': 'Early bird',
        Attendee: 'Lena Koch',
        'E-Mail': 'lena@example.de',
        'T-Shirt': 'M',
        'Diet (vegetarian, vegan, none)': 'vegan',
        'Emergency contact': 'Max Koch',
        'Comments / questions': '',
      },
      { sender: 'Lena Koch', about: 'Early bird', text: 'Max Koch' },
    ],
    [
      'Polish',
      {
        'Imię i nazwisko': 'Ewa Nowak',
        'Adres e-mail': 'ewa@example.pl',
        'Numer telefonu': '600 123 456',
        Temat: 'Zamówienie',
        'Treść wiadomości': 'Czy mają Państwo chleb żytni?',
        'Zgoda na przetwarzanie danych osobowych':
          'Wyrażam zgodę na przetwarzanie moich danych osobowych w celu odpowiedzi.',
      },
      { sender: 'Ewa Nowak', about: 'Zamówienie', text: 'Czy mają Państwo chleb żytni?' },
    ],
    [
      'Ukrainian',
      { "Ваше ім'я": 'Олена', 'Ел. пошта': 'olena@example.com', Повідомлення: 'Чи є хліб?' },
      { sender: 'Олена', about: '', text: 'Чи є хліб?' },
    ],
    [
      'consent',
      {
        Name: 'Al',
        'I agree to the privacy policy and to be contacted':
          'I agree to the privacy policy and that you contact me about my request',
        Wish: 'A rye loaf',
      },
      { sender: 'Al', about: '', text: 'A rye loaf' },
    ],
    [
      'order',
      {
        product: 'Rye loaf',
        quantity: '3',
        size: 'L',
        delivery_address: '14 Mill Lane, Leeds, the house behind the mill',
        name: 'Ella',
        phone: '07700 900123',
        notes: 'Ring twice',
      },
      { sender: 'Ella', about: 'Rye loaf', text: 'Ring twice' },
    ],
  ])('passes over what no one wrote: %s', (_, data, line) => expect(lineOf(data)).toEqual(line))

  test('goes by types and labels of the form', () => {
    const fields = [
      { name: 'q1', type: 'text', label: 'Your name' },
      { name: 'q2', type: 'email' },
      { name: 'q3', type: 'checkbox', label: 'I agree to what the terms of this page say about my data' },
      { name: 'q4', type: 'choice', options: ['Front door', 'Kitchen'] },
      { name: 'q5', type: 'lines' },
      { name: 'q6', type: 'hidden' },
    ]
    const data = {
      q6: 'from the page about windows and doors, with a long text',
      q3: 'I agree to what the terms of this page say about my data',
      q5: 'It sticks.',
      q4: 'Front door',
      q1: 'Ines Duarte',
      q2: 'ines@example.com',
    }
    expect(lineOf(data, fields)).toEqual({ sender: 'Ines Duarte', about: 'Front door', text: 'It sticks.' })
    expect(lineOf({ ...data, q5: '' }, fields)).toMatchObject({ about: '', text: 'Front door' })
  })

  test('says from which fields it comes', () => {
    const data = {
      firstname: 'Ada',
      message: 'Hello there',
      lastname: 'Lovelace',
      tel: '1',
      kind: 'Order',
      email: 'ada@example.com',
    }
    expect(summaryOf(fieldsIn(JSON.stringify(data)), null).from).toEqual({
      sender: [0, 2],
      address: 5,
      telephone: 3,
      about: 4,
      text: 1,
    })
  })

  test('is one line without marks of direction, whatever was sent', () => {
    const evil = `Eve\r\nBcc: all@example.com\u202e\u2066\u0000 ${'x'.repeat(4000)}`
    for (const part of Object.values(lineOf({ name: evil, subject: evil, message: `${evil}y` }))) {
      expect(part).toStartWith('Eve Bcc: all@example.com\ufffd\ufffd\u2400 xxx')
      expect(part.length).toBeLessThanOrEqual(200)
    }
  })
})
