/** The `git` command for local use: it calls the git operations and prints their results. */

import { findRepository } from '../git/git-directory.js'
import {
  printBranches,
  printCommitted,
  printDiff,
  printDiffStat,
  printLog,
  printNameStatus,
  printShortStatus,
  printShow,
  printStatus,
  printTooDeep,
  short,
} from '../git/print/print-results.js'
import { gitAdd } from '../ops/git/add.js'
import { gitBranch, gitBranches } from '../ops/git/branch.js'
import { gitCheckout } from '../ops/git/checkout.js'
import { gitCommit } from '../ops/git/commit.js'
import { gitDiff } from '../ops/git/diff.js'
import { gitInit } from '../ops/git/init.js'
import { gitLog } from '../ops/git/log.js'
import { gitRestore } from '../ops/git/restore.js'
import { sidesOfRange } from '../ops/git/revision-range.js'
import { gitShow } from '../ops/git/show.js'
import { gitStatus } from '../ops/git/status.js'
import type { Operation } from '../ops/operation.js'
import { type Program, ProgramError, parseOptions, program } from './program.js'

export const git = program('git', async (given) => {
  const { name = '', args, ...call } = withoutGlobalOptions(given)
  if (name === '--version' || name === 'version') return 'git version of polyfs, an emulation\n'
  const run = commands[name]
  if (run !== undefined) return run({ ...call, args })
  throw new ProgramError(`'${name}' is not a git command here. There are: ${Object.keys(commands).join(', ')}`, 1)
})

/** Handles options before the subcommand: `-C` sets the directory; `-c` and `--no-pager` have no effect. */
function withoutGlobalOptions(call: Program): Program & { name?: string } {
  const [first, second = '', ...rest] = call.args
  if (first === '-C') {
    const cwd = call.path(second)
    const path = (given: string) => call.workspace.fs.resolve(given, cwd)
    return withoutGlobalOptions({ ...call, cwd, path, args: rest })
  }
  if (first === '-c') return withoutGlobalOptions({ ...call, args: rest })
  if (first === '--no-pager') return withoutGlobalOptions({ ...call, args: call.args.slice(1) })
  return { ...call, args: call.args.slice(1), ...(first !== undefined && { name: first }) }
}

/** Runs an operation on validated input. */
function perform<Given, Input, Result>(
  operation: Operation<Given, Input, Result>,
  given: Given,
  { workspace }: Program,
) {
  return workspace.run(operation, given)
}

const commands: Record<string, (call: Program) => Promise<string>> = {
  async init(call) {
    const { rest, values } = parseOptions(call.args, ['-b', '--initial-branch'])
    const branch = values.get('-b') ?? values.get('--initial-branch')
    const made = await perform(gitInit, { directory: call.path(rest[0] ?? '.'), ...(branch && { branch }) }, call)
    return `Initialized empty Git repository in ${made.root === '/' ? '' : made.root}/.git/\n`
  },

  async status(call) {
    const { flags } = parseOptions(call.args)
    const status = await perform(gitStatus, { directory: call.cwd }, call)
    const isShort = ['-s', '--short', '--porcelain', '-sb'].some((flag) => flags.has(flag))
    const branch = ['-b', '--branch', '-sb'].some((flag) => flags.has(flag))
    return isShort ? printShortStatus(status, { branch }) : printStatus(status)
  },

  async diff(call) {
    const { flags, rest, paths } = parseOptions(call.args)
    const cached = flags.has('--cached') || flags.has('--staged')
    const range = sidesOfRange(rest)
    const indexSide = cached ? { to: 'index' as const } : {}
    const sides = range.from ? { ...indexSide, ...range } : cached ? { from: 'head' as const, ...indexSide } : {}
    const only = paths.length > 0 ? { paths: paths.map(call.path) } : {}
    const files = await perform(gitDiff, { directory: call.cwd, ...sides, ...only }, call)
    if (flags.has('--stat')) return printDiffStat(files)
    if (flags.has('--name-status')) return printNameStatus(files)
    if (flags.has('--name-only')) return files.map(({ path }) => `${path}\n`).join('')
    return printDiff(files)
  },

  async log(call) {
    const { flags, values, rest, paths } = parseOptions(call.args, ['-n', '--max-count'])
    const count =
      values.get('-n') ?? values.get('--max-count') ?? [...flags].find((flag) => /^-\d+$/.test(flag))?.slice(1)
    const [revision] = rest
    const given = {
      directory: call.cwd,
      ...(count && { limit: Number(count) }),
      ...(revision && { revision }),
      ...(paths.length > 0 && { paths: paths.map(call.path) }),
    }
    const { commits } = await perform(gitLog, given, call)
    return printLog(commits, { oneline: flags.has('--oneline') })
  },

  async show(call) {
    const { rest } = parseOptions(call.args)
    const [revision = 'HEAD', path] = (rest[0] ?? 'HEAD').split(':')
    const given = { directory: call.cwd, revision, ...(path && { path: call.path(path) }) }
    return printShow(await perform(gitShow, given, call), revision)
  },

  async add(call) {
    const { flags, rest, paths } = parseOptions(call.args)
    const named = [...rest, ...paths].map(call.path)
    const all = flags.has('-A') || flags.has('--all')
    const update = flags.has('-u') || flags.has('--update')
    if (named.length === 0 && !all && !update) throw new ProgramError('Nothing specified, nothing added.')
    const force = flags.has('-f') || flags.has('--force')
    const given = { directory: call.cwd, paths: named, all: all && named.length === 0, update, force }
    const added = await perform(gitAdd, given, call)
    const names = added.unreadable.map((path) => `warning: skipped, because its name is not UTF-8: ${path}\n`).join('')
    return names + printTooDeep(added)
  },

  async commit(call) {
    const { flags, values } = parseOptions(call.args, ['-m', '--message', '-am'])
    const message = values.get('-m') ?? values.get('--message') ?? values.get('-am')
    const amend = flags.has('--amend')
    if (message === undefined && !amend) throw new ProgramError('there is no editor; give the message with -m')
    const given = {
      directory: call.cwd,
      message: message ?? '',
      amend,
      all: values.has('-am') || flags.has('-a') || flags.has('--all'),
      allowEmpty: flags.has('--allow-empty'),
      ...authorIn(call),
    }
    return printCommitted(await perform(gitCommit, given, call))
  },

  async branch(call) {
    const { flags, rest } = parseOptions(call.args)
    const [name, other] = rest
    const force = flags.has('-D') || flags.has('-f') || flags.has('-M')
    if (flags.has('--show-current')) {
      const branches = await perform(gitBranches, { directory: call.cwd }, call)
      const current = branches.find((branch) => branch.current)
      return current ? `${current.name}\n` : ''
    }
    if (name === undefined) {
      const remotes = flags.has('-a') || flags.has('-r')
      return printBranches(await perform(gitBranches, { directory: call.cwd, remotes }, call))
    }
    const at = { directory: call.cwd, name }
    if (flags.has('-d') || flags.has('-D')) {
      const { oid } = await perform(gitBranch, { action: 'delete', ...at, force }, call)
      return `Deleted branch ${name}${oid ? ` (was ${short(oid)})` : ''}.\n`
    }
    if (flags.has('-m') || flags.has('-M')) await renameBranch(name, other, call)
    else await perform(gitBranch, { action: 'create', ...at, force, ...(other && { revision: other }) }, call)
    return ''
  },

  checkout: (call) => checkout(call, '-b'),
  switch: (call) => checkout(call, '-c'),

  async restore(call) {
    const { flags, values, rest, paths } = parseOptions(call.args, ['-s', '--source'])
    const source = values.get('-s') ?? values.get('--source')
    const staged = flags.has('--staged') || flags.has('-S')
    const given = { directory: call.cwd, paths: [...rest, ...paths].map(call.path), staged }
    await perform(gitRestore, { ...given, ...(source && { revision: source }) }, call)
    return ''
  },

  'rev-parse': async (call) => {
    const { flags, rest } = parseOptions(call.args)
    if (flags.has('--show-toplevel')) return `${await rootOf(call)}\n`
    if (flags.has('--is-inside-work-tree')) return `${(await rootOf(call)) && 'true'}\n`
    const { commits } = await perform(gitLog, { directory: call.cwd, limit: 1, revision: rest[0] ?? 'HEAD' }, call)
    const oid = commits[0]?.oid ?? ''
    return `${flags.has('--short') ? short(oid) : oid}\n`
  },
}

function rootOf({ workspace, cwd }: Program): Promise<string> {
  return findRepository(workspace.fs, cwd)
}

async function renameBranch(name: string, to: string | undefined, call: Program): Promise<void> {
  const branches = await perform(gitBranches, { directory: call.cwd }, call)
  const from = to === undefined ? branches.find(({ current }) => current)?.name : name
  if (from === undefined) throw new ProgramError('no branch is checked out')
  await perform(gitBranch, { action: 'rename', directory: call.cwd, name: from, to: to ?? name }, call)
}

async function checkout(call: Program, creates: string): Promise<string> {
  const { flags, values, rest, paths } = parseOptions(call.args, [creates])
  if (paths.length > 0) {
    const given = { directory: call.cwd, paths: paths.map(call.path), ...(rest[0] && { revision: rest[0] }) }
    await perform(gitRestore, { ...given, ...(rest[0] && { staged: true, workTree: true }) }, call)
    return ''
  }
  const create = values.get(creates)
  const force = flags.has('-f') || flags.has('--force')
  const [revision] = rest
  if (create === undefined && revision === undefined) throw new ProgramError('name a branch or a revision')
  const given = { directory: call.cwd, force, ...(revision && { revision }), ...(create && { create }) }
  const { branch, oid = '' } = await perform(gitCheckout, given, call)
  if (branch === undefined) return `HEAD is now at ${short(oid)}\n`
  return `Switched to ${create ? 'a new ' : ''}branch '${branch}'\n`
}

/** The author from git's variables; without them, the repository's own is used. */
function authorIn({ env }: Program) {
  const { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email } = env
  return name && email ? { author: { name, email } } : {}
}
