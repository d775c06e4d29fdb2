import type { ConfinedFileSystem } from '../../fs/gate/confine.js'
import { basename, dirname, join } from '../../fs/path.js'

/** The path of an entry with the name that it was given, if that is another spelling of the same name; undefined otherwise. */
export function spelledAnew(fs: ConfinedFileSystem, path: string, given: string): string | undefined {
  const spelled = join(dirname(path), basename(given))
  return spelled !== path && fs.comparable(spelled) === fs.comparable(path) ? spelled : undefined
}
