import * as z from 'zod'
import { define, paging } from '../define-tool.js'

const actions = [
  'status',
  'diff',
  'log',
  'show',
  'add',
  'restore',
  'commit',
  'branch',
  'checkout',
  'init',
  'clone',
] as const

/** Those that change nothing, whatever they are given; `branch` lists unless it is given a name. */
const reading: ReadonlySet<string> = new Set<(typeof actions)[number]>(['status', 'diff', 'log', 'show'])

const input = {
  action: z.enum(actions),
  path: z.string().default('.').describe('Directory in the repository'),
  paths: z.array(z.string()).exactOptional(),
  revision: z.string().min(1).exactOptional().describe('Or a..b or a...b, in diff'),
  staged: z.boolean().default(false),
  message: z.string().exactOptional(),
  author: z.string().exactOptional().describe('Name <mail>'),
  name: z.string().min(1).exactOptional().describe('Branch to make'),
  url: z.string().exactOptional(),
  force: z.boolean().default(false),
  ...paging,
}

export type GitArgs = z.output<z.ZodObject<typeof input>>

export const git = define({
  name: 'git',
  title: 'Git',
  description:
    'Git without hooks or external programs. add without paths stages all; restore with staged unstages; checkout and branch with name make one.',
  annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
  group: 'git',
  channel: 'payload',
  mutates: true,
  reads: ({ action, name }) => reading.has(action) || (action === 'branch' && name === undefined),
  input,
  facts: { lines: z.int(), cursor: z.string() },

  async run(args, workspace, call) {
    // Git is much, and not every session uses it.
    const { gitActions } = await import('./git-actions.js')
    const text = await gitActions[args.action](args, workspace, call)
    const rows = text === '' ? [] : text.replace(/\n$/, '').split('\n')
    return { rows: { all: rows, what: 'lines', empty: '(nothing)' }, facts: { lines: rows.length } }
  },
})
