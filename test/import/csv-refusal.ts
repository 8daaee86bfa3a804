import { AppError, issueLine } from '../../src/base/errors.ts'
import { readCsv } from '../../src/transfer/import/csv.ts'
import { emptyPlan } from '../../src/transfer/import/plan.ts'

/** Why a CSV file is refused: `nothing` if it is not. */
export const refusal = async (chunks: AsyncIterable<Uint8Array>): Promise<string> => {
  try {
    for await (const { parse } of readCsv(chunks, { isRaw: false, plan: emptyPlan() })) parse()
    return 'nothing'
  } catch (error) {
    if (error instanceof AppError) return error.issues.map(issueLine).join()
    throw error
  }
}
