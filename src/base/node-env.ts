// Must be imported first: Elysia reads it when it is loaded. In production its errors do not contain what was sent.
process.env.NODE_ENV = 'production'
