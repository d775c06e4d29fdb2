/** `git worktree`. */
import { type GitContext, open } from '../context.js'
import { quoter } from '../diff/diff-options.js'
import { fatal, GitError } from '../git-error.js'
import { abbreviate } from '../objects.js'
import { flag, parseGit } from '../options.js'
import { addWorktree } from '../worktrees/add.js'
import { lockWorktree, moveWorktree, pruneWorktrees, removeWorktree, unlockWorktree } from '../worktrees/change.js'
import { readWorktrees } from '../worktrees/worktrees.js'

export async function worktree(context: GitContext, args: readonly string[]): Promise<number> {
  const [action, ...rest] = args
  switch (action) {
    case 'add':
      return addWorktree(context, rest)
    case 'list':
      return list(context, rest)
    case 'lock':
      return lockWorktree(context, rest)
    case 'unlock':
      return unlockWorktree(context, rest)
    case 'remove':
      return removeWorktree(context, rest)
    case 'move':
      return moveWorktree(context, rest)
    case 'prune':
      return pruneWorktrees(context, rest)
    case 'repair':
      throw fatal("'git worktree repair' is not supported by this git")
    default:
      throw new GitError(
        `error: ${action === undefined ? 'need a subcommand' : `unknown subcommand: \`${action}'`}\nusage: git worktree (add | list | lock | move | prune | remove | unlock)`,
        129,
      )
  }
}

async function list(context: GitContext, args: readonly string[]): Promise<number> {
  const given = parseGit(
    'worktree list',
    args,
    { porcelain: flag('--porcelain'), verbose: flag('-v', '--verbose'), nul: flag('-z') },
    { unsupported: ['--expire'] },
  )
  if (given.all.length > 0) throw new GitError('usage: git worktree list [-v | --porcelain [-z]]', 129)
  const [isPorcelain, isVerbose] = [given.has('porcelain'), given.has('verbose')]
  if (isPorcelain && isVerbose) throw fatal("options '--verbose' and '--porcelain' cannot be used together")
  if (given.has('nul') && !isPorcelain) throw fatal("the option '-z' requires '--porcelain'")
  const repository = await open(context)
  const trees = await readWorktrees(repository)
  const places = trees.map(({ place }) => context.shown(place))
  const width = Math.max(...places.map((place) => place.length))
  const quote = quoter(repository)
  const end = given.has('nul') ? '\0' : '\n'
  for (const [i, { oid, branch, isBare, lock, gone }] of trees.entries()) {
    const place = places[i] as string
    if (isPorcelain) {
      const state = branch === undefined ? 'detached' : `branch ${branch}`
      const lines = isBare ? ['bare'] : [`HEAD ${oid ?? '0'.repeat(40)}`, state]
      if (lock !== undefined) lines.push(lock === '' ? 'locked' : `locked ${given.has('nul') ? lock : quote(lock)}`)
      if (gone !== undefined) lines.push(`prunable ${gone}`)
      context.out.write(`${[`worktree ${place}`, ...lines, ''].map((line) => `${line}${end}`).join('')}`)
      continue
    }
    const id = oid === undefined ? '0'.repeat(7) : await abbreviate(repository, oid)
    const name = branch === undefined ? '(detached HEAD)' : `[${branch.replace(/^refs\/heads\//, '')}]`
    const state = isBare ? '(bare)' : `${id} ${name}`
    const note = (word: string, reason: string | undefined) =>
      reason === undefined ? '' : isVerbose && reason !== '' ? `\n\t${word}: ${reason}` : ` ${word}`
    context.out.write(`${place.padEnd(width)}  ${state}${note('locked', lock)}${note('prunable', gone)}\n`)
  }
  return 0
}
