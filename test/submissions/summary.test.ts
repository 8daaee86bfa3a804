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
      { sender: 'Ella Fox', about: 'Fox & Sons', text: 'Lemon, for thirty, with the name in white, please.' },
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
