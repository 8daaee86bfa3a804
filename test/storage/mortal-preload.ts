// Loaded before Formbox, whose only Worker is the writer: gives it a thread that a request can kill.
const mortal = new URL('./mortal-thread.ts', import.meta.url).href

globalThis.Worker = class extends Worker {
  constructor(_module: string | URL, options?: WorkerOptions) {
    super(mortal, options)
  }
}
