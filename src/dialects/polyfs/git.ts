import * as z from 'zod'
import { define, paging } from './define.js'
import { pageNote, pageOfRows } from './rows.js'

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

const input = {
  action: z.enum(actions),
  path: z.string().default('.').describe('Directory in the repository'),
  paths: z.array(z.string()).exactOptional(),
  revision: z.string().min(1).exactOptional().describe('Or a..b, in diff'),
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
  input,
  facts: { lines: z.int(), cursor: z.string() },

  async run(args, workspace, call) {
    // Git is much, and not every session uses it.
    const { gitActions } = await import('./git-actions.js')
    const text = await gitActions[args.action](args, workspace, call)
    const rows = text.replace(/\n$/, '').split('\n')
    const page = pageOfRows(rows, { call: { tool: 'git', args }, path: workspace.root, room: call.room - 60 })
    return {
      payload: text === '' ? '(nothing)' : page.rows.join('\n'),
      notes: [pageNote(page, rows.length, 'lines')],
      facts: { lines: text === '' ? 0 : rows.length, ...(page.cursor !== undefined && { cursor: page.cursor }) },
    }
  },
})
