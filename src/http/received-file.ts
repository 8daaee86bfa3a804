import { tooLarge } from '../base/errors.ts'
import { type FileTaker, maxImportBytes } from '../transfer/import/take-file.ts'
import type { Exchange } from './exchange.ts'
import { MultipartParser } from './multipart.ts'
import { type PieceTaker, readUpload } from './read-body.ts'

/** Room for the parts of the body that are not the file. */
const maxOtherBytes = 64 * 1024

/** The file of a form with one file input, while it arrives. */
export class ReceivedFile {
  /** As the browser says; empty until its part has begun. */
  name = ''

  constructor(
    private readonly exchange: Exchange,
    private readonly userId: string,
  ) {}

  /** Passes the file on. @throws AppError `invalid` for any other body */
  async readTo(to: FileTaker): Promise<'too large' | 'complete'> {
    const { request, server } = this.exchange
    const parser = new MultipartParser(request.headers.get('content-type') ?? '')
    let size = 0
    const takeFound = async (): Promise<void> => {
      for (let found = parser.next(); found; found = parser.next()) {
        if (found.kind === 'file') this.name = found.filename
        if (found.kind !== 'bytes') continue
        size += found.bytes.length
        if (size > maxImportBytes) throw tooLarge(maxImportBytes)
        await to.take(found.bytes)
      }
    }
    const taker: PieceTaker = {
      async take(piece) {
        parser.add(piece)
        await takeFound()
      },
      heldBytes: () => to.heldBytes(),
    }
    const read = await readUpload({ request, server, owner: () => this.userId }, maxImportBytes + maxOtherBytes, taker)
    if (read === 'complete') parser.end()
    return read
  }
}
