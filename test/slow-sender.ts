// A visitor on a bad line: bytes that leave a connection slowly and steadily.
import type { Socket } from 'node:net'

/** Sends the bytes in ten pieces a second. Stops where the other side has ended the connection. */
export const sendSlowly = async (socket: Socket, bytes: Uint8Array | string, bytesPerSecond: number): Promise<void> => {
  const all = Buffer.from(bytes as string)
  const startedAt = performance.now()
  for (let sent = 0; sent < all.length && !socket.destroyed; ) {
    const due = Math.min(all.length, Math.ceil(((performance.now() - startedAt) / 1000 + 0.1) * bytesPerSecond))
    if (due > sent) socket.write(all.subarray(sent, due))
    sent = due
    await Bun.sleep(100)
  }
}
