import { FsError, relocate } from '../../errors.js'
import { isWithin, join, relative } from '../path.js'
import { withLister, withNow, withPieces, withReader } from '../sync-calls.js'
import type { Call, FileSystem, LinkOptions, WriteOptions } from '../types.js'

/** The same tree with its root at `point`: paths, absolute link targets and errors are all told from there. */
export function below(point: string, fs: FileSystem): FileSystem {
  const inward = (path: string) => `/${relative(point, path)}`
  const outward = (path: string) => (path === '/' ? point : join(point, path.slice(1)))

  async function told<Result>(run: () => Promise<Result>): Promise<Result> {
    try {
      return await run()
    } catch (error) {
      throw relocate(error, outward)
    }
  }

  function toldNow<Result>(run: () => Result): Result {
    try {
      return run()
    } catch (error) {
      throw relocate(error, outward)
    }
  }

  /** A call whose first argument is a path. */
  function inside<Given extends unknown[], Result>(
    call: Call<[string, ...Given], Result>,
  ): Call<[string, ...Given], Result> {
    const { now } = call
    return withNow(
      (path, ...rest) => told(() => call(inward(path), ...rest)),
      now && ((path, ...rest) => toldNow(() => now(inward(path), ...rest))),
    )
  }

  function stagedInward<Given extends WriteOptions | undefined>(options: Given): Given | WriteOptions {
    if (options?.staged?.replaces === undefined) return options
    const { replaces, owner, more = false } = options.staged
    const staged: WriteOptions['staged'] = { replaces: inward(replaces), more }
    if (owner !== undefined) staged.owner = owner
    return options.mode === undefined ? { staged } : { staged, mode: options.mode }
  }

  const { look, makeDurable, symlink, readLink, setMode, setModified, open, sha256, watch } = fs
  const { now: writeNow, pieces } = fs.writeFile
  const { now: renameNow } = fs.rename
  const { reader } = fs.readFile
  const { lister } = fs.readDir
  return {
    capabilities: fs.capabilities,
    stat: inside(fs.stat),
    readFile: withReader(inside(fs.readFile), reader && ((directory) => reader(inward(directory)))),
    ...(look && { look: inside(look) }),
    writeFile: withPieces(
      withNow(
        (path, data, options) => told(() => fs.writeFile(inward(path), data, stagedInward(options))),
        writeNow && ((path, data, options) => toldNow(() => writeNow(inward(path), data, stagedInward(options)))),
      ),
      pieces && ((path, given, options) => told(() => pieces(inward(path), given, stagedInward(options)))),
    ),
    readDir: withLister(inside(fs.readDir), lister && ((directory) => lister(inward(directory)))),
    makeDir: inside(fs.makeDir),
    remove: inside(fs.remove),
    rename: withNow(
      (from, to, options) => told(() => fs.rename(inward(from), inward(to), options)),
      renameNow && ((from, to, options) => toldNow(() => renameNow(inward(from), inward(to), options))),
    ),
    ...(makeDurable && { makeDurable: inside(makeDurable) }),
    ...(symlink && {
      async symlink(target: string, path: string, options?: LinkOptions) {
        const absolute = target.startsWith('/') && !options?.verbatim
        if (absolute && !isWithin(point, target)) throw new FsError('CROSS_DEVICE', { path, to: target })
        await told(() => symlink(absolute ? inward(target) : target, inward(path), options))
      },
    }),
    ...(readLink && {
      async readLink(path: string, options?: LinkOptions) {
        const target = await told(() => readLink(inward(path), options))
        return target.startsWith('/') && !options?.verbatim ? outward(target) : target
      },
    }),
    ...(setMode && { setMode: inside(setMode) }),
    ...(setModified && { setModified: inside(setModified) }),
    ...(sha256 && { sha256 }),
    ...(open && { open: inside(open) }),
    ...(watch && {
      watch: (path: string, onChange: Parameters<typeof watch>[1]) =>
        told(() => watch(inward(path), (change) => onChange({ path: outward(change.path) }))),
    }),
  }
}
