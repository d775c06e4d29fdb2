/** What a command of npm is, and what it is given. */
import type { ProgramIo } from '../../io/program.js'
import type { Project, Workspace } from './project.js'
import type { Settings } from './settings.js'

/** One call of npm. */
export interface Call {
  io: ProgramIo
  settings: Settings
  project: Project
  /** The name of the command, for `npm_command`. */
  command: string
  /** What follows the name of the command. */
  args: readonly string[]
  /** Failures are printed as JSON, too. */
  isJson?: boolean
  /** JSON that is printed together with a failure. */
  output?: object
}

export interface Command {
  run(call: Call): Promise<number>
  /** Absent where workspaces make no sense. */
  forWorkspaces?(call: Call, workspaces: readonly Workspace[]): Promise<number>
  /** In the directory of a workspace it is for the whole project. */
  ignoresWorkspaces?: boolean
}
