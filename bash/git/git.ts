/** The `git` command of the shell: repositories of the workspace, without a network. */

import type { Bytes } from '../../src/fs/types.js'
import { lastValue, parseGitConfig } from '../../src/git/config.js'
import { createWorkspace } from '../../src/workspace/create-workspace.js'
import { decodeText } from '../io/byte-text.js'
import {
  type EditedText,
  editedVariable,
  type ProgramCall,
  type ProgramResult,
  type Ran,
  ranVariable,
} from '../io/host-programs.js'
import { shownPath, throughScratch } from '../io/scratch-names.js'
import { commands, missing } from './commands/index.js'
import { createText, type GitContext, isInRepository, open, wholeConfig } from './context.js'
import { fatal, GitError, NeedsShell } from './git-error.js'
import { reportError } from './report-error.js'

export async function git(call: ProgramCall): Promise<ProgramResult> {
  const { fs, roots, now, random, git, rules } = call
  const workspace = createWorkspace({
    fs,
    roots,
    now,
    random,
    git,
    watchCommands: false,
    internals: { ...(rules && { compiledRules: rules }) },
  })
  const written: { stream: 'stdout' | 'stderr'; bytes: Bytes }[] = []
  const pass = (stream: 'stdout' | 'stderr') => (bytes: Bytes) => {
    if (bytes.length > 0) written.push({ stream, bytes })
  }
  // As a process whose standard output is a pipe: it is held until the end, or until the process says so.
  const [out, err] = [createText(pass('stdout')), createText(pass('stderr'))]
  const edited: EditedText[] = JSON.parse(call.env[editedVariable] ?? '[]')
  const ran: Ran | undefined = call.env[ranVariable] === undefined ? undefined : JSON.parse(call.env[ranVariable])
  const at = (cwd: string, settings: GitContext['settings']): GitContext => ({
    workspace,
    cwd,
    env: call.env,
    input: call.input,
    settings,
    command: '',
    edited,
    ran,
    out,
    err,
    path: (given) => workspace.fs.resolve(throughScratch(given, call.scratch), cwd),
    shown: (path) => shownPath(path, call.scratch),
    now: workspace.now,
  })
  let exitCode = 0
  let request: ProgramResult['request']
  try {
    exitCode = await run(call.args, at, call.cwd, err)
  } catch (error) {
    if (!(error instanceof NeedsShell)) throw error
    request = error.request
    // All of it is done again.
    if (request.phase === undefined) return { written: [], exitCode, request }
  }
  err.flush()
  out.flush()
  return {
    written: written.map(({ stream, bytes }) => ({ stream, data: textOrBytes(bytes) })),
    exitCode,
    ...(request && { request }),
  }
}

function textOrBytes(bytes: Bytes): string | Bytes {
  const text = decodeText(bytes)
  return text.isWellFormed() ? text : bytes
}

type ContextAt = (cwd: string, settings: GitContext['settings']) => GitContext

async function run(args: readonly string[], at: ContextAt, cwd: string, err: GitContext['err']): Promise<number> {
  try {
    return await dispatch(args, at, cwd)
  } catch (error) {
    return reportError(err, error)
  }
}

/** Reads the options before the command, then runs it or what an alias names. */
async function dispatch(args: readonly string[], at: ContextAt, start: string): Promise<number> {
  let cwd = start
  const settings: [string, string][] = []
  let index = 0
  for (; index < args.length; index += 1) {
    const arg = args[index] as string
    if (!arg.startsWith('-')) break
    if (arg === '-C') cwd = await enter(at(cwd, settings), args[(index += 1)])
    else if (arg === '-c') settings.push(setting(args[(index += 1)] ?? ''))
    else if (arg === '--version' || arg === '-v') return commands.version?.(at(cwd, settings), []) ?? 0
    else if (arg === '--help' || arg === '-h') return commands.help?.(at(cwd, settings), args.slice(index + 1)) ?? 0
    else if (harmless.has(arg)) continue
    else if (/^--(git-dir|work-tree|namespace|bare|exec-path|html-path|super-prefix|config-env)/.test(arg))
      throw fatal(`option '${arg.replace(/=.*/s, '')}' is not supported by this git`)
    else
      throw new GitError(`unknown option: ${arg}\nusage: git [-C <path>] [-c <name>=<value>] <command> [<args>]`, 129)
  }
  const context = at(cwd, settings)
  const [name, ...rest] = args.slice(index)
  if (name === undefined) {
    await commands.help?.(context, [])
    return 1
  }
  return runCommand(context, name, rest, 0)
}

const harmless = new Set([
  '--no-pager',
  '-P',
  '-p',
  '--paginate',
  '--no-optional-locks',
  '--no-replace-objects',
  '--no-lazy-fetch',
])

function setting(given: string): [string, string] {
  const equals = given.indexOf('=')
  const name = equals === -1 ? given : given.slice(0, equals)
  if (!name.includes('.'))
    throw new GitError(
      `error: key does not contain a section: ${name}\nfatal: unable to parse command-line config`,
      128,
    )
  const [section = '', ...others] = name.split('.')
  const key = others.pop() ?? ''
  return [
    [section.toLowerCase(), ...others, key.toLowerCase()].join('.'),
    equals === -1 ? 'true' : given.slice(equals + 1),
  ]
}

async function enter(context: GitContext, given: string | undefined): Promise<string> {
  if (given === undefined) throw new GitError('no directory given for -C', 129)
  if (given === '') return context.cwd
  const path = context.path(given)
  const kind = await context.workspace.fs.stat(path).then(
    (stat) => stat.kind,
    () => undefined,
  )
  if (kind === undefined) throw fatal(`cannot change to '${given}': No such file or directory`)
  const real = await context.workspace.fs.realPath(path)
  if ((await context.workspace.fs.stat(real)).kind !== 'directory')
    throw fatal(`cannot change to '${given}': Not a directory`)
  return path
}

const maxAliases = 10

async function runCommand(context: GitContext, name: string, args: readonly string[], depth: number): Promise<number> {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (command !== undefined) return command({ ...context, command: name }, args)
  const config = (await isInRepository(context))
    ? (await open(context)).config
    : await wholeConfig(context, parseGitConfig(''))
  const alias = lastValue(config, `alias.${name.toLowerCase()}`)
  if (alias !== undefined) {
    if (alias.startsWith('!'))
      throw fatal(`the alias '${name}' runs a shell command, which is not supported by this git`)
    const [first = '', ...more] = words(alias)
    if (depth >= maxAliases || first === name)
      throw fatal(`alias loop detected: expansion of '${name}' does not terminate`)
    return runCommand(context, first, [...more, ...args], depth + 1)
  }
  if (missing.has(name)) throw fatal(`'git ${name}' is not supported by this git`)
  throw new GitError(`git: '${name}' is not a git command. See 'git --help'.`, 1)
}

/** The words of an alias, with quotes. */
function words(text: string): string[] {
  return [...text.matchAll(/(?:[^\s"']+|"[^"]*"|'[^']*')+/g)].map(([word]) =>
    word.replaceAll(/"([^"]*)"|'([^']*)'/g, '$1$2'),
  )
}
