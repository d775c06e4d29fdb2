import { split } from '../../fs/path.js'

/** The `.git` directory that a path is in, or is. */
export function gitDirectoryOf(path: string): string | undefined {
  const names = split(path)
  const at = names.indexOf('.git')
  return at === -1 ? undefined : `/${names.slice(0, at + 1).join('/')}`
}
