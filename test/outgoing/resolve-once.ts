import { openResolver } from '../../src/remote/resolver.ts'

/** A process of its own, to see whether it ends. */
const nothing = '/dev/null'
const [server = '', name = ''] = process.argv.slice(2)
const resolver = openResolver({ hostsFile: nothing, settingsFile: nothing, servers: [server] })
console.log((await resolver.resolve(name)).map(({ address }) => address).join())
