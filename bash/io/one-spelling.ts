import { basename } from '../../src/fs/path.js'
import type { FileSystem } from '../../src/fs/types.js'

const plainCharacters = /^[\x20-\x7e]*$/

/** Whether a file of another name can't be the same: neither case nor another way to write a character makes one name of two. */
export function hasOneSpelling({ capabilities }: Pick<FileSystem, 'capabilities'>, path: string): boolean {
  return capabilities.caseSensitive && plainCharacters.test(basename(path))
}
