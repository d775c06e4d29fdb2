/** polyfs/shell: to implement a shell, or to run commands without tools. */
export type { EmulatedShellOptions } from '../shell/emulated/host/emulated-shell.js'
export type { HostProgram, HostProgramIo, HostPrograms } from '../shell/emulated/host-programs.js'
export {
  createJobs,
  type Job,
  type JobLimits,
  type JobNews,
  type JobRequest,
  type JobState,
  type Jobs,
} from '../shell/jobs.js'
export { type SessionRequest, type ShellSession, shellSession } from '../shell/session.js'
export type {
  ExecRequest,
  ExecResult,
  Output as CommandOutput,
  OutputChunk,
  PipelineCommand,
  Shell,
  ShellCapabilities,
  ShellState,
} from '../shell/types.js'
