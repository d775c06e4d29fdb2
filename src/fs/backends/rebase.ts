import { FsError, relocate } from '../../errors.js'
import { isWithin, join, relative } from '../path.js'
import type { SyncFileSystem } from '../sync.js'
import type { StageOptions, SyncTransactional, TransactionalFileSystem } from '../transactional-types.js'
import type { FileSystem, LinkOptions } from '../types.js'

/** The same tree with its root at `point`: paths, absolute link targets and errors all start there. */
export function rebase(point: string, fs: FileSystem): FileSystem {
  const inward = (path: string) => `/${relative(point, path)}`
  const outward = (path: string) => (path === '/' ? point : join(point, path.slice(1)))

  async function relocated<Result>(run: () => Promise<Result>): Promise<Result> {
    try {
      return await run()
    } catch (error) {
      throw relocate(error, outward)
    }
  }

  function relocatedSync<Result>(run: () => Result): Result {
    try {
      return run()
    } catch (error) {
      throw relocate(error, outward)
    }
  }

  /** A call whose first argument is a path. */
  function inside<Given extends unknown[], Result>(call: (path: string, ...given: Given) => Promise<Result>) {
    return (path: string, ...given: Given) => relocated(() => call(inward(path), ...given))
  }

  function insideSync<Given extends unknown[], Result>(call: (path: string, ...given: Given) => Result) {
    return (path: string, ...given: Given) => relocatedSync(() => call(inward(path), ...given))
  }

  function syncInside(inner: SyncFileSystem): SyncFileSystem {
    const { stat, find, readFile, readDir, directoryLister, fileReader } = inner
    return {
      stat: insideSync(stat),
      ...(find && { find: insideSync(find) }),
      readFile: insideSync(readFile),
      readDir: insideSync(readDir),
      ...(directoryLister && { directoryLister: (directory) => directoryLister(inward(directory)) }),
      ...(fileReader && { fileReader: (directory) => fileReader(inward(directory)) }),
    }
  }

  function stageInward(options: StageOptions): StageOptions {
    return options.replaces === undefined ? options : { ...options, replaces: inward(options.replaces) }
  }

  function transactionalInside(inner: TransactionalFileSystem): TransactionalFileSystem {
    // A mount has several file systems, which no transaction spans.
    const { makeDir, makeDurable, sync, atomic: _, ...rest } = inner
    return {
      ...rest,
      statAndRead: inside(inner.statAndRead),
      stageFile: (path, content, options) =>
        relocated(() => inner.stageFile(inward(path), content, stageInward(options))),
      rename: (from, to) => relocated(() => inner.rename(inward(from), inward(to))),
      remove: inside(inner.remove),
      ...(makeDir && { makeDir: inside(makeDir) }),
      ...(makeDurable && { makeDurable: inside(makeDurable) }),
      ...(sync && { sync: syncTransactionalInside(sync) }),
    }
  }

  function syncTransactionalInside({ statAndRead, stageFile, rename, remove }: SyncTransactional): SyncTransactional {
    return {
      statAndRead: insideSync(statAndRead),
      ...(stageFile && {
        stageFile: (path, content, options) =>
          relocatedSync(() => stageFile(inward(path), content, stageInward(options))),
      }),
      ...(rename && { rename: (from, to) => relocatedSync(() => rename(inward(from), inward(to))) }),
      ...(remove && { remove: insideSync(remove) }),
    }
  }

  const { sync, transactional, symlink, readLink, setMode, setModified, open, watch, isFixed } = fs
  return {
    capabilities: fs.capabilities,
    ...(sync && { sync: syncInside(sync) }),
    ...(transactional && { transactional: transactionalInside(transactional) }),
    stat: inside(fs.stat),
    readFile: inside(fs.readFile),
    writeFile: inside(fs.writeFile),
    readDir: inside(fs.readDir),
    makeDir: inside(fs.makeDir),
    remove: inside(fs.remove),
    rename: (from, to) => relocated(() => fs.rename(inward(from), inward(to))),
    ...(symlink && {
      async symlink(target: string, path: string, options?: LinkOptions) {
        const absolute = target.startsWith('/') && !options?.verbatim
        if (absolute && !isWithin(point, target)) throw new FsError('CROSS_DEVICE', { path, to: target })
        await relocated(() => symlink(absolute ? inward(target) : target, inward(path), options))
      },
    }),
    ...(readLink && {
      async readLink(path: string, options?: LinkOptions) {
        const target = await relocated(() => readLink(inward(path), options))
        return target.startsWith('/') && !options?.verbatim ? outward(target) : target
      },
    }),
    ...(setMode && { setMode: inside(setMode) }),
    ...(setModified && { setModified: inside(setModified) }),
    ...(isFixed && { isFixed: (path: string) => isFixed(inward(path)) }),
    ...(open && { open: inside(open) }),
    ...(watch && {
      watch: (path: string, onChange: Parameters<typeof watch>[1]) =>
        relocated(() => watch(inward(path), (change) => onChange({ path: outward(change.path) }))),
    }),
  }
}
