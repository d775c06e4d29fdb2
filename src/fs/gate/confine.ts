/** The gate: the one check of every path from outside. */
import { FsError, isFsError, relocate } from '../../errors.js'
import { foldedName } from '../folded-name.js'
import { openFile } from '../open.js'
import {
  basename,
  dirname,
  fromComponents,
  isNormal,
  isWithin,
  join,
  relative,
  resolve as resolveIn,
  split,
} from '../path.js'
import { maxPathUnits, type PathRules, posixRules } from '../path-rules.js'
import { orWouldBlock, type SyncFileSystem, syncOrAsync, type WouldBlock, wouldBlock } from '../sync.js'
import type { Bytes, FileChange, FileSystem, WriteOptions } from '../types.js'
import { pathFollower } from './follow-path.js'
import { noFollowGate } from './no-follow-gate.js'
import { isOrdinaryName, type Protection, protectedGitName, protectedNameOn } from './protected-names.js'
import { createPlaces, type PlacesOptions, type Root } from './roots.js'

export type { Root } from './roots.js'

export interface ConfineOptions extends PlacesOptions {
  /** At least one; relative input is resolved against the first. */
  roots: readonly [Root, ...Root[]]
  protect?: Protection
  /** How input is split into components; POSIX unless given. */
  rules?: PathRules
}

export interface ConfinedFileSystem extends FileSystem {
  readonly roots: readonly [Root, ...Root[]]
  /**
   * Input from outside as an absolute path in a root. Purely lexical; relative input is resolved against `base`, or the first root.
   * Throws `INVALID_PATH` or `OUTSIDE`.
   */
  resolve(input: string, base?: string): string
  /** An absolute path as the host writes it, for people and agents; any other text stays as it is. `resolve` reads it back. */
  show(path: string): string
  /** Any input as an absolute path as the host writes it, as far as its spelling allows. Only to be shown: nothing is checked. */
  showFull(input: string, base: string): string
  /** A glob from outside, with the separators that patterns have in the core. */
  pattern(glob: string): string
  /** The path with every link followed. The entry must exist. */
  realPath(path: string): Promise<string>
  /**
   * The path with every link followed, the last component too unless `last` is `keep`. Missing components at its end stay as they are.
   * Where several spellings are one name, the one that is listed.
   */
  locate(path: string, last?: 'follow' | 'keep'): Promise<string>
  /** The innermost root that contains a path. */
  rootOf(path: string): Root
  /** Throws unless the root of a path grants the right and, for writing, its name is not protected. */
  authorize(path: string, right: 'read' | 'write'): void
  /** One spelling for all paths that the file system considers equal. Only for comparison. */
  comparable(path: string): string
  /** True for a root, a mount point, and a directory that contains one: none can be moved or removed. */
  isRoot(path: string): boolean
  /**
   * The same gate, which also allows changes inside these `.git` directories, except to files that git would run. For the change
   * engine, on behalf of a git operation; never for a path from outside.
   */
  withGit(gitDirectories: readonly string[]): ConfinedFileSystem
  /** Throws `OUTSIDE` when a link at `path` would lead out of every root. */
  checkTarget(path: string, target: string): void
  /**
   * The same gate for paths whose links are resolved already: it follows none, and a path that leads through one fails with
   * `IS_LINK`. Links are read and created wherever they lead, so that a change can record and restore them.
   */
  readonly exact: FileSystem
}

/** How many writable directories are cached. */
const maxRemembered = 256
/** How often a path may change under a call before the call gives up. */
const maxAttempts = 8

/** What an operation needs: a right, and whether a link at the end of the path is followed or used itself. */
interface Access {
  right: 'read' | 'write'
  last: 'follow' | 'keep'
}
const read: Access = { right: 'read', last: 'follow' }
const readEntry: Access = { right: 'read', last: 'keep' }
const write: Access = { right: 'write', last: 'follow' }
const writeEntry: Access = { right: 'write', last: 'keep' }

/**
 * A view of `fs` that ends at its roots. Links are followed, but only to targets inside a root.
 *
 * Each operation first tries the path as it is: the file system below refuses links at the moment of acting, so success means
 * there was none and the path that was checked is the path that was used. Only when it meets a link is the path resolved,
 * checked again under its real name, and tried again. Nothing is decided about one path and done to another.
 */
export function confine(fs: FileSystem, options: ConfineOptions): ConfinedFileSystem {
  return gate(fs, options, [])
}

function gate(fs: FileSystem, options: ConfineOptions, gitDirectories: readonly string[]): ConfinedFileSystem {
  const { roots, protect = {}, rules = posixRules } = options
  const { capabilities } = fs
  const comparable = capabilities.caseSensitive ? (path: string) => path : foldedName

  const places = createPlaces(options, comparable)
  const { find: findRoot, isAbove: isAboveRoot } = places
  const { follow, isFreeOfLinks, isMissing } = pathFollower(fs, places)
  const hasAliases = roots.some(({ aliases = [] }) => aliases.length > 0)

  function rootOf(path: string): Root {
    const root = findRoot(path)
    if (root === undefined) throw new FsError('OUTSIDE', { path })
    return root
  }

  function resolve(input: string, base: string = roots[0].path): string {
    if (!hasAliases && rules.isPlain?.(input) && findRoot(input) !== undefined) return input
    const { absolute, components } = rules.parse(input)
    const stack = absolute ? [] : split(base)
    for (const component of components) {
      if (component !== '..') stack.push(component)
      else if (stack.pop() === undefined) throw new FsError('OUTSIDE', { path: input })
    }
    const path = withoutAlias(fromComponents(stack))
    const root = findRoot(path)
    if (root === undefined) throw new FsError('OUTSIDE', { path: input })
    return isWithin(root.path, path) ? path : inSpellingOf(root.path, path)
  }

  const show = rules.print ?? ((path: string) => path)

  /** True for a path of the core, and for any input of a host with the same paths. */
  function isAsInCore(input: string): boolean {
    return rules.print === undefined || (input.startsWith('/') && show(input) !== input)
  }

  /** Input of a host with other paths, in the form of the core; a path with names that are refused, as far as it is spelled like one. */
  function unchecked(input: string): string {
    try {
      const { absolute, components } = rules.parse(input)
      return `${absolute ? '/' : ''}${components.join('/')}`
    } catch {
      return input.replace(/^(?=[a-zA-Z]:[\\/])/, '/').replaceAll('\\', '/')
    }
  }

  /** Where case does not matter, the root may be spelled otherwise than the directory that is mounted. */
  function inSpellingOf(root: string, path: string): string {
    return fromComponents([...split(root), ...split(path).slice(split(root).length)])
  }

  /**
   * Resolves a path from outside, or one that a walk has found: trees may be deeper than the limit for paths from outside. A found path
   * is absolute and normalised, and is returned unchanged.
   */
  function resolveKnown(path: string): string {
    return path.length > maxPathUnits && isNormal(path) && findRoot(path) !== undefined ? path : resolve(path)
  }

  function withoutAlias(path: string): string {
    for (const root of roots) {
      for (const alias of root.aliases ?? []) {
        if (!isWithin(comparable(alias), comparable(path))) continue
        return fromComponents([...split(root.path), ...split(path).slice(split(alias).length)])
      }
    }
    return path
  }

  /** Directories in which every ordinary name may be written, and that contain no root: for a path in one only the name is checked. */
  const writable = new Set<string>()
  /** The directory used last, which is usually the next one too. */
  let newest = ''

  function authorize(path: string, right: 'read' | 'write'): void {
    if (!isWritable(path) || !isOrdinaryName(basename(path))) check(path, right)
  }

  /** Whether the directory of the path is in `writable`. */
  function isWritable(path: string): boolean {
    const { length } = newest
    if (length > 0 && path.lastIndexOf('/') === length && path.slice(0, length) === newest) return true
    const directory = dirname(path)
    if (!writable.has(directory)) return false
    newest = directory
    return true
  }

  function check(path: string, right: 'read' | 'write'): void {
    const root = rootOf(path)
    if (right === 'read') return
    if (root.access === 'read-only') throw new FsError('READ_ONLY', { path })
    const opened = gitDirectories.find((directory) => path === directory || path.startsWith(`${directory}/`))
    const name =
      opened === undefined
        ? protectedNameOn(relative(root.path, path), protect)
        : protectedGitName(split(`/${relative(opened, path)}`))
    if (name !== undefined) throw new FsError('PROTECTED', { path, name })
    // Directly below a root more names may be protected.
    if (opened !== undefined || !capabilities.caseSensitive || isAboveRoot(dirname(path))) return
    if (writable.size === maxRemembered) {
      writable.clear()
      newest = ''
    }
    writable.add(dirname(path))
  }

  /** Accepts only a path that ends in exactly `.git` and is not inside another repository's `.git`. */
  function checkGitDirectory(path: string): string {
    const above = relative(rootOf(path).path, dirname(path))
    const name = basename(path) === '.git' ? protectedNameOn(above, {}) : basename(path)
    if (name !== undefined) throw new FsError('PROTECTED', { path, name })
    return path
  }

  function isRoot(path: string): boolean {
    return isAboveRoot(path) || fs.isFixed?.(path) === true
  }

  function refuseRoot(path: string): void {
    if (isRoot(path)) throw new FsError('IS_ROOT', { path })
  }

  /** Checks, tries, and on meeting a link resolves, checks and tries again. */
  async function act<Result>(
    given: string,
    access: Access,
    run: (path: string) => Result | Promise<Result>,
    known: (path: string) => string = () => given,
  ): Promise<Result> {
    try {
      let path = resolveKnown(given)
      for (let attempt = 1; ; attempt += 1) {
        authorize(path, access.right)
        try {
          return await run(path)
        } catch (error) {
          // A rename has two paths; each call of `act` follows the links of its own.
          const isOurs = isFsError(error, 'IS_LINK') && error.facts.path === path
          if (!isOurs || attempt === maxAttempts) throw error
        }
        path = await follow(path, access.last)
      }
    } catch (error) {
      throw relocate(error, known)
    }
  }

  /** The same without promises: following a link would block. */
  function actSync<Result>(given: string, run: (path: string) => Result | WouldBlock): Result | WouldBlock {
    try {
      const path = resolveKnown(given)
      authorize(path, 'read')
      return run(path)
    } catch (error) {
      if (isFsError(error, 'IS_LINK')) return wouldBlock
      throw relocate(error, () => given)
    }
  }

  function syncWithin(sync: SyncFileSystem): SyncFileSystem {
    const { stat, find, readFile, readDir, directoryLister, fileReader } = sync
    return {
      stat: (path) => actSync(path, stat),
      ...(find && { find: (path: string) => actSync(path, find) }),
      readFile: (path, range) => actSync(path, (at) => readFile(at, range)),
      readDir: (path) =>
        actSync(path, (at) => {
          const entries = readDir(at)
          return entries === wouldBlock ? wouldBlock : places.visible(at, entries)
        }),
      // Everything below a readable directory is readable: no link is followed.
      ...(directoryLister && {
        directoryLister: (directory) =>
          orWouldBlock(() =>
            actSync(directory, (at) => {
              const list = directoryLister(at)
              return list === wouldBlock ? wouldBlock : places.visibleBy(at, list)
            }),
          ),
      }),
      // A reader takes names that are one component by POSIX rules; other rules may split them.
      ...(fileReader &&
        rules === posixRules && { fileReader: (directory) => orWouldBlock(() => actSync(directory, fileReader)) }),
    }
  }

  async function realPath(path: string): Promise<string> {
    return act(path, read, async (at) => {
      const real = await follow(at, 'follow')
      authorize(real, 'read')
      await fs.stat(real)
      return real
    })
  }

  async function locate(path: string, last: 'follow' | 'keep' = 'follow'): Promise<string> {
    try {
      const given = resolve(path)
      const real = (await isFreeOfLinks(given, last)) ? given : await follow(given, last)
      authorize(real, 'read')
      return capabilities.caseSensitive ? real : await asListed(real)
    } catch (error) {
      throw relocate(error, () => path)
    }
  }

  /** The path with the names that are listed, where others are found too. Names that are not found stay as they are. */
  async function asListed(path: string): Promise<string> {
    let done = rootOf(path).path
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

  /** A link may only be created or read if it leads to a path inside a root. */
  function checkTarget(path: string, target: string): void {
    const components = target.startsWith('/') ? [] : split(dirname(path))
    for (const component of target.split('/')) {
      if (component === '' || component === '.') continue
      if (component !== '..') components.push(component)
      else if (components.pop() === undefined) throw new FsError('OUTSIDE', { path })
    }
    if (findRoot(fromComponents(components)) === undefined) throw new FsError('OUTSIDE', { path })
  }

  async function rename(from: string, to: string): Promise<void> {
    await act(
      from,
      writeEntry,
      async (source) => {
        refuseRoot(source)
        const renameTo = async (target: string) => {
          refuseRoot(target)
          await fs.rename(source, target)
        }
        await act(to, writeEntry, renameTo, (path) => (path === source ? source : to))
      },
      (path) => (path === to ? to : from),
    )
  }

  const { sync, symlink, readLink, setMode, setModified, watch } = fs

  const capabilitiesWithin = {
    ...capabilities,
    writable: capabilities.writable && roots.some((root) => root.access === 'read-write'),
  }
  const { visible } = places
  const whole = {
    ...fs,
    ...(fs.transactional && { transactional: fs.transactional }),
    capabilities: capabilitiesWithin,
  }
  const exact = noFollowGate(whole, { authorize, refuseRoot, visible })

  return {
    roots,
    resolve,
    show,
    showFull: (input, base) => show(resolveIn(base, isAsInCore(input) ? input : unchecked(input))),
    pattern: rules.pattern ?? ((glob) => glob),
    realPath,
    locate,
    rootOf,
    authorize,
    isRoot,
    comparable,
    withGit: (directories) => gate(fs, options, directories.map(checkGitDirectory)),
    checkTarget,
    exact,
    capabilities: capabilitiesWithin,
    ...(sync && { sync: syncWithin(sync) }),
    stat: (path) => act(path, readEntry, fs.stat),
    readFile: (path, range) => act(path, read, (at) => fs.readFile(at, range)),
    readDir: (path) =>
      act(path, read, async (at) => visible(at, await syncOrAsync(sync?.readDir(at), () => fs.readDir(at)))),
    open: (path) => act(path, read, (at) => openFile(fs, at)),
    writeFile: (path, data: Bytes, writeOptions: WriteOptions = {}) =>
      act(path, writeOptions.exclusive ? writeEntry : write, (at) => fs.writeFile(at, data, writeOptions)),
    makeDir: (path) => act(path, writeEntry, fs.makeDir),
    remove: (path) =>
      act(path, writeEntry, async (at) => {
        refuseRoot(at)
        await fs.remove(at)
      }),
    rename,
    ...(symlink && {
      symlink: (target: string, path: string) =>
        act(path, writeEntry, async (at) => {
          checkTarget(at, target)
          await symlink(target, at)
        }),
    }),
    ...(readLink && {
      readLink: (path: string) =>
        act(path, readEntry, async (at) => {
          const target = await readLink(at)
          checkTarget(at, target)
          return target
        }),
    }),
    ...(setMode && { setMode: (path: string, mode: number) => act(path, write, (at) => setMode(at, mode)) }),
    ...(setModified && { setModified: (path: string, ms: number) => act(path, write, (at) => setModified(at, ms)) }),
    ...(watch && {
      watch: (path: string, onChange: (change: FileChange) => void) =>
        act(path, read, (at) =>
          watch(at, (change) => {
            // Reports the path that was asked for, not the real one behind a link.
            const below = relative(at, change.path)
            onChange({ path: below === '' ? path : `${path === '/' ? '' : path}/${below}` })
          }),
        ),
    }),
  }
}
