/** Applies blocks of a patch to a draft. */
import type * as z from 'zod'
import type { Draft } from '../../change/draft.js'
import { FsError, isFsError, type PatchExplanation } from '../../errors.js'
import type { TextFormat } from '../../text/decode/detect.js'
import type { ShownText } from '../../text/decode/shown-text.js'
import { splitLines } from '../../text/lines/lines.js'
import { hunkSpans, type Tolerated } from '../../text/patch/apply-hunks.js'
import type { HunkFailure } from '../../text/patch/locate-hunks.js'
import { countChanges, type FilePatch, type Hunk } from '../../text/patch/patch.js'
import { replaceSpans, type Span } from '../../text/spans.js'
import { utf8Bytes } from '../../text/utf8-bytes.js'
import type { Workspace } from '../../workspace/workspace.js'
import type { finalLink } from '../operation.js'
import { clearTarget, type PendingRemovals } from './clear-target.js'
import { contentHash } from './content-hash.js'
import { type EditableFile, type EncodingRules, encodeEdited, formatsOf, openEditable } from './editable-file.js'

export interface PatchedFile {
  kind: FilePatch['kind']
  path: string
  toPath?: string
  added: number
  removed: number
  /** Hunks that were found although their old lines differ from the file's in white space or in characters that look alike. */
  tolerated?: readonly Tolerated[]
  /** The text before and after, only in a dry run: otherwise the history has it. Absent where there is no file. */
  before?: string
  after?: string
  /** How a changed file is encoded, before and after. */
  format?: TextFormat
  /** As in `EditedText`. */
  readsAs?: TextFormat | 'binary'
}

/** A block of a patch with the places it concerns. */
export interface Placed {
  patch: FilePatch
  /** Source and target: `given` as named, `at` with links followed. */
  given: string[]
  at: string[]
  /** Source and target are one entry, whose name is spelled otherwise. */
  respells?: boolean
  /** The source, where it was removed from the draft before its block is applied. */
  removedSource?: EditableFile
}

export interface ApplyBlocks {
  workspace: Workspace
  draft: Draft
  rules: PatchRules
  /** V4A blocks are applied one after the other. A diff describes the tree before and after, so its blocks may come in any order. */
  isV4a: boolean
  /** Called for each block that was applied. */
  prepared(): void
  /** Called for a block that does not fit; throws unless the others are to be tried. */
  failed(block: Placed, error: FsError): void
}

/** The draft holds parts of blocks that failed; see `Draft.discard`. */
export async function applyBlocks(placed: readonly Placed[], options: ApplyBlocks): Promise<PatchedFile[]> {
  const { workspace, draft, rules, isV4a, prepared, failed } = options
  const blocks = placed.map((block) => ({ ...block }))
  const pendingRemovals: PendingRemovals = isV4a ? new Map() : pendingRemovalsOf(blocks, removeNow)
  const done: PatchedFile[] = []
  for (const [index, block] of blocks.entries()) {
    if (removesSource(block.patch)) pendingRemovals.delete(block.at[0] as string)
    try {
      done.push(await applyToFile({ workspace, draft, pendingRemovals }, block, rules))
      prepared()
    } catch (error) {
      if (!isFsError(error)) throw error
      failed(placed[index] as Placed, error)
    }
  }
  return done

  async function removeNow(block: Placed): Promise<void> {
    const [[path], [at]] = [block.given, block.at] as [[string], [string]]
    pendingRemovals.delete(at)
    block.removedSource = await openEditable(workspace, draft, at, { path, ...rules })
    await draft.remove(at)
  }
}

/** A link is deleted or moved as a link; its target stays. */
export function removesSource({ kind }: FilePatch): boolean {
  return kind === 'delete' || kind === 'rename'
}

function pendingRemovalsOf(placed: readonly Placed[], removeNow: (block: Placed) => Promise<void>): PendingRemovals {
  const pendingRemovals: PendingRemovals = new Map()
  for (const block of placed) {
    const source = block.at[0] as string
    const goes = removesSource(block.patch) && source !== block.at[1]
    if (goes && !pendingRemovals.has(source)) pendingRemovals.set(source, () => removeNow(block))
  }
  return pendingRemovals
}

export interface PatchRules extends EncodingRules {
  fuzz: number
  finalLink: z.output<typeof finalLink>
  dryRun: boolean
  endings: 'neighbour' | 'dominant'
  /** Move a file that is not text, where the block does not look at its content. */
  movesBinary: boolean
  explains: boolean
  /** Explains why a hunk does not fit, if that is wanted. */
  explain(at: string, text: string, hunks: readonly Hunk[], failure: HunkFailure): Promise<PatchExplanation | undefined>
}

interface PatchContext {
  workspace: Workspace
  draft: Draft
  pendingRemovals: PendingRemovals
}

async function applyToFile(context: PatchContext, placed: Placed, rules: PatchRules): Promise<PatchedFile> {
  const { workspace, draft } = context
  const { patch, given, at, removedSource, respells } = placed
  const { dryRun } = rules
  const [path, toPath] = given as [string, string?]
  const [source, target] = at as [string, string?]
  const counted = countChanges(patch.hunks ?? [])
  const mode = 'mode' in patch && patch.mode !== undefined ? { mode: patch.mode & 0o777 } : {}

  if (patch.kind === 'create') {
    const after = replaceSpans('', (await spansOf('', patch.hunks, placed, rules)).spans)
    if (rules.explains) await refuseApplied(context, source, { path, after })
    await requireNothing(context, source, { path })
    await draft.makeParents(source)
    await draft.write(source, utf8Bytes(after), mode)
    return { kind: 'create', path, ...counted, ...(dryRun && { after }) }
  }

  if (ignoresContent(patch) && !removedSource && (await isMovedUnread(context, source, rules))) {
    if (target === undefined) await draft.remove(source)
    else {
      if (!respells) await requireNothing(context, target, { path: toPath ?? target, from: path })
      await draft.makeParents(target)
      await draft.move(source, target)
    }
    return { kind: patch.kind, path, ...(toPath !== undefined && { toPath }), ...counted }
  }

  const file = removedSource ?? (await openEditable(workspace, draft, source, { path, ...rules }))
  const { bytes, mode: modeBefore } = file
  const before = file.shown.text
  const shown = withMark(file.shown)
  if (patch.kind === 'delete') {
    const left =
      patch.hunks === undefined
        ? ''
        : replaceSpans(shown.text, (await spansOf(shown.text, patch.hunks, placed, rules)).spans)
    if (withoutMark(left) !== '') throw new FsError('PATCH_MISMATCH', { path, reason: 'not-whole-file' })
    if (!removedSource) await draft.remove(source)
    const removed = patch.hunks === undefined ? splitLines(before).length : counted.removed
    return { kind: 'delete', path, added: 0, removed, ...(dryRun && { before }) }
  }

  if (patch.kind === 'modify' && patch.hunks.length === 0 && patch.mode === undefined) {
    const reason = 'the block changes nothing: no hunk follows'
    throw new FsError('MALFORMED_PATCH', { line: patch.line, reason, lacks: 'hunks' })
  }
  const { spans, tolerated } = await spansOf(shown.text, patch.hunks, placed, rules)
  const encoded = patch.hunks.length === 0 ? bytes : encodeEdited({ ...file, shown }, path, spans)
  const after = () => withoutMark(replaceSpans(shown.text, spans))
  const texts = dryRun ? { before, after: after() } : {}
  const details = {
    ...counted,
    ...(tolerated.length > 0 && { tolerated }),
    ...texts,
    ...(rules.detectEncoding && formatsOf(file, encoded, after)),
  }
  if (patch.kind === 'modify' || target === undefined || target === source) {
    await draft.write(source, encoded, mode)
    return { kind: 'modify', path, ...details }
  }
  // Removes the source first: the target may need its place for a directory, or take the place of a directory whose last entry it is.
  if (!removedSource) await draft.remove(source)
  await requireNothing(context, target, { path: toPath ?? target, from: path })
  await draft.makeParents(target)
  await draft.write(target, encoded, modeBefore === undefined ? mode : { mode: modeBefore, ...mode })
  return { kind: 'rename', path, ...(toPath !== undefined && { toPath }), ...details }
}

/** The block does not look at the content, so the path may be a link. */
function ignoresContent(patch: FilePatch): boolean {
  if (patch.kind === 'delete') return patch.hunks === undefined
  return patch.kind === 'rename' && patch.hunks.length === 0 && patch.mode === undefined
}

/** A file that was created by the same patch before is not in the way: there is nothing to do. */
async function refuseApplied(
  { draft, pendingRemovals, workspace }: PatchContext,
  at: string,
  { path, after }: { path: string; after: string },
): Promise<void> {
  const { image } = await draft.entry(at)
  const bytes = utf8Bytes(after)
  if (image.kind !== 'file' || image.size !== bytes.length || pendingRemovals.has(at)) return
  if (image.hash !== (await contentHash(bytes, workspace.fs.exact))) return
  const reason = 'already-applied'
  throw new FsError('PATCH_MISMATCH', { path, reason, explanation: { cause: reason } })
}

/** A link, or a file that is not text, is moved or deleted as it is. */
async function isMovedUnread({ workspace, draft }: PatchContext, at: string, rules: PatchRules): Promise<boolean> {
  const { image } = await draft.entry(at)
  if (image.kind === 'symlink') return rules.finalLink === 'follow'
  if (image.kind !== 'file' || !rules.movesBinary) return false
  return openEditable(workspace, draft, at, { path: at, ...rules }).then(
    () => false,
    (error) => isFsError(error, 'BINARY'),
  )
}

type Occupied = { path: string; from?: string }

async function requireNothing(
  { workspace, draft, pendingRemovals }: PatchContext,
  at: string,
  facts: Occupied,
): Promise<void> {
  await clearTarget(workspace, draft, at, pendingRemovals)
  if ((await draft.entry(at)).image.kind !== 'absent') throw new FsError('EXISTS', facts)
}

/** Puts the byte-order mark of UTF-8 into the text, because diffs contain it. In UTF-16 it is not part of the text. */
function withMark({ text, format, document }: ShownText): ShownText {
  if (!format.bom || format.encoding !== 'utf-8' || document === undefined)
    return { text, format, ...(document && { document }) }
  const marked = { ...document, bom: false, text: `\ufeff${document.text}` }
  return { text: `\ufeff${text}`, format: { ...format, bom: false }, document: marked }
}

function withoutMark(text: string): string {
  return text.startsWith('\ufeff') ? text.slice(1) : text
}

interface Found {
  spans: readonly Span[]
  tolerated: readonly Tolerated[]
}

async function spansOf(text: string, hunks: readonly Hunk[], placed: Placed, rules: PatchRules): Promise<Found> {
  const found = hunkSpans(text, hunks, rules)
  if (found.ok) return found
  const { ok: _, ...failure } = found
  const explanation = await rules.explain(placed.at[0] as string, text, hunks, failure)
  throw new FsError('PATCH_MISMATCH', {
    path: placed.given[0] as string,
    ...failure,
    ...(explanation && { explanation }),
  })
}
