// What Bun itself needs for a body, to compare Formbox with: a server that reads it, and does nothing else.
const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  idleTimeout: 120,
  async fetch(request) {
    if (request.body === null) return new Response()
    let length = 0
    for await (const piece of request.body) {
      length += piece.length
      // Otherwise it would be busy until the last of them.
      if (piece.length < 4096) await new Promise(setImmediate)
    }
    return new Response(`${length}`)
  },
})
process.stdout.write(`${server.url.origin}\n`)
