/** Programs of the emulated shell that run operations on a workspace over the files as the command sees them. */
import { type ErrorFacts, isFsError } from '../errors.js'
import { describeRefusal } from '../git/print/print-results.js'
import type { ProgramCall, ProgramResult } from '../shell/emulated/host-programs.js'
import { createWorkspace, type Workspace } from '../workspace.js'

export interface Program extends ProgramCall {
  /** The workspace of the operations. Its changes become part of the command's change. */
  workspace: Workspace
  /** Resolves a path against the working directory. */
  path(given: string): string
}

/** A failure with a one-line message. */
export class ProgramError extends Error {
  constructor(
    message: string,
    readonly exitCode = 1,
  ) {
    super(message)
  }
}

/** Wraps `run`, whose result is the output. */
export function program(
  name: string,
  run: (call: Program) => Promise<string | ProgramResult>,
): (call: ProgramCall) => Promise<ProgramResult> {
  return async (call) => {
    const workspace = createWorkspace({ fs: call.fs, roots: call.roots, watchCommands: false })
    const path = (given: string) => workspace.fs.resolve(given, call.cwd)
    try {
      const result = await run({ ...call, workspace, path })
      return typeof result === 'string' ? { stdout: result, stderr: '', exitCode: 0 } : result
    } catch (error) {
      if (error instanceof ProgramError) return failed(name, error.message, error.exitCode)
      if (!isFsError(error)) throw error
      return failed(name, describe(error.code, error.facts), name === 'git' ? 128 : 1)
    }
  }
}

function failed(name: string, message: string, exitCode: number): ProgramResult {
  return { stdout: '', stderr: name === 'git' ? `fatal: ${message}\n` : `${name}: ${message}\n`, exitCode }
}

function describe(code: keyof ErrorFacts, facts: ErrorFacts[keyof ErrorFacts]): string {
  if (code === 'GIT_REFUSED') return describeRefusal(facts as ErrorFacts['GIT_REFUSED'])
  if (code === 'NOT_A_REPOSITORY') return 'not a git repository (or any of the parent directories): .git'
  const words = code.toLowerCase().replaceAll('_', ' ')
  const reason = 'reason' in facts ? ` (${facts.reason})` : ''
  return 'path' in facts ? `${facts.path}: ${words}${reason}` : `${words}${reason}`
}

/** Splits a command line into flags, the values of those that take one, and the rest. */
export function parseOptions(args: readonly string[], withValue: readonly string[] = []) {
  const flags = new Set<string>()
  const values = new Map<string, string>()
  const rest: string[] = []
  const afterDashes: string[] = []
  for (let index = 0; index < args.length; index += 1) {
    const arg = args[index] as string
    if (arg === '--') {
      afterDashes.push(...args.slice(index + 1))
      break
    }
    const [, long, value] = /^(--[^=]+)=(.*)$/s.exec(arg) ?? []
    if (long !== undefined) values.set(long, value ?? '')
    else if (withValue.includes(arg)) values.set(arg, args[(index += 1)] ?? '')
    else if (withValue.includes(arg.slice(0, 2)) && arg.length > 2 && !arg.startsWith('--')) {
      values.set(arg.slice(0, 2), arg.slice(2))
    } else if (arg.startsWith('-') && arg !== '-') flags.add(arg)
    else rest.push(arg)
  }
  return { flags, values, rest, paths: afterDashes }
}
