import { FsError, relocate } from '../errors.js'
import { withLister, withNow } from './immediate.js'
import { isWithin, join, relative } from './path.js'
import type { FileSystem, LinkOptions } from './types.js'

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

  const { look, symlink, readLink, setMode, setModified, open, sha256, watch } = fs
  const { now: readFileNow } = fs.readFile
  const { now: readDirNow, lister } = fs.readDir
  const openNow = open?.now
  return {
    capabilities: fs.capabilities,
    stat: (path) => told(() => fs.stat(inward(path))),
    readFile: withNow(
      (path, range) => told(() => fs.readFile(inward(path), range)),
      readFileNow && ((path, range) => toldNow(() => readFileNow(inward(path), range))),
    ),
    ...(look && { look: (path: string, maxBytes: number) => told(() => look(inward(path), maxBytes)) }),
    writeFile: (path, data, options) =>
      told(() => {
        const staged = options?.staged
        const replaces = staged?.replaces
        const inner =
          replaces === undefined ? options : { ...options, staged: { ...staged, replaces: inward(replaces) } }
        return fs.writeFile(inward(path), data, inner)
      }),
    readDir: withLister(
      withNow(
        (path) => told(() => fs.readDir(inward(path))),
        readDirNow && ((path) => toldNow(() => readDirNow(inward(path)))),
      ),
      lister && ((directory) => lister(inward(directory))),
    ),
    makeDir: (path) => told(() => fs.makeDir(inward(path))),
    remove: (path) => told(() => fs.remove(inward(path))),
    rename: (from, to) => told(() => fs.rename(inward(from), inward(to))),
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
    ...(setMode && { setMode: (path: string, mode: number) => told(() => setMode(inward(path), mode)) }),
    ...(setModified && { setModified: (path: string, ms: number) => told(() => setModified(inward(path), ms)) }),
    ...(sha256 && { sha256 }),
    ...(open && {
      open: withNow(
        (path: string) => told(() => open(inward(path))),
        openNow && ((path) => toldNow(() => openNow(inward(path)))),
      ),
    }),
    ...(watch && {
      watch: (path: string, onChange: Parameters<typeof watch>[1]) =>
        told(() => watch(inward(path), (change) => onChange({ path: outward(change.path) }))),
    }),
  }
}
