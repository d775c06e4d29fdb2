/** Parameters that several tools share, and the rules between them. */
import * as z from 'zod'
import { FsError } from '../../errors.js'
import { type GlobRules, globFault } from '../../ops/shared/selection.js'
import type { ByteEncoding } from '../../text/decode/byte-encodings.js'

const MiB = 1024 * 1024

const blankPath = 'Path cannot be empty or whitespace'

export const path = z.string().refine((given) => given.trim() !== '', blankPath)
/** A blank one is reported in its place, as any other that can't be read. */
export const paths = z.array(z.string()).min(1).max(100)
/** Where to search; the manual's examples leave it out. */
export const searchPath = path.default('.')

/** Checks one of several paths. */
export function checkPath(given: string): void {
  if (given.trim() !== '') return
  throw new FsError('INVALID_INPUT', { issues: [{ at: ['paths'], kind: 'other', message: blankPath }] })
}

/** More content of several files is not read at once, whatever a call allows. */
const maxHeldBytes = 100 * MiB
export const maxTotalBytes = (given: number) => Math.min(given, maxHeldBytes)

/** Default values of parameters. */
export interface Defaults {
  maxDepth: number
  maxResults: number
  maxEntries: number
  maxFilesScanned: number
  timeoutMs: number
  /** Largest file that is searched. */
  maxSearchBytes: number
  /** Largest file that is read whole; no call can raise it. */
  maxReadBytes: number
}

export const defaultValues: Defaults = {
  maxDepth: 10,
  maxResults: 100,
  maxEntries: 10_000,
  maxFilesScanned: 20_000,
  timeoutMs: 30_000,
  maxSearchBytes: MiB,
  maxReadBytes: 10 * MiB,
}

const maxBytesLimit = 100 * MiB

/** Limits of listings and searches. */
export function limitsWith(defaults: Defaults) {
  return {
    maxDepth: z.int().min(0).max(100).default(defaults.maxDepth),
    maxEntries: z.int().min(1).max(100_000).default(defaults.maxEntries),
    maxResults: z.int().min(1).max(10_000).default(defaults.maxResults),
    maxFilesScanned: z.int().min(1).max(100_000).default(defaults.maxFilesScanned),
    timeoutMs: z.int().min(100).max(3_600_000).default(defaults.timeoutMs),
    maxFileSize: z.int().min(1).max(maxBytesLimit).default(defaults.maxSearchBytes),
  }
}

/** Globs to exclude. */
export const excludes = z
  .array(
    z
      .string()
      .max(500)
      .refine((pattern) => !pattern.includes('**/**/**'), 'Exclude pattern is too complex (too many ** segments)'),
  )
  .max(100)

const line = z.int().min(1).exactOptional()
const lineCount = z.int().min(1).max(100_000).exactOptional()

/** Parameters of both reading tools, besides paths. */
export function readingWith({ maxReadBytes }: Defaults) {
  return {
    encoding: z.enum(['utf-8', 'utf8', 'ascii', 'base64', 'hex', 'latin1']).default('utf-8'),
    maxSize: z.int().min(1).max(maxBytesLimit).default(maxReadBytes),
    head: lineCount.describe('First N lines.'),
    tail: lineCount.describe('Last N lines.'),
    lineStart: line.describe('Needs lineEnd.'),
    lineEnd: line.describe('Inclusive.'),
  }
}

type ReadingArguments = z.output<z.ZodObject<ReturnType<typeof readingWith>>>
type Part = Pick<ReadingArguments, 'head' | 'tail' | 'lineStart' | 'lineEnd'>

/** Checks that the line parameters can be combined. */
export function checkPart({ value, issues }: { value: Part; issues: z.core.$ZodRawIssue[] }): void {
  const message = partFault(value)
  if (message !== undefined) issues.push({ code: 'custom', message, input: value })
}

const maxRangeLines = 100_000

function partFault({ head, tail, lineStart, lineEnd }: Part): string | undefined {
  const hasEnds = head !== undefined || tail !== undefined
  if (hasEnds && (lineStart !== undefined || lineEnd !== undefined)) {
    return 'head/tail cannot be combined with lineStart/lineEnd'
  }
  if (head !== undefined && tail !== undefined)
    return 'Cannot specify multiple of lineRange, head, or tail simultaneously'
  if (lineStart === undefined && lineEnd === undefined) return undefined
  if (lineEnd === undefined) return 'Invalid lineRange: lineStart requires lineEnd to also be specified'
  if (lineStart === undefined) return 'Invalid lineRange: lineEnd requires lineStart to also be specified'
  if (lineEnd < lineStart) return `Invalid lineRange: lineEnd (${lineEnd}) must be >= lineStart (${lineStart})`
  if (lineEnd - lineStart >= maxRangeLines) return `Invalid lineRange: range too large (max ${maxRangeLines} lines)`
  return undefined
}

/** How a file is read, and which part of it. */
export interface Reading {
  /** `text`: UTF-16 by its byte-order mark, else UTF-8; a mark is not part of the content. */
  encoding: ByteEncoding | 'text'
  /** The first lines, the last ones, or a range counted from 1. Default: all. */
  part?: { head: number } | { tail: number } | { from: number; to: number }
  /** A larger file is not read whole; at most this much of a part is read. */
  maxBytes: number
  /** A binary file is refused: one with a NUL among its first bytes and no byte-order mark, or with a binary extension. */
  refuseBinary?: boolean
}

/** Translates the arguments of a reading tool. */
export function readingOf(args: ReadingArguments, maxFileBytes: number): Reading {
  const { encoding, maxSize, head, tail, lineStart, lineEnd } = args
  return {
    encoding: encoding === 'utf-8' || encoding === 'utf8' ? ('text' as const) : encoding,
    maxBytes: Math.min(maxSize, maxFileBytes),
    ...(head !== undefined && { part: { head } }),
    ...(tail !== undefined && { part: { tail } }),
    ...(lineStart !== undefined && lineEnd !== undefined && { part: { from: lineStart, to: lineEnd } }),
  }
}

/** Refuses a glob that leads out of the base. */
export function relativeGlob(pattern: string, maxLength = 1000): string {
  const reason = globFault(pattern, { maxLength })
  if (reason !== undefined) throw new FsError('INVALID_PATTERN', { pattern: pattern.slice(0, maxLength), reason })
  return pattern
}

/** The manual writes some exclude patterns with a leading `!`. */
export function excluded(patterns: readonly string[]): string[] {
  return patterns.map((pattern) => pattern.replace(/^!/, '')).filter((pattern) => pattern !== '')
}

const plain: GlobRules = { slashless: 'at-base', starCrosses: false, ignoreCase: false, dot: true }

/** The meaning of include and exclude patterns in the searching tools. */
export function globsOf(options: { baseNameMatch: boolean; includeHidden: boolean; caseSensitiveFileMatch?: boolean }) {
  const { baseNameMatch, includeHidden, caseSensitiveFileMatch = true } = options
  const rules: GlobRules = {
    ...plain,
    slashless: baseNameMatch ? 'any-depth' : 'at-base',
    ignoreCase: !caseSensitiveFileMatch,
  }
  return { includeRules: { ...rules, dot: includeHidden }, excludeRules: rules }
}

/** In listings, exclude patterns also match names at any depth. */
export const listingGlobs = { includeRules: plain, excludeRules: { ...plain, slashless: 'any-depth' as const } }

/** Extensions of binary files; lower case, no dot. */
export const binaryExtensions =
  'png jpg jpeg gif webp bmp ico mp3 wav flac mp4 mov avi mkv webm zip tar gz 7z rar exe dll so dylib ttf otf woff woff2 pdf doc docx xls xlsx ppt pptx sqlite db wasm bin dat'.split(
    ' ',
  )

/** A NUL among this many first bytes makes a file binary. */
export const binaryWindow = 512
