import * as z from 'zod'
import { define, paging } from '../define-tool.js'

const input = {
  action: z.enum(['list', 'extract', 'create']),
  path: z.string().describe('The zip file'),
  destination: z.string().exactOptional().describe('Directory to extract into'),
  paths: z.array(z.string()).exactOptional().describe('What to pack; all unless given'),
  include: z.array(z.string()).exactOptional().describe('Globs of entries'),
  existing: z.enum(['refuse', 'replace', 'skip']).default('refuse'),
  ignored: z.boolean().default(false),
  ...paging,
}

export type ArchiveArgs = z.output<z.ZodObject<typeof input>>

export const archive = define({
  name: 'archive',
  title: 'Zip archives',
  description:
    'list, extract or create a zip file, all or none. Unsafe archives are refused. Without paths, create packs the workspace.',
  annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: false },
  group: 'archive',
  channel: 'payload',
  mutates: true,
  reads: ({ action }) => action === 'list',
  input,
  facts: { files: z.int(), bytes: z.int(), cursor: z.string() },

  async run(args, workspace, call) {
    // Loaded late: few sessions use archives.
    const { archiveActions } = await import('./archive-actions.js')
    return archiveActions[args.action](args, workspace, call)
  },
})
