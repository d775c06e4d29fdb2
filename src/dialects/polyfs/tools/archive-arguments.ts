import * as z from 'zod'
import { paging } from '../define-tool.js'

/** Parameters of the tool `archive`. */
export const archiveInput = {
  action: z.enum(['list', 'extract', 'create']),
  path: z.string().describe('The zip file'),
  destination: z.string().exactOptional().describe('Directory to extract into'),
  paths: z.array(z.string()).exactOptional().describe('What to pack; all unless given'),
  include: z.array(z.string()).exactOptional().describe('Globs of entries'),
  existing: z.enum(['refuse', 'replace', 'skip']).default('refuse'),
  ignored: z.boolean().default(false),
  ...paging,
}

export type ArchiveArgs = z.output<z.ZodObject<typeof archiveInput>>
