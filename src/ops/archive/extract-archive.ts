import * as z from 'zod'
import type { ArchiveEntry, ArchiveWarning } from '../../archive/entries.js'
import {
  type ArchiveSource,
  type OpenArchive,
  openArchive,
  type ReadArchiveOptions,
} from '../../archive/read-archive.js'
import type { Draft } from '../../change/draft.js'
import type { Streamed } from '../../change/streamed-content.js'
import { FsError } from '../../errors.js'
import { join } from '../../fs/path.js'
import type { Bytes } from '../../fs/types.js'
import { compileGlobs, defaultGlobRules } from '../../search/patterns/glob.js'
import type { Workspace } from '../../workspace/workspace.js'
import { type CallContext, operation } from '../operation.js'
import { type TwoPhaseProgress, twoPhaseProgress } from '../shared/two-phase-progress.js'
import { withArchive } from './list-archive.js'

export interface ExtractedArchive {
  /** The directory that the archive was extracted into. */
  to: string
  /** Files written, replaced ones included. */
  files: number
  /** Directories that the archive names and that did not exist. */
  directories: number
  bytes: number
  /** Paths of files that were replaced. */
  replaced: string[]
  /** Paths of files that existed and were not touched. */
  skipped: string[]
  warnings: ArchiveWarning[]
}

/** What happens if a file exists already: nothing is extracted, the file is replaced, or the file stays. */
export const onExisting = z.enum(['refuse', 'replace', 'skip']).default('refuse')

/**
 * Extracts a zip archive of the workspace into a directory, which is created if it is missing. All of it lands or nothing does. Modes and
 * times are restored where the file system has them, except on directories that existed.
 */
export const extractArchive = operation({
  mutates: true,
  input: z.object({
    path: z.string(),
    to: z.string(),
    /** Only entries that match one of these; all when empty. */
    include: z.array(z.string()).default([]),
    exclude: z.array(z.string()).default([]),
    onExisting,
  }),

  async run(input, workspace, context): Promise<ExtractedArchive> {
    const { fs, root } = workspace
    const [path, to] = [fs.resolve(input.path, root), fs.resolve(input.to, root)]
    return withArchive(workspace, path, context, (source, options) =>
      unpackInto(workspace, source, { ...input, to, options, context }),
    )
  },
})

export interface Unpacking {
  to: string
  include: readonly string[]
  exclude: readonly string[]
  onExisting: z.output<typeof onExisting>
  options: ReadArchiveOptions
  context: CallContext
}

/** Extracts an archive from any source into a directory of the workspace, as one change. */
export async function unpackInto(
  { changes }: Workspace,
  source: ArchiveSource,
  { to, include, exclude, onExisting: policy, options, context }: Unpacking,
): Promise<ExtractedArchive> {
  const wanted = include.length > 0 ? compileGlobs(include, defaultGlobRules) : undefined
  const unwanted = exclude.length > 0 ? compileGlobs(exclude, defaultGlobRules) : undefined
  const isChosen = (path: string) => (wanted?.matches(path) ?? true) && !(unwanted?.matches(path) ?? false)
  const archive = await openArchive(source, options)
  const parts = twoPhaseProgress(context)
  const request = { label: 'extract', scopes: [{ path: to, tree: true }], ...parts.changeOptions }
  const { result } = await changes.run(request, async (draft, paths) => {
    // The request has one scope.
    const target = paths[0] as string
    const done: ExtractedArchive = {
      to,
      files: 0,
      directories: 0,
      bytes: 0,
      replaced: [],
      skipped: [],
      warnings: archive.warnings,
    }
    await ensureDirectory(draft, target)
    await draftAll(draft, target, { archive, isChosen, policy, done, parts })
    return done
  })
  return result
}

interface Drafting {
  archive: OpenArchive
  isChosen: (path: string) => boolean
  policy: z.output<typeof onExisting>
  done: ExtractedArchive
  parts: TwoPhaseProgress
}

async function draftAll(draft: Draft, target: string, { archive, isChosen, policy, done, parts }: Drafting) {
  const chosen = archive.entries.filter(({ path }) => isChosen(path))
  const directories = chosen.filter(({ kind }) => kind === 'directory')
  // Created before their content, so that each gets its mode.
  for (const directory of directories.sort(byPath)) {
    await draftDirectory(join(target, directory.path), directory)
    parts.prepared(chosen.length)
  }
  const held = heldInMemory(chosen)
  for await (const file of archive.read((entry) => held.has(entry))) {
    await draftFile(join(target, file.path), file, file.bytes ?? new Uint8Array())
    parts.prepared(chosen.length)
  }
  for (const file of chosen) {
    if (file.kind === 'directory' || held.has(file)) continue
    const { size = 0 } = file
    await draftFile(join(target, file.path), file, { pieces: archive.pieces(file), size })
    parts.prepared(chosen.length)
  }

  async function draftDirectory(path: string, { mode, modifiedMs }: ArchiveEntry): Promise<void> {
    await draft.makeParents(path)
    const { kind } = (await draft.entry(path)).image
    if (kind === 'directory') return
    if (kind !== 'absent') throw new FsError('NOT_A_DIRECTORY', { path })
    await draft.makeDirectory(path, mode === undefined ? {} : { mode })
    if (modifiedMs !== undefined) draft.setModified(path, modifiedMs)
    done.directories += 1
  }

  async function draftFile(path: string, file: ArchiveEntry, content: Bytes | Streamed): Promise<void> {
    const { size = 0, mode, modifiedMs } = file
    await draft.makeParents(path)
    const { kind } = (await draft.entry(path)).image
    if (kind === 'file') {
      if (policy === 'refuse') throw new FsError('EXISTS', { path })
      done[policy === 'skip' ? 'skipped' : 'replaced'].push(path)
      if (policy === 'skip') return
    }
    const known = { ...(mode !== undefined && { mode }), ...(modifiedMs !== undefined && { modifiedMs }) }
    await draft.write(path, content, known)
    done.files += 1
    done.bytes += size
  }
}

/** Up to this size, files are unpacked in memory before anything is written; larger ones are streamed into their files. */
const maxHeldBytes = 32 * 1024 * 1024

/** The files that are unpacked in memory: all of them if they fit, otherwise the smallest. */
function heldInMemory(chosen: readonly ArchiveEntry[]): ReadonlySet<ArchiveEntry> {
  const held = new Set<ArchiveEntry>()
  let room = maxHeldBytes
  const files = chosen.filter(({ kind }) => kind === 'file')
  for (const file of files.sort((a, b) => (a.size ?? 0) - (b.size ?? 0))) {
    room -= file.size ?? 0
    if (room < 0) break
    held.add(file)
  }
  return held
}

function byPath(a: { path: string }, b: { path: string }): number {
  return a.path < b.path ? -1 : 1
}

async function ensureDirectory(draft: Draft, path: string): Promise<void> {
  const { kind } = (await draft.entry(path)).image
  if (kind === 'directory') return
  if (kind !== 'absent') throw new FsError('NOT_A_DIRECTORY', { path })
  await draft.makeParents(path)
  await draft.makeDirectory(path)
}
