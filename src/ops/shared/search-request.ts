import * as z from 'zod'
import type { SearchRequest } from '../../search/run/records.js'

const count = z.int().min(0)

const line = z.int().refine((number) => number !== 0, 'lines are counted from 1, or from -1 at the end')

const matcher = z.object({
  pattern: z.string(),
  syntax: z.enum(['literal', 'ecmascript', 'rust']),
  ignoreCase: z.boolean().exactOptional(),
  wholeWord: z.boolean().exactOptional(),
  multiline: z.boolean().exactOptional(),
  maxLength: count.exactOptional(),
})

const textRule = z.object({
  nul: z.object({ first: count, last: count.exactOptional() }).exactOptional(),
  binaryExtensions: z.array(z.string()).readonly().exactOptional(),
  onlyUtf8: z.boolean().exactOptional(),
  utf16: z.enum(['decode', 'skip']).exactOptional(),
  detectEncoding: z.boolean().exactOptional(),
})

/** What to search for and how much to report; see `SearchRequest`. */
export const searchRequest = z.object({
  matcher,
  mode: z.enum(['content', 'files', 'count']),
  before: count.exactOptional(),
  after: count.exactOptional(),
  occurrences: z.boolean().exactOptional(),
  skip: count.exactOptional(),
  limit: count.exactOptional(),
  total: z.boolean().exactOptional(),
  limitPerFile: count.exactOptional(),
  maxFiles: count.exactOptional(),
  maxFileBytes: count.exactOptional(),
  maxTextBytes: count.exactOptional(),
  text: textRule.exactOptional(),
  maxLineUnits: count.exactOptional(),
  maxReportedUnits: count.exactOptional(),
  aroundMatch: z.boolean().exactOptional(),
  lines: z.object({ first: line.exactOptional(), last: line.exactOptional() }).exactOptional(),
  carriageReturnEndsLine: z.boolean().exactOptional(),
  timeoutMs: count.exactOptional(),
  nameSkipped: count.exactOptional(),
}) satisfies z.ZodType<SearchRequest>
