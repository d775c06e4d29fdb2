/** The actions of the tool `git`, in a module that the first call loads. */
import { FsError } from '../../../../errors.js'
import {
  printBranches,
  printCommitted,
  printLog,
  printNameStatus,
  printPath,
  printShortStatus,
  printShow,
  printTooDeep,
} from '../../../../git/print/print-results.js'
import { gitAdd } from '../../../../ops/git/add.js'
import { gitBranch, gitBranches } from '../../../../ops/git/branch.js'
import { gitCheckout } from '../../../../ops/git/checkout.js'
import { gitClone } from '../../../../ops/git/clone.js'
import { gitCommit } from '../../../../ops/git/commit.js'
import { gitDiff } from '../../../../ops/git/diff.js'
import { gitInit } from '../../../../ops/git/init.js'
import { gitLog } from '../../../../ops/git/log.js'
import { gitAbortMerge, gitCherryPick, gitMerge, type MergedCommit } from '../../../../ops/git/merge.js'
import { gitRestore } from '../../../../ops/git/restore.js'
import { sidesOfRange } from '../../../../ops/git/revision-range.js'
import { gitShow } from '../../../../ops/git/show.js'
import { gitStatus } from '../../../../ops/git/status.js'
import type { Workspace } from '../../../../workspace/workspace.js'
import type { ToolCall } from '../../define-tool.js'
import { diffRows } from '../../diff-rows.js'
import { plural } from '../../print.js'
import { displayPath } from '../../wording.js'
import type { GitArgs } from './git-arguments.js'
import { comparedFiles } from './git-diff.js'

type Action = (args: GitArgs, workspace: Workspace, call: ToolCall) => Promise<string | GitAnswer>

/** Lines to page, and notes beside them. */
export interface GitAnswer {
  rows: string[]
  notes?: string[]
}

/** Reading actions are paged; those that change something answer in a few lines. */
export const gitActions: Readonly<Record<GitArgs['action'], Action>> = {
  async status({ path: directory, paths }, workspace, call) {
    const status = await workspace.run(gitStatus, { directory, ...(paths && { paths }) }, call)
    return printShortStatus(status, { branch: true })
  },

  async diff({ path: directory, paths, staged, revision, stat }, workspace, call) {
    const files = await workspace.run(
      gitDiff,
      { directory, ...sidesOf(staged, revision), ...(paths && { paths }) },
      call,
    )
    return diffRows(files.flatMap(comparedFiles), { stat })
  },

  async log({ path: directory, paths, revision, max_tokens, limit: most }, workspace, call) {
    const limit = most ?? Math.ceil((max_tokens ?? 0) / 10) + 200
    const wanted = { directory, limit, ...(revision && { revision }), ...(paths && { paths }) }
    const { commits, more } = await workspace.run(gitLog, wanted, call)
    return printLog(commits) + (more ? `… older ones: log with revision ${commits.at(-1)?.oid.slice(0, 12)}\n` : '')
  },

  async show({ path: directory, paths, revision = 'HEAD', stat }, workspace, call) {
    const [path] = paths ?? []
    const found = await workspace.run(gitShow, { directory, revision, ...(path !== undefined && { path }) }, call)
    if (found.kind !== 'commit') return printShow(found, revision)
    const { rows, notes } = await diffRows(found.files.flatMap(comparedFiles), { stat })
    const message = printLog([found.commit]).replace(/\n$/, '').split('\n')
    return { rows: rows.length === 0 ? message : [...message, '', ...rows], notes }
  },

  async add({ path: directory, paths, force }, workspace, call) {
    const wanted = paths === undefined ? { all: true } : { paths }
    const added = await workspace.run(gitAdd, { directory, force, ...wanted }, call)
    const { changes, skipped, unreadable } = added
    const left = skipped.length === 0 ? '' : `left out, as repositories of their own: ${skipped.join(', ')}\n`
    const lost = unreadable.length === 0 ? '' : `left out, as their names are not UTF-8: ${unreadable.join(', ')}\n`
    return `staged ${plural(changes.length, 'path')}\n${printNameStatus(changes)}${left}${lost}${printTooDeep(added)}`
  },

  async restore({ path: directory, paths, revision, staged }, workspace, call) {
    if (paths === undefined) throw missing('paths', 'what to put back')
    const wanted = { directory, paths, staged, ...(revision !== undefined && { revision }) }
    const changes = await workspace.run(gitRestore, wanted, call)
    return `${staged ? 'unstaged' : 'put back'} ${plural(changes.length, 'path')}\n${printNameStatus(changes)}`
  },

  async commit({ path: directory, message = '', author }, workspace, call) {
    const wanted = { directory, message, ...authorOf(author) }
    return printCommitted(await workspace.run(gitCommit, wanted, call))
  },

  async branch({ path: directory, name, revision, force }, workspace, call) {
    if (name === undefined) return printBranches(await workspace.run(gitBranches, { directory, remotes: true }, call))
    const wanted = {
      action: 'create' as const,
      directory,
      name,
      force,
      ...(revision !== undefined && { at: revision }),
    }
    return `made the branch ${(await workspace.run(gitBranch, wanted, call)).name}\n`
  },

  async checkout({ path: directory, revision, name, force }, workspace, call) {
    const wanted = {
      directory,
      force,
      ...(revision !== undefined && { revision }),
      ...(name !== undefined && { create: name }),
    }
    const { branch, oid = '', changes } = await workspace.run(gitCheckout, wanted, call)
    return `checked out ${branch ?? oid.slice(0, 12)}: ${plural(changes.length, 'file')} changed\n${printNameStatus(changes)}`
  },

  async merge({ path: directory, revision, message, author, abort }, workspace, call) {
    if (abort) return aborted(directory, workspace, call)
    if (revision === undefined) throw missing('revision', 'the branch or commit to merge')
    const wanted = { directory, revision, ...(message && { message }), ...authorOf(author) }
    return printMerged(await workspace.run(gitMerge, wanted, call))
  },

  async 'cherry-pick'({ path: directory, revision, author, abort }, workspace, call) {
    if (abort) return aborted(directory, workspace, call)
    if (revision === undefined) throw missing('revision', 'the commit to pick')
    return printMerged(await workspace.run(gitCherryPick, { directory, revision, ...authorOf(author) }, call))
  },

  async init({ path: directory, name }, workspace, call) {
    const { root, branch } = await workspace.run(gitInit, { directory, ...(name && { branch: name }) }, call)
    return `made a repository in ${displayPath(root, workspace)}, on the branch ${branch}\n`
  },

  async clone({ path, url, revision }, workspace, call) {
    if (url === undefined) throw missing('url', 'what to clone')
    const wanted = { url, ...(path !== '.' && { directory: path }), ...(revision && { branch: revision }) }
    const { root, branch = 'no branch', files, isLoginLeftOut } = await workspace.run(gitClone, wanted, call)
    const cloned = `cloned into ${displayPath(root, workspace)}: ${branch}, ${plural(files, 'file')}\n`
    return isLoginLeftOut ? `${cloned}the login in the address was used, and is not stored in the clone\n` : cloned
  },
}

function sidesOf(staged: boolean, revision: string | undefined) {
  if (revision === undefined) return staged ? { from: 'head' as const, to: 'index' as const } : {}
  const { from = { revision }, to = staged ? ('index' as const) : ('work-tree' as const) } = sidesOfRange([revision])
  return { from, to }
}

async function aborted(directory: string, workspace: Workspace, call: ToolCall): Promise<string> {
  return `the ${await workspace.run(gitAbortMerge, { directory }, call)} is taken back\n`
}

function printMerged({ outcome, commit, branch = 'no branch', changes, conflicts }: MergedCommit): string {
  const at = `${branch} is at ${commit.oid.slice(0, 12)}`
  if (outcome === 'up-to-date') return `nothing to merge: ${at}\n`
  const changed = `${plural(changes.length, 'file')} changed\n${printNameStatus(changes)}`
  if (outcome === 'fast-forward') return `fast-forward: ${at}, ${changed}`
  if (outcome === 'committed') return `committed: ${at}, ${changed}`
  const paths = conflicts.map((path) => `${printPath(path)}\n`).join('')
  const next = 'Resolve the marks in them, then add and commit; abort: true takes it back.'
  return `conflicts in ${plural(conflicts.length, 'file')}, nothing is committed:\n${paths}${next}\n`
}

function authorOf(author: string | undefined) {
  return author === undefined ? {} : { author: personOf(author) }
}

function personOf(author: string): { name: string; email: string } {
  const [, name, email] = /^\s*([^<>]+?)\s*<([^<>\s]+)>\s*$/.exec(author) ?? []
  if (name === undefined || email === undefined) throw missing('author', 'write it as Name <mail>')
  return { name, email }
}

function missing(at: string, what: string): FsError {
  return new FsError('INVALID_INPUT', { issues: [{ at: [at], kind: 'other', message: what }] })
}
