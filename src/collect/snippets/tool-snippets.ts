import { type Html, html } from '../../html/html.ts'

export interface Snippet {
  readonly id: string
  readonly name: string
  readonly code: string
  readonly copy: string
  readonly note: string | Html
}

/** The form in the files of common tools. @param plain its HTML */
export const toolSnippets = (plain: string): readonly Snippet[] => [
  {
    id: 'react',
    name: 'React',
    code: component(plain),
    copy: 'Copy component',
    note: html`Save it as <code>Contact.jsx</code>. The browser sends the form, also before the scripts have loaded.`,
  },
  {
    id: 'astro',
    name: 'Astro',
    code: withoutBraces(plain),
    copy: 'Copy component',
    note: html`Save it as <code>src/components/Contact.astro</code>, and use it as <code>&lt;Contact /&gt;</code>.`,
  },
  {
    id: 'hugo',
    name: 'Hugo',
    code: withoutBraces(plain),
    copy: 'Copy shortcode',
    note: html`Hugo leaves out HTML in Markdown. Save this as <code>layouts/shortcodes/contact.html</code>, and write <code>{{&lt; contact &gt;}}</code> into the page.`,
  },
  {
    id: 'wordpress',
    name: 'WordPress',
    code: `<!-- wp:html -->\n${plain}\n<!-- /wp:html -->`,
    copy: 'Copy block',
    note: 'Paste it into the code editor of a page: it is the block “Custom HTML”. WordPress keeps a form only of a user who may use unfiltered HTML, such as an editor.',
  },
]

export const otherTools = (plain: string): Snippet => ({
  id: 'other',
  name: 'Other',
  code: plain,
  copy: 'Copy HTML',
  note: 'Jekyll, Eleventy, Vue, Svelte, Webflow and most others take the HTML as it is. Of a form that you have, change only its action, to the address above, and its method, to post.',
})

/** Braces begin an expression there, and entities are text everywhere. */
const withoutBraces = (markup: string): string => markup.replaceAll('{', '&#123;').replaceAll('}', '&#125;')

const component = (plain: string): string => {
  const [form = '', script] = plain.split(/\n(?=<script )/)
  const markup = withoutBraces(form.replace(/\n? +oninput="[^"]*"/, '\n  onInput=#'))
    .replaceAll(/<(\w+)((?:\s+[\w-]+(?:=(?:"[^"]*"|#))?)*)>/g, (_, name: string, attributes: string) =>
      asJsx(name, attributes),
    )
    .replace(
      'onInput=#',
      'onInput={({ currentTarget }) => { currentTarget._idempotency.value = Date.now() + Math.random() }}',
    )
  const loading = script === undefined ? '' : `// The page also needs this line: ${script}\n`
  return `${loading}export const Contact = () => (\n${markup.replaceAll(/^/gm, '  ')}\n)`
}

const asJsx = (name: string, attributes: string): string => {
  const renamed = attributes.replaceAll(
    /([\w-]+)((?:=(?:"[^"]*"|#))?)/g,
    (_, attribute: string, value: string) => (jsxNames[attribute] ?? attribute) + value,
  )
  return `<${name}${renamed}${name === 'input' ? ' />' : '>'}`
}

const jsxNames: Readonly<Record<string, string>> = {
  'accept-charset': 'acceptCharset',
  autocomplete: 'autoComplete',
  enctype: 'encType',
  inputmode: 'inputMode',
  maxlength: 'maxLength',
  minlength: 'minLength',
}
