import { Html } from './html.ts'

const css = `
:root { color-scheme: light dark; font: 1.0625rem/1.5 system-ui, sans-serif }
body { margin: 0; min-height: 100vh; display: grid; place-items: center }
main { max-width: 32rem; padding: 2rem; text-align: center }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 .75rem }
p { margin: 0 0 .5rem; overflow-wrap: anywhere }
`

export const style = new Html(`<style>${css}</style>`)

/** Lets the content security policy allow this style and no other. */
export const styleHash = `sha256-${new Bun.CryptoHasher('sha256').update(css).digest('base64')}`
