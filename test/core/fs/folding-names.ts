/** File systems that take several spellings for one name, as those of macOS and Windows do. */
import { relocate } from '../../../src/errors.js'
import { basename, dirname, join } from '../../../src/fs/path.js'
import { serialQueue } from '../../../src/fs/serial-queue.js'
import type { FileSystem } from '../../../src/fs/types.js'
import { withoutFacets } from '../../../src/fs/without-facets.js'

export interface NameRules {
  /** Equal for all spellings of a name. */
  fold(name: string): string
  /** How a new name is stored. */
  stored?(name: string): string
  caseSensitive: boolean
}

/** NTFS, and the usual APFS but for its normal forms. */
export const ignoringCase: NameRules = { fold: (name) => name.toLowerCase(), caseSensitive: false }

/** The usual APFS: names are stored as given, and found under every spelling. */
export const asInApfs: NameRules = { fold: (name) => name.normalize('NFC').toLowerCase(), caseSensitive: false }

/** HFS+, which stores names decomposed. */
export const asInHfs: NameRules = { ...asInApfs, stored: (name) => name.normalize('NFD') }

/** One call at a time, so that no name is made twice. */
export function foldingNames(fs: FileSystem, { fold, stored = (name) => name, caseSensitive }: NameRules): FileSystem {
  const takeTurn = serialQueue()

  async function spelt(path: string): Promise<string> {
    if (path === '/') return path
    const directory = await spelt(dirname(path))
    const wanted = fold(basename(path))
    const entries = await fs.readDir(directory).catch(() => [])
    return join(directory, entries.find(({ name }) => fold(name) === wanted)?.name ?? stored(basename(path)))
  }

  async function found<Result>(path: string, run: (path: string) => Promise<Result>): Promise<Result> {
    try {
      return await run(await spelt(path))
    } catch (error) {
      throw relocate(error, () => path)
    }
  }

  const at: typeof found = (path, run) => takeTurn(() => found(path, run))
  const { symlink, readLink, setMode, setModified, open: _, watch, ...rest } = withoutFacets(fs)
  return {
    ...rest,
    capabilities: { ...fs.capabilities, caseSensitive, sync: false },
    stat: (path) => at(path, fs.stat),
    readFile: (path, range) => at(path, (name) => fs.readFile(name, range)),
    writeFile: (path, data, options) => at(path, (name) => fs.writeFile(name, data, options)),
    readDir: (path) => at(path, fs.readDir),
    makeDir: (path) => at(path, fs.makeDir),
    remove: (path) => at(path, fs.remove),
    rename: (from, to) =>
      at(from, async (source) => {
        const target = await spelt(to)
        await fs.rename(source, target === source ? join(dirname(target), stored(basename(to))) : target)
      }),
    ...(symlink && { symlink: (target, path, options) => at(path, (name) => symlink(target, name, options)) }),
    ...(readLink && { readLink: (path, options) => at(path, (name) => readLink(name, options)) }),
    ...(setMode && { setMode: (path, mode) => at(path, (name) => setMode(name, mode)) }),
    ...(setModified && { setModified: (path, ms) => at(path, (name) => setModified(name, ms)) }),
    ...(watch && { watch: (path, onChange) => at(path, (name) => watch(name, onChange)) }),
  }
}
