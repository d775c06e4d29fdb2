/** Results: a text for people, and the same as structured data. */
import * as z from 'zod'
import { utf8Length } from '../../text/lines/lines.js'
import type { ToolResult } from '../../tools/dialect.js'
import { failure } from './wording.js'

/** Some clients disconnect on a message of more than 10 MiB; this leaves room for the rest of the message. */
const maxResultBytes = 10_000_000

/** The content of files may need more, as the limits of calls promise it. */
const maxContentBytes = 200_000_000

/**
 * The result of a successful call. One that is too large becomes an error that asks for less. If `brief` is given, it replaces a text that
 * would make the result too large, and the data may be larger.
 */
export function answer(text: string, data: Record<string, unknown>, brief?: () => string): ToolResult {
  const whole = resultOf(text, data)
  const size = sizeOf(whole)
  if (size <= maxResultBytes) return whole
  const alone = brief && resultOf(brief(), data)
  const limit = alone === undefined ? maxResultBytes : maxContentBytes
  const least = alone === undefined ? size : sizeOf(alone)
  if (alone !== undefined && least <= limit) return alone
  const message = `Result too large: ${Number.isFinite(least) ? `${least} bytes` : 'too long to be sent'} (max: ${limit} bytes). Use head, tail, a line range, or lower limits.`
  return { ...failure({ code: 'E_TOO_LARGE', message }), isError: true }
}

function resultOf(text: string, data: Record<string, unknown>): ToolResult {
  return { content: [{ type: 'text', text }], structuredContent: { ok: true, ...data } }
}

/** In bytes, as it is sent. */
function sizeOf(result: ToolResult): number {
  try {
    return utf8Length(JSON.stringify(result))
  } catch (error) {
    // No engine has strings of that length.
    if (error instanceof RangeError) return Infinity
    throw error
  }
}

const error = z.object({
  code: z.string(),
  message: z.string(),
  path: z.string().exactOptional(),
  suggestion: z.string().exactOptional(),
})

/** A failure has `error` and nothing else. */
function outcome<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.object(shape).partial().extend({ ok: z.boolean(), error: error.exactOptional() })
}

const count = z.int()
const stoppedReason = z.enum(['maxResults', 'maxFiles', 'timeout']).exactOptional()

export const allowedDirectories = outcome({
  allowedDirectories: z.array(z.string()),
  count,
  accessStatus: z.array(z.object({ path: z.string(), accessible: z.boolean(), readable: z.boolean() })),
  hint: z.string(),
})

const type = z.enum(['file', 'directory', 'symlink', 'other'])
const date = z.string()

export const listing = outcome({
  path: z.string(),
  entries: z.array(
    z.object({
      name: z.string(),
      relativePath: z.string(),
      type,
      extension: z.string().exactOptional(),
      size: count.exactOptional(),
      modified: date.exactOptional(),
      symlinkTarget: z.string().exactOptional(),
    }),
  ),
  summary: z.object({
    totalEntries: count,
    totalFiles: count,
    totalDirectories: count,
    maxDepthReached: count,
    truncated: z.boolean(),
    skippedInaccessible: count,
    symlinksNotFollowed: count,
  }),
})

export const foundFiles = outcome({
  basePath: z.string(),
  pattern: z.string(),
  results: z.array(z.object({ path: z.string(), type, size: count.exactOptional(), modified: date.exactOptional() })),
  summary: z.object({
    matched: count,
    truncated: z.boolean(),
    skippedInaccessible: count,
    filesScanned: count,
    stoppedReason,
  }),
})

const lines = z.array(z.string()).exactOptional()

export const foundLines = outcome({
  basePath: z.string(),
  pattern: z.string(),
  filePattern: z.string(),
  matches: z.array(
    z.object({
      file: z.string(),
      line: count,
      content: z.string(),
      contextBefore: lines,
      contextAfter: lines,
      matchCount: count,
    }),
  ),
  summary: z.object({
    filesScanned: count,
    filesMatched: count,
    totalMatches: count,
    truncated: z.boolean(),
    skippedTooLarge: count.exactOptional(),
    skippedBinary: count.exactOptional(),
    skippedInaccessible: count.exactOptional(),
    linesSkippedDueToRegexTimeout: count.exactOptional(),
    stoppedReason,
  }),
})

const content = { content: z.string(), truncated: z.boolean(), totalLines: count.exactOptional() }

export const fileContent = outcome({ path: z.string(), ...content })

export const fileContents = outcome({
  results: z.array(
    z
      .object({ path: z.string(), error: z.string(), ...content })
      .partial()
      .required({ path: true }),
  ),
  summary: z.object({ total: count, succeeded: count, failed: count }),
})

const info = z.object({
  name: z.string(),
  path: z.string(),
  type,
  size: count,
  created: date.exactOptional(),
  modified: date.exactOptional(),
  accessed: date.exactOptional(),
  permissions: z.string().exactOptional(),
  isHidden: z.boolean(),
  mimeType: z.string().exactOptional(),
  symlinkTarget: z.string().exactOptional(),
})

export const fileInfo = outcome({ info })

export const fileInfos = outcome({
  results: z.array(z.object({ path: z.string(), info: info.exactOptional(), error: z.string().exactOptional() })),
  summary: z.object({ total: count, succeeded: count, failed: count, totalSize: count }),
})
