import { foldValue } from '../../base/search-fold.ts'
import { isControlField } from '../control-fields.ts'

/** Characters of a name that is made. A person may write a longer one. */
const maxMade = 60

/**
 * A name for a field with this label: `your_name` for “Your name”. Empty for a label without letters and digits.
 *
 * @param isTaken whether another field has a name
 */
export const nameFromLabel = (label: string, isTaken: (name: string) => boolean): string => {
  const base = baseOf(label)
  if (base === '' || !isTaken(base)) return base
  for (let number = 2; ; number++) {
    const name = `${base}_${number}`
    if (!isTaken(name)) return name
  }
}

/** Whether that name may have been made from that label. */
export const isFromLabel = (name: string, label: string): boolean => {
  const base = baseOf(label)
  return base !== '' && (name === base || (name.startsWith(`${base}_`) && /^\d+$/.test(name.slice(base.length + 1))))
}

const baseOf = (label: string): string => {
  const words = foldValue(label).match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  const name = [...words.join('_')].slice(0, maxMade).join('')
  return isControlField(name, '') ? '' : name
}
