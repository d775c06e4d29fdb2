import * as z from 'zod'
import type { Draft } from '../../change/draft.js'
import { FsError, isFsError } from '../../errors.js'
import type { SkippedFile } from '../../search/run/records.js'
import type { TextFormat } from '../../text/decode/detect.js'
import { applyInSteps } from '../../text/edit/edit.js'
import type { AppliedEdit, Edit, EditOptions, EditOutcome } from '../../text/edit/edit-types.js'
import { finalLines } from '../../text/edit/final-lines.js'
import { isStrict } from '../../text/edit/match/rules.js'
import type { Workspace } from '../../workspace/workspace.js'
import { editFile, editInput, editOptions, expectCount, placesIn, prepareEdits } from '../edit-text.js'
import { operation } from '../operation.js'
import { detectEncoding } from '../shared/detect-encoding.js'
import { editPrefilter } from '../shared/edit-prefilter.js'
import { type EditableFile, encodeOutcome, formatsOf, openEditable } from '../shared/editable-file.js'
import { runInSlices } from '../shared/run-in-slices.js'
import { selection } from '../shared/selection.js'
import { progressInParts, twoPhaseProgress } from '../shared/two-phase-progress.js'
import { type Candidates, findCandidates } from './find-candidates.js'

export interface EditedFile {
  path: string
  /** How many places were edited. */
  places: number
  /** Their lines after all edits, in order. */
  lines: readonly number[]
  /** How the places of each edit were found; undefined where it found none. */
  rules: readonly AppliedEdit['rule'][]
  /** The texts, if requested. */
  before?: string
  after?: string
  /** As in `EditedText`. */
  format?: TextFormat
  readsAs?: TextFormat | 'binary'
}

export interface EditedFiles {
  /** Files with at least one edited place: those named first, then those selected, by path. */
  files: EditedFile[]
  /** Selected text files in which nothing was found. */
  unmatched: number
  /** Selected files that can't be edited. */
  skipped: { binary: number; tooLarge: number; unreadable: number }
  /** The first of these. */
  skippedFiles: SkippedFile[]
  /** Entries that ignore rules left out. */
  ignored: number
}

/** What one call may hold in memory: the content of all edited files, before and after. */
const maxBytesInAll = 256 * 1024 * 1024

/**
 * Edits text files, all of them or none, as one change. An edit changes the files in which it finds something: each edit must do so in one
 * file at least, and in each named file one edit at least. Selected files in which nothing is found stay as they are.
 */
export const editFiles = operation({
  mutates: true,
  input: z.object({
    /** Files by name. One that is reached in several ways is edited once. */
    paths: z.array(z.string()).default([]),
    /** Files below a directory. Places in them must match exactly, apart from line endings. */
    select: z.object({ path: z.string().exactOptional(), ...selection }).exactOptional(),
    edits: z.array(editInput).min(1),
    /** As for the edit of one file. */
    options: editOptions.default({}),
    /** Report what would happen, and change nothing. */
    dryRun: z.boolean().default(false),
    /** Fail with `UNEXPECTED_COUNT` unless so many places are changed in all. */
    expectedCount: z.int().min(0).exactOptional(),
    /** A NUL this close to either end makes a file binary: refused if it is named, skipped if it is selected. */
    binaryWindow: z.int().min(1).exactOptional(),
    detectEncoding,
    /** How many skipped files are named. */
    nameSkipped: z.int().min(0).default(3),
    /** Return the texts before and after. */
    texts: z.boolean().default(false),
  }),

  async run(input, workspace, context): Promise<EditedFiles> {
    const { fs, root, changes } = workspace
    const { signal } = context
    const edits = prepareEdits(input.edits)
    const parts = progressInParts(context)
    const found =
      input.select &&
      (await findCandidates(input.select, { ...input, pattern: editPrefilter(input.edits) }, workspace, parts.first))
    const named = input.paths.map((path) => fs.resolve(path, root))
    const targets = [
      ...named.map((path) => ({ path, isNamed: true })),
      ...(found?.files ?? []).map((path) => ({ path, isNamed: false })),
    ]
    if (found && targets.length === 0) throw nowhere(found, 0)
    const { prepared, changeOptions } = twoPhaseProgress(parts.second())
    const scopes = targets.map(({ path }) => ({ path }))
    const { result } = await changes.run({ label: 'edit', scopes, ...changeOptions }, async (draft, located) => {
      const run = editRun(workspace, draft, { ...input, edits, signal })
      const skipped = { binary: 0, tooLarge: 0, unreadable: 0, ...found?.skipped }
      const skippedFiles = [...(found?.skippedFiles ?? [])]
      let unmatched = found?.unmatched ?? 0
      const seen = new Set<string>()
      for (const [index, { path, isNamed }] of targets.entries()) {
        const at = located[index] as string
        prepared(targets.length)
        if (seen.has(fs.comparable(at))) continue
        seen.add(fs.comparable(at))
        if (isNamed) await run.editNamed(at, path)
        else {
          const outcome = await run.editSelected(at, path)
          if (outcome === 'unmatched') unmatched += 1
          else if (outcome !== 'edited') {
            skipped[outcome] += 1
            if (skippedFiles.length < input.nameSkipped) skippedFiles.push({ path, why: outcome })
          }
        }
      }
      const files = await run.finish(found)
      if (input.dryRun) draft.discard()
      return { files, unmatched, skipped, skippedFiles, ignored: found?.ignored ?? 0 }
    })
    return result
  },
})

/** No selected file has the text of an edit. */
function nowhere({ path, unmatched, files }: Candidates, edit: number): FsError {
  return new FsError('NO_MATCH', { path, edit, explanation: { cause: 'absent' }, files: unmatched + files.length })
}

interface RunInput {
  edits: readonly Edit[]
  options: EditOptions
  expectedCount?: number
  binaryWindow?: number
  detectEncoding?: boolean
  texts: boolean
  signal: AbortSignal | undefined
}

/** The edits of one call, file by file, in a draft. */
function editRun(workspace: Workspace, draft: Draft, input: RunInput) {
  const { edits, options, texts } = input
  const optional = edits.map(asOptional)
  const { rules, ...lessOptions } = options
  const strict: EditOptions = { ...lessOptions, ...(rules && { rules: rules.filter(isStrict) }) }
  const files: EditedFile[] = []
  /** How many files each edit has changed. */
  const hits = edits.map(() => 0)
  const failures: FsError<'NO_MATCH'>[] = []
  let firstNamed: { at: string; path: string } | undefined
  let bytesInAll = 0

  async function apply(path: string, text: string, tried: EditOptions): Promise<EditOutcome & { ended: 'applied' }> {
    const outcome = await runInSlices(applyInSteps(text, optional, { ...tried, failures: 'skip' }), input)
    if (outcome.ended === 'applied') return outcome
    throw failureOf(path, outcome.edit, outcome.failure)
  }

  /** False where nothing was found. */
  async function editOpened(at: string, path: string, opened: EditableFile, isNamed: boolean) {
    const { shown, bytes } = opened
    let outcome = await apply(path, shown.text, strict)
    // Without an exact match, a named file is searched as tolerantly as a single one.
    if (isNamed && placesIn(outcome.edits) === 0) outcome = await apply(path, shown.text, options)
    const { text, edits: applied } = outcome
    for (const [index, { failure }] of applied.entries()) {
      if (failure === undefined) continue
      const isShort = failure.code === 'LINE_OUT_OF_RANGE' && !isNamed && 'find' in (edits[index] as Edit)
      if (!isShort) throw failureOf(path, index, failure)
    }
    if (placesIn(applied) === 0) return false
    const after = encodeOutcome(opened, path, outcome, options)
    bytesInAll += bytes.length + after.length
    if (bytesInAll > maxBytesInAll) {
      throw new FsError('TOO_LARGE', { path, size: bytesInAll, limit: maxBytesInAll, files: files.length + 1 })
    }
    await draft.write(at, after)
    for (const [index, { places }] of applied.entries()) if (places.length > 0) hits[index] = (hits[index] ?? 0) + 1
    files.push({
      path,
      places: placesIn(applied),
      lines: finalLines(applied, text),
      rules: applied.map(({ rule }) => rule),
      ...(texts && { before: shown.text, after: text }),
      ...(input.detectEncoding && formatsOf(opened, after, () => text)),
    })
    return true
  }

  async function editNamed(at: string, path: string): Promise<void> {
    firstNamed ??= { at, path }
    const opened = await openEditable(workspace, draft, at, { ...input, path })
    if (await editOpened(at, path, opened, true)) return
    // All are tried, so that one failure names all files without a match.
    failures.push(await explained(at, path, edits))
  }

  async function editSelected(at: string, path: string) {
    let opened: EditableFile
    try {
      opened = await openEditable(workspace, draft, at, { ...input, path })
    } catch (error) {
      if (isFsError(error, 'BINARY', 'WRONG_ENCODING')) return 'binary' as const
      if (isFsError(error, 'TOO_LARGE')) return 'tooLarge' as const
      // It has gone since it was listed, or is something else.
      if (isFsError(error, 'NOT_FOUND', 'NOT_A_DIRECTORY', 'IS_A_DIRECTORY', 'IS_LINK')) return 'unmatched' as const
      if (isFsError(error, 'DENIED', 'SPECIAL_FILE')) return 'unreadable' as const
      throw error
    }
    return (await editOpened(at, path, opened, false)) ? ('edited' as const) : ('unmatched' as const)
  }

  /** Why the edits find nothing in a file; only the first file pays for it. */
  async function explained(at: string, path: string, tried: readonly Edit[]): Promise<FsError<'NO_MATCH'>> {
    const unexplained = new FsError('NO_MATCH', { path, edit: 0, explanation: { cause: 'absent' } })
    if (failures.length > 0) return unexplained
    try {
      await editFile(workspace, draft, at, path, { ...input, options: strict, edits: tried })
      return unexplained
    } catch (error) {
      if (isFsError(error, 'NO_MATCH')) return error
      throw error
    }
  }

  async function finish(found: Candidates | undefined): Promise<EditedFile[]> {
    const [failure, ...others] = failures
    if (failure) {
      const also = others.map(({ facts }) => facts.path)
      throw new FsError('NO_MATCH', { ...failure.facts, ...(also.length > 0 && { also }) })
    }
    const missed = hits.indexOf(0)
    if (missed >= 0 && firstNamed !== undefined) {
      const tried = edits.map((edit, index) => (index === missed ? edit : (optional[index] as Edit)))
      throw await explained(firstNamed.at, firstNamed.path, tried)
    }
    if (missed >= 0 && found) throw nowhere(found, missed)
    expectCount(
      input.expectedCount,
      files.map(({ path, places }) => ({ path, count: places })),
    )
    return files
  }

  return { editNamed, editSelected, finish }
}

function asOptional(edit: Edit): Edit {
  return edit.kind === 'literal' || edit.kind === 'regex' ? { ...edit, optional: true } : edit
}

function failureOf(path: string, edit: number, { code, ...facts }: NonNullable<AppliedEdit['failure']>): FsError {
  // The failure has all facts of its code except the path and the number of the edit.
  return new FsError(code, { path, edit, ...facts } as FsError<typeof code>['facts'])
}
