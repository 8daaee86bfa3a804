// Imported before everything else: Elysia reads it while it loads, and in production keeps what was sent out of errors.
process.env.NODE_ENV = 'production'
