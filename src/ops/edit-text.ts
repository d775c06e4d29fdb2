import * as z from 'zod'
import { contentHash } from '../change/content-hash.js'
import type { Draft } from '../change/draft.js'
import { FsError } from '../errors.js'
import type { Bytes } from '../fs/types.js'
import { regexSearch } from '../search/patterns/regex-search.js'
import type { TextFormat } from '../text/decode/detect.js'
import { openText } from '../text/decode/document.js'
import { openShown } from '../text/decode/shown-text.js'
import { applyInSteps } from '../text/edit/edit.js'
import type { AppliedEdit, Edit, EditOptions } from '../text/edit/edit-types.js'
import type { RegexSearch } from '../text/edit/match/regex.js'
import { matchRules } from '../text/edit/match/rules.js'
import type { Workspace } from '../workspace/workspace.js'
import { finalLink, operation, scopeOf } from './operation.js'
import { detectEncoding } from './shared/detect-encoding.js'
import { type EncodingRules, encodeOutcome, formatsOf, openEditable } from './shared/editable-file.js'
import { lineCounting } from './shared/line-counting.js'
import { runInSlices } from './shared/run-in-slices.js'

export interface EditedText {
  path: string
  /** What each edit did, in the order given. */
  edits: readonly AppliedEdit[]
  before: string
  after: string
  /** Hash of the content after the edits. */
  hash: string
  /** How the file is encoded, before and after; only with `detectEncoding`. */
  format?: TextFormat
  /** What the new bytes are taken for, if they show another text than `after`; only where the encoding had to be guessed. */
  readsAs?: TextFormat | 'binary'
}

const counts = {
  count: z.union([z.enum(['only', 'all']), z.object({ first: z.int().min(1) })]).exactOptional(),
  within: z.object({ first: z.int(), last: z.int() }).exactOptional(),
  perLine: z.boolean().exactOptional(),
  optional: z.boolean().exactOptional(),
  endings: z.enum(['neighbour', 'dominant', 'verbatim']).exactOptional(),
}

/** An edit as it is given; see `Edit`. */
export const editInput = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('literal'),
    find: z.string(),
    replace: z.string(),
    caseInsensitive: z.boolean().exactOptional(),
    ...counts,
  }),
  z.object({
    kind: z.literal('regex'),
    /** An ECMAScript pattern. */
    pattern: z.string(),
    replace: z.string(),
    tokens: z.enum(['ecmascript', 'sed']).default('ecmascript'),
    caseInsensitive: z.boolean().default(false),
    ...counts,
  }),
  z.object({
    kind: z.literal('lines'),
    first: z.int(),
    last: z.int(),
    lines: z.array(z.string()),
    expected: z.object({ lines: z.array(z.string()), compare: z.enum(['exact', 'trimmed']) }).exactOptional(),
  }),
  z.object({ kind: z.literal('insert'), before: z.union([z.int(), z.literal('end')]), lines: z.array(z.string()) }),
])

/** See `EditOptions`; the earlier versions come from the history. */
export const editOptions = z.object({
  rules: z.array(z.enum(matchRules)).readonly().exactOptional(),
  reindent: z.enum(['none', 'block', 'steps']).exactOptional(),
  endings: z.enum(['neighbour', 'dominant', 'verbatim']).exactOptional(),
  endingsByLine: z.boolean().exactOptional(),
  lineNumbers: z.enum(['current', 'original']).exactOptional(),
  counting: lineCounting.exactOptional(),
  identical: z.enum(['refuse', 'allow']).exactOptional(),
  failures: z.enum(['refuse', 'skip']).exactOptional(),
}) satisfies z.ZodType<EditOptions>

/** How many earlier versions of a file are compared, to recognise an edit that was meant for one of them. */
const earlierVersions = 5

/**
 * Edits one text file: all edits or none, each applied to the result of the one before. Bytes outside the edited places stay as they are.
 */
export const editText = operation({
  mutates: true,
  input: z.object({
    path: z.string(),
    edits: z.array(editInput).min(1),
    /** How places are matched and how replacements are laid out. Default: the defaults of the edit engine. */
    options: editOptions.default({}),
    /** Report what would happen, and change nothing. */
    dryRun: z.boolean().default(false),
    /** Fail with `STALE` unless the file has this content. */
    expectedHash: z.string().exactOptional(),
    finalLink,
    /** Files in other encodings are refused. */
    encodings: z.array(z.enum(['utf-8', 'utf-16le', 'utf-16be'])).exactOptional(),
    /** A NUL this close to either end makes a file binary; binary files are refused. */
    binaryWindow: z.int().min(1).exactOptional(),
    detectEncoding,
    /** Fail with `UNEXPECTED_COUNT` unless so many places are changed. */
    expectedCount: z.int().min(0).exactOptional(),
  }),

  async run(input, workspace, { signal }): Promise<EditedText> {
    const { fs, root, changes } = workspace
    const path = fs.resolve(input.path, root)
    const edits = prepareEdits(input.edits)
    const { result } = await changes.run(
      { label: 'edit', scopes: [await scopeOf(workspace, path, input.finalLink)], ...(signal && { signal }) },
      async (draft, [at]) => {
        if (input.expectedHash !== undefined) await draft.expect(at as string, input.expectedHash)
        const edited = await editFile(workspace, draft, at as string, path, { ...input, edits, signal })
        expectCount(input.expectedCount, [{ path, count: placesIn(edited.result.edits) }])
        const written = input.dryRun ? undefined : await draft.write(at as string, edited.bytes)
        return { ...edited.result, hash: written ?? (await contentHash(edited.bytes, fs.exact)) }
      },
    )
    return result
  },
})

/** Fails with `UNEXPECTED_COUNT` unless the files have so many edited places together. */
export function expectCount(expected: number | undefined, files: readonly { path: string; count: number }[]): void {
  const actual = files.reduce((sum, { count }) => sum + count, 0)
  if (expected !== undefined && expected !== actual) throw new FsError('UNEXPECTED_COUNT', { expected, actual, files })
}

export function placesIn(edits: readonly AppliedEdit[]): number {
  return edits.reduce((sum, { places }) => sum + places.length, 0)
}

/** Compiles all patterns before anything is read, so that an invalid one fails first. */
export function prepareEdits(given: readonly z.output<typeof editInput>[]): Edit[] {
  // If there are many, compiled again where it is used: a compiled search holds memory.
  const isHeld = given.length <= mostCompiled
  let latest: { of: object; search: RegexSearch } | undefined
  return given.map((edit): Edit => {
    if (edit.kind !== 'regex') return edit
    const { pattern, caseInsensitive, ...rest } = edit
    const compile = () => regexSearch(pattern, { ignoreCase: caseInsensitive })
    const search = compile()
    if (isHeld) return { ...rest, find: search }
    const { inLines } = search
    const find = (text: string) => {
      if (latest?.of !== edit) latest = { of: edit, search: compile() }
      return latest.search(text)
    }
    return { ...rest, find: Object.assign(find, { inLines }) }
  })
}

/** Patterns that are held compiled. */
const mostCompiled = 200

export interface FileEdit extends EncodingRules {
  edits: readonly Edit[]
  options: EditOptions
  signal: AbortSignal | undefined
}

/** Edits one file of a draft; the caller writes the bytes. */
export async function editFile(workspace: Workspace, draft: Draft, at: string, path: string, input: FileEdit) {
  const file = await openEditable(workspace, draft, at, { ...input, path })
  const { text: before } = file.shown
  const outcome = await runInSlices(applyInSteps(before, input.edits, input.options), input)
  if (outcome.ended === 'applied') {
    const { text: after, edits } = outcome
    const bytes = encodeOutcome(file, path, outcome, input.options)
    const formats = input.detectEncoding ? formatsOf(file, bytes, () => after) : {}
    return { bytes, result: { path, edits, before, after, ...formats } }
  }
  // Earlier versions are only read after an edit has found nothing.
  const earlier =
    outcome.failure.code === 'NO_MATCH' ? await workspace.history.earlierVersions(at, earlierVersions) : []
  const open = (version: Bytes) => (input.detectEncoding && openShown(version)) || openText(version)
  const texts = earlier.map((version) => open(version).text)
  const explained = await runInSlices(
    applyInSteps(before, input.edits, { ...input.options, earlierVersions: texts }),
    input,
  )
  const { failure, edit: index } = explained.ended === 'refused' ? explained : outcome
  const { code, ...facts } = failure
  // The failure has all facts of its code except the path and the number of the edit.
  throw new FsError(code, { path, edit: index, ...facts } as FsError<typeof code>['facts'])
}
