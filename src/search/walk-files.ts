import { basename, isWithin, relative } from '../fs/path.js'
import type { Entry, FileSystem, Kind } from '../fs/types.js'
import { openWalk, type Verdict, type Walk, type WalkOptions } from '../fs/walk.js'
import type { State } from './automaton.js'
import type { Glob } from './glob.js'
import { createIgnoreStack, type IgnoreLevel, type IgnoreOptions } from './ignore.js'

export interface FileWalkOptions extends Omit<WalkOptions, 'filter'> {
  /** Only what matches is told of; directories that can't hold a match are not entered. All of it, unless given. */
  include?: Glob
  /** What matches is left out; a directory that matches takes all below it along, unless `excludePrunes` is false. */
  exclude?: Glob
  excludePrunes?: boolean
  /** The directory that `include` and `exclude` count from; the one that is walked, unless given. */
  globBase?: string
  /** Names with a leading dot are seen; true unless given. */
  hidden?: boolean
  ignore?: IgnoreOptions
  /** What is told of besides files; directories are entered all the same. */
  tellOf?: { directories?: boolean; others?: boolean }
}

export interface FileWalk extends Walk {
  /** Entries left out by ignore rules. */
  readonly ignored: number
  /** Ignore files that could not be read, or not be honoured to the end. */
  readonly incompleteIgnoreFiles: readonly string[]
}

/** How far the machines have read on the way to a directory, by the depth of its entries. */
interface Level {
  ignore: IgnoreLevel | undefined
  include: State | undefined
  exclude: State | undefined
}

/** Walks a directory for its files, past ignore rules and globs. Nothing is asked twice: each level goes on where the one above it was. */
export function walkFiles(fs: FileSystem, directory: string, options: FileWalkOptions = {}): FileWalk {
  const { include, exclude, excludePrunes = true, hidden = true, globBase = directory, tellOf = {} } = options
  const stack = options.ignore && createIgnoreStack(fs, options.ignore)
  const levels: Level[] = []
  let ignored = 0

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
    })
  }

  /** Where a machine stands at the start, if that is not its base. */
  function at(glob: Glob, path: string): State {
    const { automaton } = glob
    const way = isWithin(globBase, path) ? relative(globBase, path) : ''
    return way === '' ? automaton.start : automaton.advance(automaton.start, `${way}/`)
  }

  function judge({ name, kind }: Entry, depth: number): Verdict {
    if (!hidden && name.startsWith('.')) return 'skip'
    const level = levels[depth] as Level
    const isDirectory = kind === 'directory'
    if (level.ignore?.ignores(name, isDirectory)) {
      ignored += 1
      return 'skip'
    }
    if (kind === 'file' && include === undefined && exclude === undefined) return 'tell-only'
    const excluded = look(exclude, level.exclude, name, isDirectory)
    if (excluded.matches && (excludePrunes || !isDirectory)) return 'skip'
    const included = look(include, level.include, name, isDirectory)
    const tells = !excluded.matches && (included.matches || include === undefined) && isToldOf(kind)
    const leadsOn = isDirectory || (kind === 'symlink' && options.followLinks !== undefined)
    const enters = leadsOn && !excluded.inside?.holdsBelow && !(isDirectory && included.inside?.isDead)
    if (tells) return enters ? 'tell' : 'tell-only'
    return enters ? 'enter-only' : 'skip'
  }

  function isToldOf(kind: Kind): boolean {
    if (kind === 'file') return true
    return kind === 'directory' ? (tellOf.directories ?? false) : (tellOf.others ?? false)
  }

  const walk = openWalk(fs, directory, { ...options, filter: { opened, judge } })
  return {
    ...walk,
    get ignored() {
      return ignored
    },
    incompleteIgnoreFiles: stack?.incomplete ?? [],
  }
}

/** Whether a name matches, and where the machine stands inside it if it is a directory; one may be written with a slash at its end. */
function look(glob: Glob | undefined, from: State | undefined, name: string, isDirectory: boolean) {
  if (glob === undefined || from === undefined) return { matches: false, inside: undefined }
  const reached = glob.automaton.advance(from, name)
  if (!isDirectory) return { matches: reached.fileRule >= 0, inside: undefined }
  const inside = glob.automaton.advance(reached, '/')
  return { matches: reached.fileRule >= 0 || inside.fileRule >= 0, inside }
}
