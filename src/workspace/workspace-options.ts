import type { Recovery } from '../change/changes.js'
import type { ReadsOf, StatsOf } from '../change/command-watcher.js'
import type { Journal } from '../change/journal/journal.js'
import type { DirectoryLocks } from '../change/locks/directory-locks.js'
import type { Locks } from '../change/locks/locks.js'
import type { AccessRules } from '../fs/gate/access-rules.js'
import type { Root } from '../fs/gate/confine.js'
import type { Protection } from '../fs/gate/protected-names.js'
import type { OutputPlace } from '../fs/output-directory.js'
import type { PathRules } from '../fs/path-rules.js'
import type { FileSystem } from '../fs/types.js'
import type { Network } from '../network/types.js'
import type { ManyStats } from '../search/run/watched-files.js'
import type { Shell } from '../shell/types.js'
import type { ApprovePath } from './approval.js'
import type { GitSettings } from './git-settings.js'
import type { Limits } from './limits.js'
import type { CompiledRules, Rule } from './rules.js'
import type { Workspace, WorkspaceInternals } from './workspace.js'

export interface WorkspaceOptions {
  fs: FileSystem
  /** The parts of `fs` that may be reached; all of it by default. */
  roots?: readonly [Root, ...Root[]]
  /** Directories in the roots that no tool reaches: neither read, nor listed, nor changed. */
  hidden?: readonly string[]
  /** A place for long output, which tools read by its path in `fs`. */
  output?: OutputPlace
  readOnly?: boolean
  protect?: Protection
  limits?: Partial<Limits>
  /** How paths from outside are read; POSIX unless given. */
  pathRules?: PathRules
  /**
   * What may be read, changed and run, by patterns of paths: `[{ deny: '.env*' }, { ask: 'src/**' }]`. A rule that denies wins; of the
   * others the last that matches decides. They hold for everything that the workspace does, and for what is opened within it or forked.
   */
  rules?: readonly Rule[]
  /** Asks the user where a rule says `ask`; without it, and unless the call brings its own, what needs a yes is refused. */
  approve?: ApprovePath
  /** A function is called for this workspace, and again for every workspace that is opened within it. */
  shell?: Shell | ((workspace: Workspace) => Shell)
  /** False: changes that commands make on a real disk are not recorded, and the tree is not scanned for them. */
  watchCommands?: boolean
  git?: GitSettings
  /** What programs of the emulated shell, and git, may reach. Default: nothing. */
  network?: Network
  /** In memory by default. */
  journal?: Journal
  /** Only within this process by default. */
  locks?: Locks
  /**
   * The clock. With one of its own a workspace is reproducible: results depend only on the calls, this clock and `random`.
   * Archives and git objects are then not compressed, and commands of the emulated shell run on a clock that starts at this
   * one and jumps over what they sleep. Default: `Date.now`.
   */
  now?: () => number
  /** Numbers from 0 to 1, for everything random that shows in results, so that runs can be repeated. Default: `Math.random`. */
  random?: () => number
  /** Opens a directory that an agent chooses. By default only directories inside this workspace can be opened. */
  openWorkspace?: (directory: string) => Promise<Workspace>
  /** @internal What adapters and episodes pass. */
  internals?: InternalOptions
}

export interface InternalOptions
  extends Partial<
    Pick<WorkspaceInternals, 'searches' | 'searcher' | 'moveClock' | 'scratch' | 'lineage' | 'moment' | 'shellBefore'>
  > {
  /** A faster stat of several entries of a directory of `fs`. The gate does not check its paths again. */
  statsOf?: StatsOf
  /** The same for entries of many directories. */
  manyStats?: ManyStats
  /** A faster way to read several files of a directory of `fs`. The gate does not check its paths again. */
  readsOf?: ReadsOf
  /** Locks of the directories that changes are made in; none by default. */
  directoryLocks?: DirectoryLocks
  /** Ids for changes, in ascending order; see `ChangesOptions`. */
  changeIds?: (atMs: number) => string
  /** The rules of the workspace that this one is made from: their patterns are read from its roots. */
  compiledRules?: AccessRules & Partial<CompiledRules>
  /** The recovery of a workspace whose journal this one has, or has a copy of. By default it starts one of its own. */
  recovered?: Promise<Recovery>
}

/** @internal Options with everything that workspaces made from them share. */
export type Parts = WorkspaceOptions &
  Required<Pick<WorkspaceOptions, 'journal' | 'locks'>> & {
    internals: InternalOptions & Required<Pick<InternalOptions, 'searches' | 'lineage'>>
  }
