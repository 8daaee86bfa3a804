// Preloaded into the server under test: ends the writer's thread when the process gets SIGUSR2.
const Original = globalThis.Worker

globalThis.Worker = class extends Original {
  constructor(...options: ConstructorParameters<typeof Original>) {
    super(...options)
    process.on('SIGUSR2', () => this.terminate())
  }
}
