/** The arguments of edit_file, checked and turned into edits. */
import * as z from 'zod'
import { FsError, isFsError } from '../../../../errors.js'
import type { EditOptions } from '../../../../text/edit/edit-types.js'
import { matchRules } from '../../../../text/edit/match/rules.js'
import { splitLines } from '../../../../text/lines/lines.js'
import { paging } from '../../define-tool.js'
import { strings } from '../globs.js'
import { hash } from '../write.js'

const line = z.int().exactOptional()

const editShape = {
  // Checked but not part of the schema, which is sent in every listing.
  old_string: z
    .string()
    .refine(
      (text) => text !== '',
      'must not be empty: write_file writes a whole file, and insert_line adds lines to one',
    )
    .exactOptional(),
  new_string: z.string().exactOptional(),
  replace_all: z.boolean().exactOptional(),
  regex: z.boolean().exactOptional(),
  start_line: line,
  end_line: line,
  insert_line: line,
}

const oneEdit = z.strictObject({ ...editShape, path: z.string().exactOptional() })

export type OneEdit = z.output<typeof oneEdit>

/** A unique match may differ in white space and look-alike characters; the replacement is indented like the file. */
export const matching: EditOptions = { rules: matchRules, lineNumbers: 'original' }

/** Bytes at either end of a file in which a NUL makes it binary. */
export const binaryWindow = 8000

export const input = {
  path: z.string().exactOptional(),
  paths: z.array(z.string()).exactOptional(),
  glob: strings,
  exclude: strings,
  ...editShape,
  edits: z.array(oneEdit).exactOptional(),
  expected_count: z
    .int()
    .refine((count) => count >= 0, 'must be 0 or more')
    .exactOptional(),
  dry_run: z.boolean().default(false),
  diff: z.enum(['auto', 'full']).exactOptional(),
  // Described in write_file.
  expected_hash: hash,
  max_tokens: paging.max_tokens,
}

export type EditArgs = z.output<z.ZodObject<typeof input>>

/** The named files; with `glob`, none. */
export function pathsOf({ path, paths = [], glob, exclude: excluded }: EditArgs): string[] {
  if (glob !== undefined) {
    if (paths.length > 0) throw invalid('paths', 'give paths or glob, not both')
    return []
  }
  if (excluded !== undefined) throw invalid('exclude', 'it goes with glob')
  const named = [...new Set(path === undefined ? paths : [path, ...paths])]
  if (named.length > 0) return named
  throw invalid('path', 'say which file to edit: give path, paths, or glob')
}

export function editsOf({ edits = [], path: _, ...args }: OneEdit & { edits?: OneEdit[] }): OneEdit[] {
  const isOwn = args.old_string !== undefined || args.new_string !== undefined || args.start_line !== undefined
  const all = isOwn || args.insert_line !== undefined ? [args, ...edits] : edits
  if (all.length > 0) return all
  throw invalid('old_string', 'no edit: give old_string and new_string, lines, or edits')
}

/** Reports the line as the caller gave it: `insert_line` counts lines to insert after. */
export function withGivenLine(error: unknown, edits: readonly OneEdit[]): unknown {
  if (!isFsError(error, 'LINE_OUT_OF_RANGE')) return error
  const { insert_line: line } = edits[error.facts.edit ?? 0] ?? {}
  return line === undefined ? error : new FsError('LINE_OUT_OF_RANGE', { ...error.facts, line })
}

export type ToEdit = ReturnType<typeof toEdit>

export function toEdit({ old_string, new_string = '', replace_all = false, regex = false, ...lines }: OneEdit) {
  const { start_line, end_line, insert_line } = lines
  const isTurned = start_line !== undefined && end_line !== undefined && start_line > end_line
  if (isTurned && start_line < 0 === end_line < 0) throw invalid('end_line', 'it comes before start_line')
  if (old_string === undefined) {
    if (insert_line !== undefined) {
      const before = insert_line === -1 ? ('end' as const) : insert_line < 0 ? insert_line + 1 : insert_line + 1
      return { kind: 'insert' as const, before, lines: new_string === '' ? [''] : splitLines(new_string) }
    }
    if (start_line === undefined)
      throw invalid('old_string', 'say what to replace: old_string, start_line, or insert_line')
    return { kind: 'lines' as const, first: start_line, last: end_line ?? start_line, lines: splitLines(new_string) }
  }
  if (insert_line !== undefined)
    throw invalid('insert_line', 'old_string replaces, insert_line inserts: give one of them')
  const within =
    start_line === undefined && end_line === undefined
      ? {}
      : { within: { first: start_line ?? 1, last: end_line ?? 1e9 } }
  const count = replace_all ? ('all' as const) : ('only' as const)
  return regex
    ? { kind: 'regex' as const, pattern: old_string, replace: new_string, count, ...within }
    : { kind: 'literal' as const, find: old_string, replace: new_string, count, ...within }
}

export function invalid(at: string, message: string): FsError {
  return new FsError('INVALID_INPUT', { issues: [{ at: [at], kind: 'other', message }] })
}
