import * as z from 'zod'
import type { Draft } from '../change/draft.js'
import type { Scope } from '../change/locks/locks.js'
import { FsError } from '../errors.js'
import type { TextFormat } from '../text/decode/detect.js'
import type { ShownText } from '../text/decode/shown-text.js'
import { splitLines } from '../text/lines/lines.js'
import { hunkSpans } from '../text/patch/apply-hunks.js'
import { countChanges, type FilePatch, type Hunk } from '../text/patch/patch.js'
import { parseUnifiedPatch } from '../text/patch/unified-patch.js'
import { parseV4aPatch } from '../text/patch/v4a-patch.js'
import { replaceSpans, type Span } from '../text/spans.js'
import type { Workspace } from '../workspace.js'
import { finalLink, operation, scopeOf } from './operation.js'
import { clearTarget, type PendingRemovals } from './shared/clear-target.js'
import { detectEncoding } from './shared/detect-encoding.js'
import { type EditableFile, type EncodingRules, encodeEdited, formatsOf, openEditable } from './shared/editable-file.js'
import { twoPhaseProgress } from './shared/two-phase-progress.js'

export interface PatchedFile {
  kind: FilePatch['kind']
  path: string
  toPath?: string
  added: number
  removed: number
  /** The text before and after, only in a dry run: otherwise the history has it. Absent where there is no file. */
  before?: string
  after?: string
  /** How a changed file is encoded, before and after. */
  format?: TextFormat
  /** As in `EditedText`. */
  readsAs?: TextFormat | 'binary'
}

/** Applies a patch of many files, all of it or none of it. */
export const applyPatch = operation({
  mutates: true,
  input: z.object({
    patch: z.string(),
    /** Default: detected by the first line. */
    format: z.enum(['unified', 'v4a']).optional(),
    /** How many context lines at the ends of a hunk may differ. */
    fuzz: z.int().min(0).default(0),
    /** Report what would happen, and change nothing. */
    dryRun: z.boolean().default(false),
    finalLink,
    binaryWindow: z.int().min(1).exactOptional(),
    encodings: z.array(z.enum(['utf-8', 'utf-16le', 'utf-16be'])).exactOptional(),
    detectEncoding,
    /** Whether several blocks may name the same path. */
    repeats: z.enum(['allow', 'refuse']).default('allow'),
    /** How added lines end: like the lines beside them, or like most lines of the file. */
    endings: z.enum(['neighbour', 'dominant']).default('neighbour'),
  }),

  async run(input, workspace, context): Promise<PatchedFile[]> {
    const { fs, root, changes } = workspace
    const { isV4a, blocks } = parse(input.patch, input.format)
    const patches = blocks.map((patch) => ({
      patch,
      given: pathsOf(patch).map((path) => fs.resolve(path, root)),
    }))
    const named = patches.flatMap(({ patch, given }) => given.map((path) => ({ path, patch })))
    const scopes = await Promise.all(
      named.map(({ path, patch }): Scope | Promise<Scope> =>
        input.finalLink === 'follow' && removesSource(patch)
          ? { path, last: 'keep' }
          : scopeOf(workspace, path, input.finalLink),
      ),
    )
    const { prepared, changeOptions } = twoPhaseProgress(context)
    const { result } = await changes.run({ label: 'patch', scopes, ...changeOptions }, async (draft, located) => {
      let next = 0
      const placed = patches.map((block): Placed => {
        const first = next
        next += block.given.length
        return { ...block, at: located.slice(first, next) }
      })
      if (input.repeats === 'refuse') refuseRepeats(placed)
      // A diff describes the tree before and after, so its blocks may come in any order; V4A blocks are applied one after the other.
      const pendingRemovals: PendingRemovals = isV4a ? new Map() : pendingRemovalsOf(placed, removeNow)
      const done: PatchedFile[] = []
      for (const block of placed) {
        if (removesSource(block.patch)) pendingRemovals.delete(block.at[0] as string)
        done.push(await applyToFile({ workspace, draft, pendingRemovals }, block, input))
        prepared(placed.length)
      }
      // Everything has been checked, so a dry run only discards the draft.
      if (input.dryRun) draft.discard()
      return done

      async function removeNow(block: Placed): Promise<void> {
        const [[path], [at]] = [block.given, block.at] as [[string], [string]]
        pendingRemovals.delete(at)
        block.removedSource = await openEditable(workspace, draft, at, { path, ...input })
        await draft.remove(at)
      }
    })
    return result
  },
})

function parse(patch: string, format: 'unified' | 'v4a' | undefined) {
  if (!patch.isWellFormed()) {
    const line = patch.split('\n').findIndex((row) => !row.isWellFormed()) + 1
    throw new FsError('MALFORMED_PATCH', { line, reason: 'text that is not well-formed' })
  }
  const isV4a = format === 'v4a' || (format === undefined && beginsV4a(patch))
  return { isV4a, blocks: isV4a ? parseV4aPatch(patch) : parseUnifiedPatch(patch) }
}

/** Looks at the second line too, because the first may open a here-document or a Markdown block. */
function beginsV4a(patch: string): boolean {
  const first = patch.trimStart()
  const second = first.slice(first.indexOf('\n') + 1).trimStart()
  return first.startsWith('*** Begin Patch') || second.startsWith('*** Begin Patch')
}

function pathsOf(patch: FilePatch): string[] {
  return patch.kind === 'rename' ? [patch.path, patch.toPath] : [patch.path]
}

/** A link is deleted or moved as a link; its target stays. */
function removesSource({ kind }: FilePatch): boolean {
  return kind === 'delete' || kind === 'rename'
}

interface Placed {
  patch: FilePatch
  /** Source and target: `given` as named, `at` with links followed. */
  given: string[]
  at: string[]
  /** The source, where it was removed from the draft before its block is applied. */
  removedSource?: EditableFile
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

/** Compares located paths, so other spellings and links are recognised. */
function refuseRepeats(placed: readonly Placed[]): void {
  const seen = new Set<string>()
  for (const { given, at } of placed) {
    const repeated = given.find((_, index) => seen.has(at[index] as string))
    if (repeated !== undefined) throw new FsError('REPEATED_PATH', { path: repeated })
    for (const path of at) seen.add(path)
  }
}

interface Rules extends EncodingRules {
  fuzz: number
  finalLink: z.output<typeof finalLink>
  dryRun: boolean
  endings: 'neighbour' | 'dominant'
}

interface PatchContext {
  workspace: Workspace
  draft: Draft
  pendingRemovals: PendingRemovals
}

async function applyToFile(context: PatchContext, placed: Placed, rules: Rules): Promise<PatchedFile> {
  const { workspace, draft } = context
  const { patch, given, at, removedSource } = placed
  const { dryRun } = rules
  const [path, toPath] = given as [string, string?]
  const [source, target] = at as [string, string?]
  const counted = countChanges(patch.hunks ?? [])
  const mode = 'mode' in patch && patch.mode !== undefined ? { mode: patch.mode & 0o777 } : {}

  if (patch.kind === 'create') {
    await requireNothing(context, source, { path })
    const after = patched('', patch.hunks, path, rules)
    await draft.makeParents(source)
    await draft.write(source, new TextEncoder().encode(after), mode)
    return { kind: 'create', path, ...counted, ...(dryRun && { after }) }
  }

  if (
    rules.finalLink === 'follow' &&
    ignoresContent(patch) &&
    !removedSource &&
    (await draft.look(source)).image.kind === 'symlink'
  ) {
    if (target === undefined) await draft.remove(source)
    else {
      await requireNothing(context, target, { path: toPath ?? target, from: path })
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
    const left = patch.hunks === undefined ? '' : patched(shown.text, patch.hunks, path, rules)
    if (withoutMark(left) !== '') throw new FsError('PATCH_MISMATCH', { path, reason: 'not-whole-file' })
    if (!removedSource) await draft.remove(source)
    const removed = patch.hunks === undefined ? splitLines(before).length : counted.removed
    return { kind: 'delete', path, added: 0, removed, ...(dryRun && { before }) }
  }

  if (patch.kind === 'modify' && patch.hunks.length === 0 && patch.mode === undefined) {
    const reason = 'the block changes nothing: no hunk follows'
    throw new FsError('MALFORMED_PATCH', { line: patch.line, reason, lacks: 'hunks' })
  }
  const spans = spansOf(shown.text, patch.hunks, path, rules)
  const encoded = patch.hunks.length === 0 ? bytes : encodeEdited({ ...file, shown }, path, spans)
  const after = () => withoutMark(replaceSpans(shown.text, spans))
  const texts = dryRun ? { before, after: after() } : {}
  const details = { ...counted, ...texts, ...(rules.detectEncoding && formatsOf(file, encoded, after)) }
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

type Occupied = { path: string; from?: string }

async function requireNothing(
  { workspace, draft, pendingRemovals }: PatchContext,
  at: string,
  facts: Occupied,
): Promise<void> {
  await clearTarget(workspace, draft, at, pendingRemovals)
  if ((await draft.look(at)).image.kind !== 'absent') throw new FsError('EXISTS', facts)
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

function patched(text: string, hunks: readonly Hunk[], path: string, rules: Rules): string {
  return replaceSpans(text, spansOf(text, hunks, path, rules))
}

function spansOf(text: string, hunks: readonly Hunk[], path: string, { fuzz, endings }: Rules): Span[] {
  const found = hunkSpans(text, hunks, { fuzz, endings })
  if (found.ok) return found.spans
  const { ok: _, ...failure } = found
  throw new FsError('PATCH_MISMATCH', { path, ...failure })
}
