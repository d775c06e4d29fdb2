import { basename, isWithin, join, relative } from '../../fs/path.js'
import type { Entry, Kind, Tree } from '../../fs/types.js'
import { type DividedWalk, openWalk, type Verdict, type Walk, type WalkOptions } from '../../fs/walk/walk.js'
import type { State } from '../patterns/automaton.js'
import type { Glob } from '../patterns/glob.js'
import { createIgnoreStack, type IgnoreLevel, type IgnoreOptions, type IgnoreStack } from '../patterns/ignore-stack.js'

export interface FileWalkOptions extends Omit<WalkOptions, 'filter' | 'rest'> {
  /** Only matching entries are reported; directories that can't contain a match are not entered. Everything, unless given. */
  include?: Glob
  /** Matching entries are left out, with everything below a matching directory unless `excludePrunes` is false. */
  exclude?: Glob
  excludePrunes?: boolean
  /** The directory that `include` and `exclude` are relative to; the one that is walked, unless given. */
  globBase?: string
  /** Include names with a leading dot; true unless given. */
  hidden?: boolean
  ignore?: IgnoreOptions
  /** What is reported besides files; directories are entered in any case. */
  alsoReport?: {
    directories?: boolean
    others?: boolean
    /** Links below which `include` could match if they lead to a directory, whatever their own name is. */
    linksInto?: boolean
  }
}

export interface FileWalk extends Walk {
  /** Ignore files that could not be read, or only in part. */
  readonly incompleteIgnoreFiles: readonly string[]
}

/** A faster implementation of `walkFiles`, such as a thread pool, with the same results. */
export interface Walker {
  walk(directory: string, options: Omit<FileWalkOptions, 'enter' | 'followLinks' | 'onUnreadable'>): ClosableWalk
}

/** A walk that has to be closed, finished or not. */
export interface ClosableWalk extends FileWalk {
  close(): void
}

/** The states of the automata at a directory. */
interface Level {
  ignore: IgnoreLevel | undefined
  include: State | undefined
  exclude: State | undefined
}

/** Walks a directory for its files, with ignore rules and globs. Each level continues from the automaton states of the one above. */
export function walkFiles(fs: Tree, directory: string, options: FileWalkOptions = {}): FileWalk & DividedWalk {
  return fileWalks(fs, directory, options)()
}

/** Opens such a walk, or continues with a part of it. All parts share the ignore files that were read. */
export function fileWalks(fs: Tree, directory: string, options: FileWalkOptions) {
  const stack = options.ignore && createIgnoreStack(fs, options.ignore)
  return (part: Pick<WalkOptions, 'rest' | 'maxEntries'> = {}) =>
    openFileWalk(fs, directory, { ...options, ...part }, stack)
}

function openFileWalk(
  fs: Tree,
  directory: string,
  options: FileWalkOptions & Pick<WalkOptions, 'rest'>,
  stack: IgnoreStack | undefined,
): FileWalk & DividedWalk {
  const { include, exclude, excludePrunes = true, hidden = true, globBase = directory, alsoReport = {} } = options
  const levels: Level[] = []
  const incompleteIgnoreFiles: string[] = []
  let incompleteBefore = stack?.incomplete.length ?? 0

  function opened(path: string, entries: readonly Entry[], depth: number): void | Promise<void> {
    const above = levels[depth - 1]
    const name = basename(path)
    const below: Level = {
      ignore: undefined,
      include: include && (above ? include.automaton.advance(above.include as State, `${name}/`) : at(include, path)),
      exclude: exclude && (above ? exclude.automaton.advance(above.exclude as State, `${name}/`) : at(exclude, path)),
    }
    levels[depth] = below
    if (stack === undefined) return
    const level = above?.ignore ? above.ignore.enter(name, entries) : stack.open(path, entries)
    if (!(level instanceof Promise)) {
      below.ignore = level
      return
    }
    return level.then((read) => {
      below.ignore = read
      incompleteIgnoreFiles.push(...stack.incomplete.slice(incompleteBefore))
      incompleteBefore = stack.incomplete.length
    })
  }

  async function reopened(path: string, depth: number): Promise<void> {
    const ignore = await stack?.reopen(directory, path)
    levels[depth] = { ignore, include: include && at(include, path), exclude: exclude && at(exclude, path) }
    // Those above have been reported by the part that came there first.
    incompleteBefore = stack?.incomplete.length ?? 0
  }

  /** The state at a directory; the walk may start below or above the base of the globs. */
  function at({ automaton }: Glob, path: string): State {
    const toStart = isWithin(globBase, directory) ? relative(globBase, directory) : ''
    const fromBase = join(join('/', toStart), relative(directory, path)).slice(1)
    return fromBase === '' ? automaton.start : automaton.advance(automaton.start, `${fromBase}/`)
  }

  function judge({ name, kind }: Entry, depth: number): Verdict {
    if (!hidden && name.startsWith('.')) return 'skip'
    const level = levels[depth] as Level
    const isDirectory = kind === 'directory'
    if (level.ignore?.ignores(name, isDirectory)) return 'ignore'
    if (kind === 'file' && include === undefined && exclude === undefined) return 'report-only'
    const excluded = matchName(exclude, level.exclude, name, isDirectory)
    if (excluded.matches && (excludePrunes || !isDirectory)) return 'skip'
    const mayLeadInto = kind === 'symlink' && alsoReport.linksInto === true
    const included = matchName(include, level.include, name, isDirectory || mayLeadInto)
    const matches = (included.matches || include === undefined) && isReported(kind)
    const reports = !excluded.matches && (matches || (mayLeadInto && included.inside?.isDead !== true))
    const leadsOn = isDirectory || (kind === 'symlink' && options.followLinks !== undefined)
    const enters = leadsOn && !excluded.inside?.holdsBelow && !(isDirectory && included.inside?.isDead)
    if (reports) return enters ? 'report' : 'report-only'
    return enters ? 'enter-only' : 'skip'
  }

  function isReported(kind: Kind): boolean {
    if (kind === 'file') return true
    return kind === 'directory' ? (alsoReport.directories ?? false) : (alsoReport.others ?? false)
  }

  return { ...openWalk(fs, directory, { ...options, filter: { opened, reopened, judge } }), incompleteIgnoreFiles }
}

/** Whether a name matches, and the state inside it if it is a directory. The pattern of a directory may end in a slash. */
function matchName(glob: Glob | undefined, from: State | undefined, name: string, isDirectory: boolean) {
  if (glob === undefined || from === undefined) return { matches: false, inside: undefined }
  const reached = glob.automaton.advance(from, name)
  if (!isDirectory) return { matches: reached.fileRule >= 0, inside: undefined }
  const inside = glob.automaton.advance(reached, '/')
  return { matches: reached.fileRule >= 0 || inside.fileRule >= 0, inside }
}
