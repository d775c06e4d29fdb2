import * as z from 'zod'
import { define } from '../define-tool.js'
import { archiveInput } from './archive-arguments.js'

export const archive = define({
  name: 'archive',
  title: 'Zip archives',
  description:
    'list, extract or create a zip file, all or none. Unsafe archives are refused. Without paths, create packs the workspace.',
  annotations: { destructiveHint: true, openWorldHint: false },
  group: 'archive',
  channel: 'payload',
  mutates: true,
  unlistedBesideShell: true,
  reads: ({ action }) => action === 'list',
  input: archiveInput,
  facts: { files: z.int(), bytes: z.int(), cursor: z.string() },

  async run(args, workspace, call) {
    // Loaded late: few sessions use archives.
    const { archiveActions } = await import('./archive-actions.js')
    return archiveActions[args.action](args, workspace, call)
  },
})
