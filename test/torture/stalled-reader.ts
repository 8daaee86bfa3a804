// A client that sends a request and never reads the answer. With `node:net` on the same machine, the system would buffer
// 2.5 MB of the answer. With the smallest segments and receive buffer, it buffers 28 kB.
import { dlopen, FFIType, ptr } from 'bun:ffi'
import { readFileSync } from 'node:fs'

const { i32, u32, u64, i64, ptr: pointer } = FFIType
const { symbols: libc } = dlopen('libc.so.6', {
  socket: { args: [i32, i32, i32], returns: i32 },
  setsockopt: { args: [i32, i32, i32, pointer, u32], returns: i32 },
  connect: { args: [i32, pointer, u32], returns: i32 },
  send: { args: [i32, pointer, u64, i32], returns: i64 },
  close: { args: [i32], returns: i32 },
})

// Linux's numbers.
const [AF_INET, SOCK_STREAM, SOCK_CLOEXEC] = [2, 1, 0o2000000]
const [SOL_SOCKET, SO_RCVBUF, IPPROTO_TCP, TCP_MAXSEG] = [1, 8, 6, 2]

/** Connects to 127.0.0.1 and sends the bytes, all of which the server's system has to take. Returns what ends it. */
export const openStalledReader = (port: number, bytes: Uint8Array): (() => void) => {
  const socket = libc.socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)
  const set = (level: number, option: number, value: number) =>
    libc.setsockopt(socket, level, option, ptr(new Int32Array([value])), 4) === 0
  const address = new Uint8Array(16)
  address.set([127, 0, 0, 1], 4)
  const view = new DataView(address.buffer)
  view.setUint16(0, AF_INET, true)
  view.setUint16(2, port)
  const isOpen =
    set(SOL_SOCKET, SO_RCVBUF, 1) &&
    set(IPPROTO_TCP, TCP_MAXSEG, 536) &&
    libc.connect(socket, ptr(address), address.length) === 0 &&
    Number(libc.send(socket, ptr(bytes), bytes.length, 0)) === bytes.length
  if (!isOpen) throw new Error('a stalled reader could not connect')
  return () => libc.close(socket)
}

/** Of how many clients the answer has begun to arrive, and of how many it goes on in the server. */
export const countStalled = (port: number): { answered: number; waiting: number } => {
  const local = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const connections = readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , , state]) => state === '01')
  // While connections come and go, the system lists some of them twice.
  return {
    answered: new Set(
      connections.flatMap(([, own, peer, , queues]) => (peer === local && !queues?.endsWith(':00000000') ? own : [])),
    ).size,
    waiting: new Set(
      connections.flatMap(([, own, peer, , queues]) => (own === local && !queues?.startsWith('00000000:') ? peer : [])),
    ).size,
  }
}
