/** Ten fields, of every kind that judges a text. */
export const fields = [
  { name: 'name', type: 'text', required: true, maxLength: 100 },
  { name: 'email', type: 'email', required: true },
  { name: 'phone', type: 'tel' },
  { name: 'site', type: 'url' },
  { name: 'guests', type: 'number', min: 1, max: 20 },
  { name: 'day', type: 'date', min: '2026-01-01', max: '2099-12-31' },
  { name: 'meal', type: 'choice', options: ['Meat', 'Fish', 'Vegetarian'] },
  { name: 'extras', type: 'choices', options: ['Parking', 'Cot', 'Late arrival'] },
  { name: 'terms', type: 'checkbox', required: true },
  { name: 'message', type: 'lines', maxLength: 2000 },
]

/** A submission that follows them. */
export const answers = {
  name: 'Ada Lovelace',
  email: 'ada@example.com',
  phone: '+44 20 7946 0000',
  site: 'https://example.com/ada',
  guests: '4',
  day: '2027-05-31',
  meal: 'Fish',
  extras: ['Parking', 'Cot'],
  terms: 'on',
  message: 'Please call me back before the end of May',
}
