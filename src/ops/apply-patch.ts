import * as z from 'zod'
import type { Draft } from '../change/draft.js'
import type { Scope } from '../change/locks/locks.js'
import { FsError } from '../errors.js'
import type { Encoding } from '../text/decode/decode.js'
import { encodeReplaced, type TextDocument } from '../text/decode/document.js'
import { splitLines } from '../text/lines/lines.js'
import { hunkSpans } from '../text/patch/apply-hunks.js'
import { countChanges, type FilePatch, type Hunk } from '../text/patch/patch.js'
import { parseUnifiedPatch } from '../text/patch/unified-patch.js'
import { parseV4aPatch } from '../text/patch/v4a-patch.js'
import { replaceSpans, type Span } from '../text/spans.js'
import type { Workspace } from '../workspace.js'
import { finalLink, operation, scopeOf } from './operation.js'
import { type Leaving, makeRoom } from './shared/clear-target.js'
import { type EditableFile, openEditable } from './shared/editable-file.js'
import { inTwoParts } from './shared/two-phase-progress.js'

export interface PatchedFile {
  kind: FilePatch['kind']
  path: string
  toPath?: string
  added: number
  removed: number
  /** Text before and after, of a dry run alone: else the history has it. Absent where there is no file. */
  before?: string
  after?: string
}

/** Applies a patch of many files, all of it or nothing. */
export const applyPatch = operation({
  mutates: true,
  input: z.object({
    patch: z.string(),
    /** Told by its first line unless given. */
    format: z.enum(['unified', 'v4a']).optional(),
    /** Context lines at the ends of a hunk that may differ. */
    fuzz: z.int().min(0).default(0),
    /** Tell what would happen, and change nothing. */
    dryRun: z.boolean().default(false),
    finalLink,
    binaryWindow: z.int().min(1).exactOptional(),
    encodings: z.array(z.enum(['utf-8', 'utf-16le', 'utf-16be'])).exactOptional(),
    /** Whether a path may be in more than one block. */
    repeats: z.enum(['allow', 'refuse']).default('allow'),
    /** What added lines end with: as the lines beside them, or as most of the file. */
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
        input.finalLink === 'follow' && takesAway(patch)
          ? { path, last: 'keep' }
          : scopeOf(workspace, path, input.finalLink),
      ),
    )
    const { lookedAt, following } = inTwoParts(context)
    const { result } = await changes.run({ label: 'patch', scopes, ...following }, async (draft, located) => {
      let next = 0
      const placed = patches.map((block): Placed => {
        const first = next
        next += block.given.length
        return { ...block, at: located.slice(first, next) }
      })
      if (input.repeats === 'refuse') refuseRepeats(placed)
      // The blocks of a diff tell what was and what will be, in any order; those of V4A are done one after the other.
      const leaving: Leaving = isV4a ? new Map() : leavingOf(placed, lift)
      const done: PatchedFile[] = []
      for (const block of placed) {
        if (takesAway(block.patch)) leaving.delete(block.at[0] as string)
        done.push(await applyToFile({ workspace, draft, leaving }, block, input))
        lookedAt(placed.length)
      }
      // Everything has been checked; forgetting the draft is all that a dry run takes.
      if (input.dryRun) draft.discard()
      return done

      async function lift(block: Placed): Promise<void> {
        const [[path], [at]] = [block.given, block.at] as [[string], [string]]
        leaving.delete(at)
        block.lifted = await openEditable(workspace, draft, at, { path, ...input })
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

/** By its first line, or by the second where the first opens a here-document or a block of Markdown. */
function beginsV4a(patch: string): boolean {
  const first = patch.trimStart()
  const second = first.slice(first.indexOf('\n') + 1).trimStart()
  return first.startsWith('*** Begin Patch') || second.startsWith('*** Begin Patch')
}

function pathsOf(patch: FilePatch): string[] {
  return patch.kind === 'rename' ? [patch.path, patch.toPath] : [patch.path]
}

/** A link goes, or moves, as the link it is; what it leads to stays. */
function takesAway({ kind }: FilePatch): boolean {
  return kind === 'delete' || kind === 'rename'
}

interface Placed {
  patch: FilePatch
  /** Source and target as they were named, and with links followed. */
  given: string[]
  at: string[]
  /** The source, where it had to go before its turn. */
  lifted?: EditableFile
}

function leavingOf(placed: readonly Placed[], lift: (block: Placed) => Promise<void>): Leaving {
  const leaving: Leaving = new Map()
  for (const block of placed) {
    const source = block.at[0] as string
    const goes = takesAway(block.patch) && source !== block.at[1]
    if (goes && !leaving.has(source)) leaving.set(source, () => lift(block))
  }
  return leaving
}

/** However a path is spelt, and through whatever links. */
function refuseRepeats(placed: readonly Placed[]): void {
  const seen = new Set<string>()
  for (const { given, at } of placed) {
    const repeated = given.find((_, index) => seen.has(at[index] as string))
    if (repeated !== undefined) throw new FsError('REPEATED_PATH', { path: repeated })
    for (const path of at) seen.add(path)
  }
}

interface Rules {
  fuzz: number
  finalLink: z.output<typeof finalLink>
  dryRun: boolean
  binaryWindow?: number
  encodings?: readonly Encoding[]
  endings: 'neighbour' | 'dominant'
}

interface Surroundings {
  workspace: Workspace
  draft: Draft
  leaving: Leaving
}

async function applyToFile(around: Surroundings, placed: Placed, rules: Rules): Promise<PatchedFile> {
  const { workspace, draft } = around
  const { patch, given, at, lifted } = placed
  const { dryRun } = rules
  const [path, toPath] = given as [string, string?]
  const [source, target] = at as [string, string?]
  const counted = countChanges(patch.hunks ?? [])
  const mode = 'mode' in patch && patch.mode !== undefined ? { mode: patch.mode & 0o777 } : {}

  if (patch.kind === 'create') {
    await requireNothing(around, source, { path })
    const after = patched('', patch.hunks, path, rules)
    await draft.makeParents(source)
    await draft.write(source, new TextEncoder().encode(after), mode)
    return { kind: 'create', path, ...counted, ...(dryRun && { after }) }
  }

  if (
    rules.finalLink === 'follow' &&
    isWhole(patch) &&
    !lifted &&
    (await draft.look(source)).image.kind === 'symlink'
  ) {
    if (target === undefined) await draft.remove(source)
    else {
      await requireNothing(around, target, { path: toPath ?? target, from: path })
      await draft.makeParents(target)
      await draft.move(source, target)
    }
    return { kind: patch.kind, path, ...(toPath !== undefined && { toPath }), ...counted }
  }

  const file = lifted ?? (await openEditable(workspace, draft, source, { path, ...rules }))
  const { bytes, mode: modeBefore } = file
  const before = file.document.text
  const document = withMark(file.document)
  if (patch.kind === 'delete') {
    const left = patch.hunks === undefined ? '' : patched(document.text, patch.hunks, path, rules)
    if (withoutMark(left) !== '') throw new FsError('PATCH_MISMATCH', { path, reason: 'not-whole-file' })
    if (!lifted) await draft.remove(source)
    const removed = patch.hunks === undefined ? splitLines(before).length : counted.removed
    return { kind: 'delete', path, added: 0, removed, ...(dryRun && { before }) }
  }

  if (patch.kind === 'modify' && patch.hunks.length === 0 && patch.mode === undefined) {
    const reason = 'the block changes nothing: no hunk follows'
    throw new FsError('MALFORMED_PATCH', { line: patch.line, reason, lacks: 'hunks' })
  }
  const spans = spansOf(document.text, patch.hunks, path, rules)
  const encoded = patch.hunks.length === 0 ? bytes : encodeReplaced(document, bytes, spans)
  const texts = dryRun ? { before, after: withoutMark(replaceSpans(document.text, spans)) } : {}
  if (patch.kind === 'modify' || target === undefined || target === source) {
    await draft.write(source, encoded, mode)
    return { kind: 'modify', path, ...counted, ...texts }
  }
  // The source goes first: it may be where the directory of the target will be, or the last entry of a directory that becomes a file.
  if (!lifted) await draft.remove(source)
  await requireNothing(around, target, { path: toPath ?? target, from: path })
  await draft.makeParents(target)
  await draft.write(target, encoded, modeBefore === undefined ? mode : { mode: modeBefore, ...mode })
  return { kind: 'rename', path, ...(toPath !== undefined && { toPath }), ...counted, ...texts }
}

/** Nothing is said about what is in the file, so that it may as well be a link. */
function isWhole(patch: FilePatch): boolean {
  if (patch.kind === 'delete') return patch.hunks === undefined
  return patch.kind === 'rename' && patch.hunks.length === 0 && patch.mode === undefined
}

type Occupied = { path: string; from?: string }

async function requireNothing({ workspace, draft, leaving }: Surroundings, at: string, facts: Occupied): Promise<void> {
  await makeRoom(workspace, draft, at, leaving)
  if ((await draft.look(at)).image.kind !== 'absent') throw new FsError('EXISTS', facts)
}

/** With its byte-order mark as the first character of its first line, where diffs show it. In UTF-16 it is no text, and always stays. */
function withMark(document: TextDocument): TextDocument {
  if (!document.bom || document.encoding !== 'utf-8') return document
  return { ...document, bom: false, text: `\ufeff${document.text}` }
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
