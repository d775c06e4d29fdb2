import * as z from 'zod'
import { define } from '../../define-tool.js'
import { type GitArgs, gitInput } from './git-arguments.js'

/** Actions that never change anything; `branch` only lists when it gets no name. */
const reading: ReadonlySet<string> = new Set<GitArgs['action']>(['status', 'diff', 'log', 'show'])

export const git = define({
  name: 'git',
  title: 'Git',
  description:
    'Git without hooks or external programs. add without paths stages all; restore with staged unstages; checkout and branch with name make one; merge leaves conflicts to add and commit, or abort.',
  annotations: { destructiveHint: true },
  group: 'git',
  channel: 'payload',
  mutates: true,
  // Only this one reaches the network that a host gave to git.
  unlistedBesideShell: (workspace) => workspace.git.http === undefined,
  reads: ({ action, name }) => reading.has(action) || (action === 'branch' && name === undefined),
  input: gitInput,
  facts: { lines: z.int(), cursor: z.string() },

  async run(args, workspace, call) {
    // Loaded late: git is large, and not every session uses it.
    const { gitActions } = await import('./git-actions.js')
    const answer = await gitActions[args.action](args, workspace, call)
    const { rows, notes = [] } = typeof answer === 'string' ? { rows: linesOf(answer) } : answer
    return { rows: { all: rows, what: 'lines', empty: '(nothing)' }, notes, facts: { lines: rows.length } }
  },
})

function linesOf(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n')
}
