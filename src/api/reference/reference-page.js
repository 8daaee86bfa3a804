// The page at /docs: Swagger UI on the description of this very server, and what it lacks: code samples, and
// an operation that fits on the screen.

const place = document.getElementById('reference')

// Swagger UI has dark colours, but leaves it to the page when to use them.
const prefersDark = matchMedia('(prefers-color-scheme: dark)')
const followSystem = () => document.documentElement.classList.toggle('dark-mode', prefersDark.matches)
prefersDark.addEventListener('change', followSystem)
followSystem()

// Only the page knows below which path the server is.
const address = document.querySelector('a[href$="/openapi.json"]').href
const api = new URL('.', address).href.slice(0, -1)
const server = new URL('..', api).href.slice(0, -1)

try {
  const answer = await fetch(address)
  if (!answer.ok) throw new Error(`the server responded with ${answer.status}`)
  // The description is the same for everyone, under whatever address they have opened this page.
  show(JSON.parse((await answer.text()).replaceAll('https://YOUR_SERVER', server)))
} catch (error) {
  place.firstElementChild.textContent = `The description of the API could not be loaded: ${error.message}`
}

function show(description) {
  // Under whatever address the page was opened, what is tried out goes there: the public one may be another origin.
  description.servers = [{ url: api, description: 'This server' }]
  for (const operation of Object.values(description.paths).flatMap(Object.values))
    if (operation.servers) operation.servers = [{ url: server }]
  delete description.info.contact
  leaveOptionalEmpty(description)
  const ui = window.SwaggerUIBundle({
    spec: description,
    domNode: place,
    plugins: [answers],
    // By tag or path.
    filter: true,
    deepLinking: true,
    displayRequestDuration: true,
    // The schemas below the operations, which show them too.
    defaultModelsExpandDepth: 0,
    // No service of others is asked whether the document is valid, and no address of a page chooses another one.
    validatorUrl: null,
    queryConfigEnabled: false,
    // The default theme has numbers that are hard to read.
    syntaxHighlight: { theme: 'obsidian' },
    // A key is kept until the page is left, and written nowhere.
    persistAuthorization: false,
  })
  // Swagger UI follows a link to an operation only when it starts.
  addEventListener('hashchange', () => ui.getSystem().layoutActions.parseDeepLinkHash(location.hash))
}

/**
 * Swagger UI fills every field with its example. Left so, the first list that one tries is cut to the dates of the
 * examples, and a bulk deletion has its identifiers both in the body and in the query, which is refused.
 */
function leaveOptionalEmpty({ paths, components }) {
  const operations = Object.values(paths).flatMap(Object.values)
  const parameters = operations.flatMap((operation) => operation.parameters ?? [])
  for (const parameter of [...parameters, ...Object.values(components.parameters)]) {
    if (parameter.$ref || parameter.required) continue
    delete parameter.example
    const { $ref } = parameter.schema.items ?? parameter.schema
    // An enum, whose example would be chosen.
    if ($ref) delete components.schemas[$ref.split('/').at(-1)].example
  }
  for (const operation of operations) {
    // Visitors of the first form that one makes would be sent to a page that is not there.
    delete operation.requestBody?.content['application/json'].example.returnUrl
  }
}

/**
 * Plugin: puts the `x-codeSamples` of an operation before its responses, folds up the headers and the errors, which are the
 * same everywhere, and mends what axe finds.
 */
function answers() {
  return {
    wrapComponents: {
      responses: (Responses, { React, getComponent }) => {
        const Samples = createSamples(React, getComponent)
        const Errors = createErrors(React, getComponent)
        return (props) => {
          const samples = props.specSelectors.specJson().getIn(['paths', props.path, props.method, 'x-codeSamples'])
          const isError = (_, status) => Number(status) >= 400
          return React.createElement(
            'div',
            { className: 'answers' },
            samples && React.createElement(Samples, { samples: samples.toJS() }),
            React.createElement(Responses, { ...props, responses: props.responses.filterNot(isError) }),
            React.createElement(Errors, { errors: props.responses.filter(isError).toJS() }),
          )
        }
      },
      // In the button that opens an operation is no link besides: opening it changes the address too.
      DeepLink:
        (DeepLink, { React }) =>
        (props) =>
          props.path?.includes('/')
            ? React.createElement('span', null, props.text)
            : React.createElement(DeepLink, props),
      TextArea:
        (TextArea, { React }) =>
        (props) =>
          React.createElement(TextArea, { 'aria-label': 'Body', ...props }),
      InfoContainer:
        (InfoContainer, { React }) =>
        (props) =>
          React.createElement('section', { 'aria-label': 'About' }, React.createElement(InfoContainer, props)),
      FilterContainer:
        (FilterContainer, { React }) =>
        (props) =>
          React.createElement(
            'div',
            { role: 'search' },
            React.createElement('h2', { className: 'wrapper' }, 'Operations'),
            React.createElement(FilterContainer, props),
          ),
      headers:
        (Headers, { React }) =>
        (props) =>
          props.headers?.size > 0 &&
          React.createElement(
            'details',
            null,
            React.createElement('summary', null, 'Headers'),
            React.createElement(Headers, props),
          ),
    },
  }
}

function createErrors(React, getComponent) {
  const element = React.createElement
  return ({ errors }) => {
    const statuses = Object.keys(errors)
    if (statuses.length === 0) return null
    const Markdown = getComponent('Markdown', true)
    const exampleOf = (status) => errors[status].content?.['application/json'].example
    const [example] = statuses.map(exampleOf).filter(Boolean)
    return element(
      'details',
      { className: 'errors' },
      element('summary', null, `Errors: ${statuses.join(', ')}`),
      element(
        'table',
        null,
        element(
          'tbody',
          null,
          statuses.map((status) =>
            element(
              'tr',
              { key: status },
              element('th', { scope: 'row' }, status),
              element('td', null, element(Markdown, { source: errors[status].description })),
              element('td', null, element('code', null, exampleOf(status)?.code)),
            ),
          ),
        ),
      ),
      example && element(getComponent('HighlightCode', true), { language: 'json' }, JSON.stringify(example, null, 2)),
    )
  }
}

/** The language chosen last, with which the next operation begins. */
let chosen = 'curl'

function createSamples(React, getComponent) {
  const element = React.createElement
  return ({ samples }) => {
    const [label, setLabel] = React.useState(chosen)
    const { lang, source } = samples.find((sample) => sample.label === label) ?? samples[0]
    const choose = (next) => {
      chosen = next
      setLabel(next)
    }
    return element(
      'div',
      { className: 'code-samples' },
      element(
        'div',
        { className: 'opblock-section-header' },
        element('h4', { className: 'opblock-title' }, 'Code samples'),
        element(
          'div',
          { className: 'languages', role: 'group', 'aria-label': 'Language' },
          samples.map((sample) =>
            element(
              'button',
              {
                key: sample.label,
                type: 'button',
                className: 'btn',
                'aria-pressed': sample.label === label,
                onClick: () => choose(sample.label),
              },
              sample.label,
            ),
          ),
        ),
      ),
      element(
        'div',
        { className: 'sample' },
        element(
          getComponent('HighlightCode', true),
          { language: lang === 'Shell' ? 'bash' : lang.toLowerCase(), canCopy: true, downloadable: false },
          source,
        ),
      ),
    )
  }
}
