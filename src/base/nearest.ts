/** The known name that someone probably meant, or undefined. */
export const nearest = (name: string, known: readonly string[]): string | undefined => {
  const plain = plainOf(name)
  const most = Math.max(1, Math.floor(plain.length / 3))
  const [closest] = known
    .map((one) => ({ one, edits: editsBetween(plain, plainOf(one)) }))
    .filter(({ edits }) => edits <= most)
    .sort((a, b) => a.edits - b.edits)
  return closest?.one
}

const maxCharacters = 64

/** `return_url` and `ReturnURL` are `returnUrl`. */
const plainOf = (name: string): string =>
  name
    .slice(0, maxCharacters)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '')

/** How many letters have to be added, left out, changed or put after the next one to get the other text. */
const editsBetween = (text: string, other: string): number => {
  let beforeLast: number[] = []
  let last = Array.from({ length: other.length + 1 }, (_, position) => position)
  for (let i = 1; i <= text.length; i++) {
    const row = [i]
    for (let j = 1; j <= other.length; j++) {
      const isSame = text[i - 1] === other[j - 1]
      const isSwapped = i > 1 && j > 1 && text[i - 1] === other[j - 2] && text[i - 2] === other[j - 1]
      const edits = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + Number(!isSame))
      row.push(isSwapped ? Math.min(edits, (beforeLast[j - 2] ?? 0) + 1) : edits)
    }
    beforeLast = last
    last = row
  }
  return last[other.length] ?? 0
}
