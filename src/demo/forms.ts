import { dayMilliseconds } from '../base/durations.ts'
import type { SentSettings } from '../forms/settings/settings.ts'

/** A form of the demo, with the values of a submission in the order of its line in submissions.txt. */
interface DemoForm {
  readonly title: string
  readonly description: string
  readonly names: readonly string[]
  readonly settings: SentSettings
  /** Minutes since its newest submission. */
  readonly idleMinutes: number
}

export const owner = 'ada@example.com'
export const colleague = 'grace@example.com'
/** The host of the printer for orders. */
export const kitchen = 'kitchen.example.com'

export type FormName = 'contact' | 'workshop' | 'orders' | 'jobs' | 'festival'
export type DemoForms = Readonly<Record<FormName, DemoForm>>

/** The forms of a bakery. The last one is of the colleague. @param now Unix milliseconds */
export const demoForms = (now: number): DemoForms => ({
  jobs: {
    title: 'Job application',
    description: 'Baker, part-time or full-time',
    names: ['name', 'email', 'experience', 'message'],
    idleMinutes: 1500,
    settings: {
      fields: [
        { name: 'name', type: 'text', label: 'Your name', required: true },
        { name: 'email', type: 'email', label: 'Email', required: true },
        { name: 'experience', type: 'choice', label: 'Experience', required: true, options: experience },
        { name: 'message', type: 'lines', label: 'About you', maxLength: 2000 },
        { name: 'cv', type: 'file', label: 'CV', help: 'A PDF', required: true, fileTypes: ['application/pdf'] },
      ],
      columns: ['name', 'experience', 'message', 'cv'],
      group: 'Team',
      retentionDays: 180,
    },
  },
  orders: {
    title: 'Cake orders',
    description: 'On the page “Celebrations”',
    names: ['name', 'email', 'phone', 'cake', 'servings', 'inscription'],
    idleMinutes: 170,
    settings: {
      fields: [
        { name: 'name', type: 'text', label: 'Your name', required: true },
        { name: 'email', type: 'email', label: 'Email', required: true },
        { name: 'phone', type: 'tel', label: 'Phone', required: true },
        { name: 'cake', type: 'choice', label: 'Cake', required: true, options: cakes, other: true },
        { name: 'servings', type: 'number', label: 'Servings', required: true, min: 6, max: 60 },
        { name: 'inscription', type: 'text', label: 'Inscription', maxLength: 60 },
        { name: 'pickup', type: 'date', label: 'Pick-up', required: true },
        { name: 'photo', type: 'file', label: 'Photo', help: 'Of a cake that you like', fileTypes: ['image/*'] },
      ],
      columns: ['name', 'cake', 'servings', 'pickup', 'inscription'],
      group: 'Shop',
    },
  },
  workshop: {
    title: 'Sourdough workshop',
    description: 'Two Saturdays in the bakery',
    names: ['name', 'email', 'day', 'people', 'diet', 'remark'],
    idleMinutes: 43,
    settings: {
      fields: [
        { name: 'name', type: 'text', label: 'Your name', required: true },
        { name: 'email', type: 'email', label: 'Email', required: true },
        { name: 'day', type: 'choice', label: 'Day', required: true, options: workshopDays(now) },
        { name: 'people', type: 'number', label: 'People', required: true, min: 1, max: 4 },
        { name: 'diet', type: 'choices', label: 'Lunch', options: ['Vegetarian', 'Vegan', 'No nuts'] },
        { name: 'remark', type: 'lines', label: 'Remarks', maxLength: 500 },
      ],
      columns: ['name', 'day', 'people', 'diet', 'remark'],
      group: 'Events',
      page: {
        title: 'Bake sourdough with us',
        text: 'Four hours in our bakery: you feed a starter, shape two loaves and take both home.\n\nFrom 10 am to 2 pm, with lunch. No experience needed.',
        button: 'Sign up',
      },
      thankYou: 'See you in the bakery! Please bring an apron and a jar for your starter.',
      maxSubmissions: 30,
      reply: {
        field: 'email',
        subject: 'Your place in the workshop, {name}',
        text: 'Hello {name}\n\nYour place is reserved. Please bring an apron and a jar.\n\nIf you cannot come, reply to this email and quote {reference}.',
        copy: false,
      },
    },
  },
  contact: {
    title: 'Contact',
    description: 'The form at the bottom of every page',
    names: ['name', 'email', 'topic', 'message'],
    idleMinutes: 6,
    settings: {
      notify: [owner],
      blockedTerms: ['casino', 'bitcoin'],
      maxLinks: 2,
      learnSpam: true,
      group: 'Shop',
    },
  },
  festival: {
    title: 'Street festival: helpers',
    description: 'For our stand on Mill Lane',
    names: ['name', 'email', 'shift', 'shirt', 'message'],
    idleMinutes: 500,
    settings: { retentionDays: 90, group: 'Events' },
  },
})

const experience = ['None yet', 'Still learning', '2 to 5 years', 'More than 5 years']
const cakes = ['Lemon', 'Chocolate', 'Carrot', 'Black Forest']

/** The second and the third Saturday from now. */
const workshopDays = (now: number): readonly string[] => {
  const untilSaturday = (6 - new Date(now).getDay() + 7) % 7
  const words = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long' })
  return [7, 14].map((days) => words.format(now + (untilSaturday + days) * dayMilliseconds))
}

/** What the bakery wrote down about its visitors. */
export const notes: Readonly<Record<string, string>> = {
  'Tariq Hassan': 'Trial shift on Tuesday at 4 am. Bring him shoes in size 44.',
  'Marcus Bell': 'Has found another job.',
  'Sophie Lindner': 'Invited to a day in the bakery.',
  'Daniel Moore': 'Called back: 40 croissants from next month on, price list sent.',
  'Rachel Adams': 'The umbrella is behind the till.',
  'Megan Hart': 'Icing by Grace. Ask about the height of the box.',
}
