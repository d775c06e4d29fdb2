import * as z from 'zod'
import type { Scope } from '../change/locks/locks.js'
import { FsError, isFsError } from '../errors.js'
import { openShown } from '../text/decode/shown-text.js'
import { explainHunk } from '../text/patch/explain-hunk.js'
import type { FilePatch } from '../text/patch/patch.js'
import { restOfPatch } from '../text/patch/rest-of-patch.js'
import { parseUnifiedPatch } from '../text/patch/unified-patch.js'
import { parseV4aPatch } from '../text/patch/v4a-patch.js'
import type { Workspace } from '../workspace/workspace.js'
import { type CallContext, finalLink, operation, scopeOf } from './operation.js'
import { detectEncoding } from './shared/detect-encoding.js'
import { groupsByPath } from './shared/group-blocks.js'
import { applyBlocks, type PatchedFile, type PatchRules, type Placed, removesSource } from './shared/patch-blocks.js'
import { spelledAnew } from './shared/spelled-anew.js'
import { twoPhaseProgress } from './shared/two-phase-progress.js'

export type { PatchedFile }

const input = z.object({
  patch: z.string(),
  /** Default: detected by the first line. */
  format: z.enum(['unified', 'v4a']).optional(),
  /** Whether a unified diff may have the one-line headers of compact diffs. */
  compact: z.boolean().default(false),
  /** How many context lines at the ends of a hunk may differ. */
  fuzz: z.int().min(0).default(0),
  /** Report what would happen, and change nothing. */
  dryRun: z.boolean().default(false),
  /** Explain why a hunk does not fit, and find one that does. */
  explain: z.boolean().default(false),
  finalLink,
  binaryWindow: z.int().min(1).exactOptional(),
  encodings: z.array(z.enum(['utf-8', 'utf-16le', 'utf-16be'])).exactOptional(),
  detectEncoding,
  /** Whether several blocks may name the same path. */
  repeats: z.enum(['allow', 'refuse']).default('allow'),
  /** How added lines end: like the lines beside them, or like most lines of the file. */
  endings: z.enum(['neighbour', 'dominant']).default('neighbour'),
})

type Input = z.output<typeof input>

/** Applies a patch of many files, all of it or none of it. */
export const applyPatch = operation({
  mutates: true,
  input,

  async run(input, workspace, context): Promise<PatchedFile[]> {
    const parsed = parse(input)
    const blocks = parsed.blocks.map((patch) => ({ patch, given: resolved(patch, workspace) }))
    const { prepared, changeOptions } = twoPhaseProgress(context)
    const scopes = await scopesOf(blocks, workspace, input)
    const { result } = await workspace.changes.run(
      { label: 'patch', scopes, ...changeOptions },
      async (draft, located) => {
        const placed = placedAt(workspace, blocks, located)
        if (input.repeats === 'refuse') refuseRepeats(placed)
        const done = await applyBlocks(placed, {
          workspace,
          draft,
          rules: rulesOf(input, workspace),
          isV4a: parsed.isV4a,
          prepared: () => prepared(placed.length),
          failed(_block, error) {
            throw error
          },
        })
        // Everything has been checked, so a dry run only discards the draft.
        if (input.dryRun) draft.discard()
        return done
      },
    )
    return result
  },
})

export interface PartlyPatched {
  applied: PatchedFile[]
  /** Files that were left as they are, in the order of the patch. */
  rejected: RejectedBlock[]
  /** What was not applied, as a patch of the same format; empty if everything was. */
  rest: string
}

export interface RejectedBlock {
  /** As named by the patch. */
  path: string
  toPath?: string
  /** Why it does not fit; absent where only another block for the same file does not. */
  error?: FsError
}

/** Applies those files of a patch that fit: each file whole or not at all, and all of them in one change. */
export const applyPatchPartly = operation({
  mutates: true,
  input,

  async run(input, workspace, context): Promise<PartlyPatched> {
    const parsed = parse(input)
    const rejected = new Map<FilePatch, FsError | undefined>()
    const blocks = await reachable(parsed.blocks, workspace, input, rejected)
    const applied =
      blocks.length === 0 ? [] : await applyFitting({ ...parsed, blocks, rejected }, input, workspace, context)
    return {
      applied,
      rejected: parsed.blocks.flatMap((patch) =>
        rejected.has(patch) ? [rejectedBlock(patch, rejected.get(patch))] : [],
      ),
      rest: restOfPatch(input.patch, parsed.blocks, { wanted: new Set(rejected.keys()), isV4a: parsed.isV4a }),
    }
  },
})

interface Partly {
  isV4a: boolean
  blocks: readonly Block[]
  /** Grows by the blocks that do not fit. */
  rejected: Map<FilePatch, FsError | undefined>
}

/** Blocks may depend on each other in long chains of directories; further attempts would take too long. */
const maxRounds = 50

async function applyFitting(
  { isV4a, blocks, rejected }: Partly,
  input: Input,
  workspace: Workspace,
  context: CallContext,
): Promise<PatchedFile[]> {
  const { prepared, changeOptions } = twoPhaseProgress(context)
  const scopes = await scopesOf(blocks, workspace, input)
  const rules = rulesOf(input, workspace)
  const { result } = await workspace.changes.run(
    { label: 'patch', scopes, ...changeOptions },
    async (draft, located) => {
      const placed = placedAt(workspace, blocks, located)
      const groupOf = groupsByPath(placed, ({ at }) => at)
      const reject = (block: Placed, error: FsError) => {
        if (!isAboutFile(error)) throw error
        for (const other of groupOf(block)) if (!rejected.has(other.patch)) rejected.set(other.patch, undefined)
        rejected.set(block.patch, error)
      }
      for (let round = 1; ; round += 1) {
        draft.discard()
        const left = placed.filter(({ patch }) => !rejected.has(patch))
        const before = rejected.size
        const done = await applyBlocks(left, {
          workspace,
          draft,
          rules,
          isV4a,
          prepared: () => (round === 1 ? prepared(placed.length) : undefined),
          failed: reject,
        })
        if (rejected.size === before) {
          if (input.dryRun) draft.discard()
          return done
        }
        if (round === maxRounds)
          for (const { patch } of placed) if (!rejected.has(patch)) rejected.set(patch, undefined)
      }
    },
  )
  return result
}

/** Failures of one file. Any other, such as a full disk, fails the call. */
function isAboutFile({ code }: FsError): boolean {
  return !['ABORTED', 'BUSY', 'CONFLICT', 'INTERNAL', 'IO', 'NO_SPACE', 'OVERLOADED', 'TOO_MANY_OPEN'].includes(code)
}

/** The blocks whose paths may be written. */
async function reachable(
  blocks: readonly FilePatch[],
  workspace: Workspace,
  input: Input,
  rejected: Partly['rejected'],
): Promise<Block[]> {
  const { fs } = workspace
  const reached: Block[] = []
  const groupOf = groupsByPath(blocks, namesIn)
  for (const patch of blocks) {
    try {
      const block = { patch, given: resolved(patch, workspace) }
      for (const { path, last } of await scopesOf([block], workspace, input)) {
        fs.authorize(await fs.locate(path, last), 'write')
      }
      reached.push(block)
    } catch (error) {
      if (!isFsError(error) || !isAboutFile(error)) throw error
      for (const other of groupOf(patch)) if (!rejected.has(other)) rejected.set(other, undefined)
      rejected.set(patch, error)
    }
  }
  return reached.filter(({ patch }) => !rejected.has(patch))
}

function rejectedBlock(patch: FilePatch, error: FsError | undefined): RejectedBlock {
  return { path: patch.path, ...(patch.kind === 'rename' && { toPath: patch.toPath }), ...(error && { error }) }
}

interface Parsed {
  isV4a: boolean
  blocks: FilePatch[]
}

function parse({ patch, format, compact }: Input): Parsed {
  if (!patch.isWellFormed()) {
    const line = patch.split('\n').findIndex((row) => !row.isWellFormed()) + 1
    throw new FsError('MALFORMED_PATCH', { line, reason: 'text that is not well-formed' })
  }
  const isV4a = format === 'v4a' || (format === undefined && beginsV4a(patch))
  return { isV4a, blocks: isV4a ? parseV4aPatch(patch) : parseUnifiedPatch(patch, { compact }) }
}

/** Looks at the second line too, because the first may open a here-document or a Markdown block. */
function beginsV4a(patch: string): boolean {
  const first = patch.trimStart()
  const second = first.slice(first.indexOf('\n') + 1).trimStart()
  return first.startsWith('*** Begin Patch') || second.startsWith('*** Begin Patch')
}

type Block = Pick<Placed, 'patch' | 'given'>

function resolved(patch: FilePatch, { fs, root }: Workspace): string[] {
  return namesIn(patch).map((path) => fs.resolve(path, root))
}

function namesIn(patch: FilePatch): string[] {
  return patch.kind === 'rename' ? [patch.path, patch.toPath] : [patch.path]
}

/** One scope for each path of each block. */
function scopesOf(blocks: readonly Block[], workspace: Workspace, { finalLink }: Input): Promise<Scope[]> {
  const named = blocks.flatMap(({ patch, given }) => given.map((path) => ({ path, patch })))
  return Promise.all(
    named.map(({ path, patch }): Scope | Promise<Scope> =>
      finalLink === 'follow' && removesSource(patch) ? { path, last: 'keep' } : scopeOf(workspace, path, finalLink),
    ),
  )
}

/** `located` has one path for each scope. */
function placedAt({ fs }: Workspace, blocks: readonly Block[], located: readonly string[]): Placed[] {
  let next = 0
  return blocks.map((block) => {
    const first = next
    next += block.given.length
    const [source, target] = located.slice(first, next) as [string, string?]
    if (target === undefined) return { ...block, at: [source] }
    const spelled = source === target ? spelledAnew(fs, target, block.given[1] as string) : undefined
    return spelled === undefined
      ? { ...block, at: [source, target] }
      : { ...block, at: [source, spelled], respells: true }
  })
}

function rulesOf(input: Input, { history }: Workspace): PatchRules {
  let left = input.explain ? maxExplained : 0
  let units = maxExplainedUnits
  return {
    ...input,
    movesBinary: input.compact,
    explains: input.explain,
    async explain(at, text, hunks, failure) {
      if (left === 0 || units < text.length) return undefined
      left -= 1
      units -= text.length
      const versions = await history.earlierVersions(at, earlierVersions)
      const texts = versions.map((bytes) => openShown(bytes)?.text ?? '')
      return explainHunk(text, hunks, failure, { earlierVersions: texts })
    },
  }
}

/** Explanations take time, and more would not be read. */
const maxExplained = 20
const maxExplainedUnits = 2_000_000

/** How many earlier versions of a file are compared, to recognise a patch that was meant for one of them. */
const earlierVersions = 5

/** Compares located paths, so other spellings and links are recognised. */
function refuseRepeats(placed: readonly Placed[]): void {
  const seen = new Set<string>()
  for (const { given, at } of placed) {
    const repeated = given.find((_, index) => seen.has(at[index] as string))
    if (repeated !== undefined) throw new FsError('REPEATED_PATH', { path: repeated })
    for (const path of at) seen.add(path)
  }
}
