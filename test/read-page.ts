// What a page shows, as people and screen readers know it: by roles and names. Its markup may change without a test.

interface Element {
  readonly tag: string
  readonly attributes: Readonly<Record<string, string>>
  text: string
}

export interface ShownPage {
  readonly title: string | undefined
  /** The text of the first-level heading. */
  readonly heading: string | undefined
  /** The texts of all headings, in their order. */
  readonly headings: readonly string[]
  /** The names of groups of fields. */
  readonly groups: readonly string[]
  /** The whole text of each element that is no container of others, such as a paragraph, or a word in bold. */
  readonly texts: readonly string[]
  /** The whole text of each element that keeps the direction of its text to itself, as texts of people must. */
  readonly isolated: readonly string[]
  /** All that is to be read, in one line. */
  readonly text: string
  /** The addresses of all links. */
  readonly links: readonly string[]
  /** The names of the links to where the reader is. */
  readonly current: readonly string[]
  /** Where forms send what was typed, and how: `post /forms/new`. */
  readonly forms: readonly string[]
  /** The address of the link with that name. */
  link(name: string): string | undefined
  /** The attributes of what is typed into or ticked under that name; `value` is also that of several lines. */
  field(name: string): Readonly<Record<string, string>> | undefined
  /** The attributes of the button with that name. */
  button(name: string): Readonly<Record<string, string>> | undefined
  /** What is said to be wrong with what was typed in the input of that name. */
  problem(name: string): string | undefined
  /** The value that a form sends without showing it. */
  hidden(name: string): string | undefined
}

/** Reads a page. */
export const readPage = (html: string): ShownPage => {
  let read: readonly Element[] | undefined
  const all = (...tags: string[]): readonly Element[] => {
    read ??= elementsOf(html)
    return tags.length === 0 ? read : read.filter(({ tag }) => tags.includes(tag))
  }
  const named = (tag: string, name: string): Element | undefined =>
    all(tag).find(({ text, attributes }) => inOneLine(attributes['aria-label'] ?? text) === name)
  const textsOf = (elements: readonly Element[]): string[] => elements.map(({ text }) => text)
  return {
    get title() {
      return all('title')[0]?.text
    },
    get heading() {
      return all('h1')[0]?.text
    },
    get headings() {
      return textsOf(all('h1', 'h2', 'h3', 'h4'))
    },
    get groups() {
      return textsOf(all('legend'))
    },
    get texts() {
      return textsOf(all().filter(({ tag, text }) => text !== '' && !containers.has(tag)))
    },
    get isolated() {
      return textsOf(all().filter(({ tag, attributes }) => tag === 'bdi' || attributes.dir === 'auto'))
    },
    get text() {
      return inOneLine(all('body')[0]?.text ?? '')
    },
    get current() {
      return textsOf(all('a').filter(({ attributes }) => attributes['aria-current'] === 'page'))
    },
    get forms() {
      return all('form').map(({ attributes: { method = 'get', action = '' } }) => `${method} ${action}`)
    },
    get links() {
      return all('a').map(({ attributes }) => attributes.href ?? '')
    },
    link: (name) => named('a', name)?.attributes.href,
    field(name) {
      const found = all('input', 'textarea', 'select').find(
        ({ attributes }) => attributes.name === name && attributes.type !== 'hidden',
      )
      return found && { ...found.attributes, ...(found.tag === 'textarea' && { value: found.text }) }
    },
    button: (name) => named('button', name)?.attributes,
    problem: (name) => all().find(({ attributes }) => attributes.id === `${name}-error`)?.text,
    hidden: (name) =>
      all('input').find(({ attributes }) => attributes.type === 'hidden' && attributes.name === name)?.attributes.value,
  }
}

const inOneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()

const elementsOf = (html: string): Element[] => {
  const found: Element[] = []
  const open: Element[] = []
  new HTMLRewriter()
    .on('*', {
      element(element) {
        const attributes = Object.fromEntries([...element.attributes].map(([name, value]) => [name, unescaped(value)]))
        const one: Element = { tag: element.tagName, attributes, text: '' }
        found.push(one)
        if (!element.canHaveContent || voids.has(one.tag)) return
        open.push(one)
        element.onEndTag(() => {
          open.splice(open.indexOf(one), 1)
        })
      },
      text({ text }) {
        for (const one of open) one.text += text
      },
    })
    .transform(html)
  for (const one of found) one.text = unescaped(one.text).trim()
  return found
}

const containers = new Set(
  'html head body header main nav section footer form fieldset div ul ol dl table thead tbody tr details'.split(' '),
)
const voids = new Set(['br', 'hr', 'img', 'input', 'link', 'meta'])

export const unescaped = (text: string): string =>
  text.replaceAll(
    /&(lt|gt|quot|#x27|amp);/g,
    (_, name: string) => ({ lt: '<', gt: '>', quot: '"', '#x27': "'", amp: '&' })[name] ?? '',
  )
