// A visitor with a bad connection, who sends bytes slowly and steadily.
import type { Socket } from 'node:net'

/** Sends the bytes in ten pieces per second. Stops if the other side ends the connection. */
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
