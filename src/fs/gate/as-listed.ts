/** The spelling of names where several find the same entry. */
import { join, relative, split } from '../path.js'
import { syncOrAsync } from '../sync.js'
import type { FileSystem } from '../types.js'
import type { PathFollower } from './follow-path.js'

export interface AsListedOptions extends Pick<PathFollower, 'isMissing'> {
  /** The root of the path: the names above it are known. */
  root: string
  comparable(path: string): string
}

/** The path with the names that are listed, where others are found too. Names that are not found stay as they are. */
export async function asListed(
  fs: FileSystem,
  path: string,
  { root, isMissing, comparable }: AsListedOptions,
): Promise<string> {
  let done = root
  const ahead = split(`/${relative(done, path)}`)
  for (const [index, name] of ahead.entries()) {
    const directory = done
    if (await isMissing(join(directory, name))) return join(directory, ahead.slice(index).join('/'))
    const listed = await syncOrAsync(fs.sync?.readDir(directory), () => fs.readDir(directory))
    const isListed = listed.some((each) => each.name === name)
    const spelled = isListed ? name : listed.find((each) => comparable(each.name) === comparable(name))?.name
    done = join(directory, spelled ?? name)
  }
  return done
}
