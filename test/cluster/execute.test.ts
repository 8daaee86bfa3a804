import { expect, test } from 'bun:test'
import { beginText } from '../../src/storage/cluster/batch-text.ts'
import { createLogExecutor } from '../../src/storage/cluster/execute.ts'
import { readPosition } from '../../src/storage/cluster/position.ts'
import { connect } from '../../src/storage/open.ts'
import type { Commands } from '../../src/storage/writer/batch.ts'
import { folderWithData } from '../empty-data.ts'

const fault = () => Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR_WRITE' })

test('what a command remembered is forgotten after a fault of the disk, also if the file cannot be read then', () => {
  const folder = folderWithData()
  const db = connect(folder)
  const faults = { executing: false, joining: false }
  const joinCommands = (): Commands => {
    if (faults.joining) throw fault()
    let count = 0
    return {
      count() {
        count++
        if (faults.executing) throw fault()
        return count
      },
    }
  }
  const executor = createLogExecutor({ db, joinCommands, version: 1, fingerprint: () => 'x' })
  const row = (seq: number) => ({ seq, id: String(seq), version: 1, batch: '[["count"]]' })
  const execute = (seq: number) => executor.execute([row(seq)], String(seq)).outcomes
  executor.execute([{ ...row(1), batch: beginText('x') }])
  expect(execute(2)).toEqual([{ result: 1 }])
  Object.assign(faults, { executing: true, joining: true })
  for (let n = 0; n < 2; n++) expect(() => execute(3)).toThrow('disk I/O error')
  Object.assign(faults, { executing: false, joining: false })
  expect(execute(3)).toEqual([{ result: 1 }])
  expect(() => execute(5)).toThrow('do not follow')
  expect(() => execute(3)).toThrow('do not follow')
  expect(readPosition(db)).toEqual({ seq: 3, id: '3' })
  db.$client.close()
})
