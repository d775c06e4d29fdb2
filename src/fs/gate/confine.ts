/** The gate: the one check of every path from outside. */
import { FsError, relocate } from '../../errors.js'
import { foldedName } from '../folded-name.js'
import { openFile } from '../open.js'
import { dirname, fromComponents, relative, split } from '../path.js'
import { type PathRules, posixRules } from '../path-rules.js'
import { syncOrAsync } from '../sync.js'
import type { Bytes, FileChange, FileSystem, WriteOptions } from '../types.js'
import { type AccessRules, type Grant, ruleChecks } from './access-rules.js'
import { asListed } from './as-listed.js'
import { authorizer, checkGitDirectory } from './authorize.js'
import { checkedAccess, read, readEntry, write, writeEntry } from './checked-access.js'
import { pathFollower } from './follow-path.js'
import { inputPaths } from './input-paths.js'
import { noFollowGate } from './no-follow-gate.js'
import type { Protection } from './protected-names.js'
import { createPlaces, type PlacesOptions, type Root } from './roots.js'
import { requireTree } from './rules-below.js'
import { syncGate } from './sync-gate.js'

export type { Root } from './roots.js'

export interface ConfineOptions extends PlacesOptions {
  /** At least one; relative input is resolved against the first. */
  roots: readonly [Root, ...Root[]]
  protect?: Protection
  /** How input is split into components; POSIX unless given. */
  pathRules?: PathRules
  /** What may be done at which path. */
  rules?: AccessRules
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
  /**
   * The same gate, which also reads the objects of git repositories. They hold the content of files that rules may deny, so only the code
   * that reads them for a path gets this; without rules about reading it is the gate itself.
   */
  readonly forObjects: ConfinedFileSystem
  /** The same gate with what the user has allowed for one call. */
  granting(grants: readonly Grant[]): ConfinedFileSystem
  /** The same gate without rules, to finish or roll back a change that was made before they were there. */
  readonly withoutRules: ConfinedFileSystem
  /** What rules say of a path; undefined where they allow it, and where there are none. */
  decide: AccessRules['decide']
  /** There are rules. */
  readonly areRuled: boolean
  /** Rules limit what may be read. */
  readonly limitsReading: boolean
  /**
   * Throws what `authorize` would for an entry below a directory that is moved to another place, or removed, also for entries that no
   * listing has. Undefined, without a promise, where no rule can apply, or the file system is synchronous.
   */
  requireTree(directory: string, to?: string): Promise<void> | undefined
  /** Throws `OUTSIDE` when a link at `path` would lead out of every root. */
  checkTarget(path: string, target: string): void
  /**
   * The same gate for paths whose links are resolved already: it follows none, and a path that leads through one fails with
   * `IS_LINK`. Links are read and created wherever they lead, so that a change can record and restore them.
   */
  readonly exact: FileSystem
}

/**
 * A view of `fs` that ends at its roots. Links are followed, but only to targets inside a root.
 *
 * Each operation first tries the path as it is: the file system below refuses links at the moment of acting, so success means
 * there was none and the path that was checked is the path that was used. Only when it meets a link is the path resolved,
 * checked again under its real name, and tried again. Nothing is decided about one path and done to another.
 */
export function confine(fs: FileSystem, options: ConfineOptions): ConfinedFileSystem {
  return gate(fs, options, { gitDirectories: [], grants: [], readsObjects: false })
}

/** What a gate lets through beyond the rules that were given for it. */
interface Opened {
  gitDirectories: readonly string[]
  grants: readonly Grant[]
  readsObjects: boolean
}

function gate(fs: FileSystem, options: ConfineOptions, opened: Opened): ConfinedFileSystem {
  const { roots, protect = {}, pathRules = posixRules, rules } = options
  const { capabilities } = fs
  const comparable = capabilities.caseSensitive ? (path: string) => path : foldedName

  const checks = ruleChecks(rules, opened)
  const places = createPlaces(options, comparable, checks)
  const { find: findRoot, isAbove: isAboveRoot, visible } = places
  const input = inputPaths({ roots, rules: pathRules, findRoot, comparable })
  const { rootOf, authorize } = authorizer({
    places,
    protect,
    gitDirectories: opened.gitDirectories,
    caseSensitive: capabilities.caseSensitive,
    checks,
  })
  const { follow, isFreeOfLinks, isMissing } = pathFollower(fs, places, checks)
  const { act, actSync } = checkedAccess({ resolve: input.resolveKnown, authorize, follow })

  function isRoot(path: string): boolean {
    return isAboveRoot(path) || fs.isFixed?.(path) === true
  }

  function refuseRoot(path: string): void {
    if (isRoot(path)) throw new FsError('IS_ROOT', { path })
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
      const given = input.resolve(path)
      const real = (await isFreeOfLinks(given, last)) ? given : await follow(given, last)
      authorize(real, 'read')
      return capabilities.caseSensitive
        ? real
        : await asListed(fs, real, { root: rootOf(real).path, isMissing, comparable })
    } catch (error) {
      throw relocate(error, () => path)
    }
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
          // Awaiting nothing would take a turn, and the file system may be one that acts before the call returns.
          const required = treeRequired(source, target)
          if (required !== undefined) await required
          await fs.rename(source, target)
        }
        await act(to, writeEntry, renameTo, (path) => (path === source ? source : to))
      },
      (path) => (path === to ? to : from),
    )
  }

  function treeRequired(directory: string, to?: string): Promise<void> | undefined {
    if (rules === undefined) return undefined
    // Nor is a repository moved where rules limit reading: at another place other rules may hold for what is in its history.
    return requireTree(fs, directory, {
      ...(to !== undefined && { to }),
      checks: ruleChecks(rules, { ...opened, readsObjects: false }),
    })
  }

  const { sync, symlink, readLink, setMode, setModified, watch } = fs

  const capabilitiesWithin = {
    ...capabilities,
    writable: capabilities.writable && roots.some((root) => root.access === 'read-write'),
  }
  const whole = {
    ...fs,
    ...(fs.transactional && { transactional: fs.transactional }),
    capabilities: capabilitiesWithin,
  }
  const exact = noFollowGate(whole, { authorize, refuseRoot, visible })

  const self: ConfinedFileSystem = {
    roots,
    resolve: input.resolve,
    show: input.show,
    showFull: input.showFull,
    pattern: input.pattern,
    realPath,
    locate,
    rootOf,
    authorize,
    isRoot,
    comparable,
    withGit: (directories) =>
      gate(fs, options, {
        ...opened,
        gitDirectories: directories.map((path) => checkGitDirectory(path, rootOf(path))),
        readsObjects: true,
      }),
    get forObjects() {
      return opened.readsObjects || !rules?.limitsReading ? self : gate(fs, options, { ...opened, readsObjects: true })
    },
    granting: (grants) =>
      grants.length === 0 ? self : gate(fs, options, { ...opened, grants: [...opened.grants, ...grants] }),
    get withoutRules() {
      const { rules: _, ...rest } = options
      return rules === undefined ? self : gate(fs, rest, opened)
    },
    decide: checks.decide,
    areRuled: rules !== undefined,
    limitsReading: rules?.limitsReading ?? false,
    requireTree: treeRequired,
    checkTarget,
    exact,
    capabilities: capabilitiesWithin,
    ...(sync && { sync: syncGate(sync, { actSync, places, rules: pathRules, checks }) }),
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
            if (checks.isHidden(change.path)) return
            // Reports the path that was asked for, not the real one behind a link.
            const below = relative(at, change.path)
            onChange({ path: below === '' ? path : `${path === '/' ? '' : path}/${below}` })
          }),
        ),
    }),
  }
  return self
}
