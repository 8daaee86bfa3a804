import { parseNetworks } from '../../src/config/networks.ts'
import { openPoster } from '../../src/sending/webhooks/post.ts'

/** A process of its own, because a process reads its certificates and its proxies only once. */
const post = openPoster({ allowed: parseNetworks('networks', '127.0.0.0/8 ::1') })
console.log(JSON.stringify(await post(process.argv[2] as string, { headers: {}, body: Buffer.from('hello') })))
