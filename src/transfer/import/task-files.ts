import { importTarget, partialFile, removePartial } from '../../storage/partial-file.ts'

interface Named {
  readonly folder: string
  readonly id: string
}

/** Where a file is while it is imported. */
export const uploadPath = ({ folder, id }: Named): string =>
  partialFile(importTarget(folder, `formbox.upload-${id}`), process.pid)

/** The name of the file in which its submissions are staged, see `FileOptions`. */
export const stagedName = (id: string): string => `formbox.import-${id}`

/** Removes both of them, if they are there. */
export const removeFilesOf = ({ folder, id }: Named): void => {
  for (const path of [uploadPath({ folder, id }), partialFile(importTarget(folder, stagedName(id)), process.pid)])
    removePartial(path)
}
