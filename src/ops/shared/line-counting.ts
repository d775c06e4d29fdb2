import * as z from 'zod'
import type { LineCounting } from '../../text/lines/lines.js'

/** What counts as a line; see `LineCounting`. */
export const lineCounting = z.object({
  breaks: z.enum(['any', 'line-feed', 'bare-line-feed']).optional(),
  finalEmptyLine: z.boolean().exactOptional(),
}) satisfies z.ZodType<LineCounting>
