import * as z from 'zod'
import { tooLarge } from '../../archive/entries.js'
import { type ArchiveLimits, defaultArchiveLimits } from '../../archive/limits.js'
import { nameFault } from '../../archive/names.js'
import { type ArchiveInput, archivePieces } from '../../archive/write-archive.js'
import { FsError } from '../../errors.js'
import { isWithin, relative } from '../../fs/path.js'
import { piecesOfFile } from '../../fs/pieces.js'
import type { Bytes, Stat } from '../../fs/types.js'
import { isReproducible } from '../../workspace/reproducible.js'
import type { Workspace } from '../../workspace/workspace.js'
import { type CallContext, operation } from '../operation.js'
import { type Selection, selection, walkSelected } from '../shared/selection.js'

export interface CreatedArchive {
  path: string
  files: number
  directories: number
  /** Size of the files before compression. */
  totalBytes: number
  /** Size of the archive. */
  bytes: number
  replaced: boolean
  /** Links and special files, which archives made here never contain. */
  leftOut: string[]
  /** Names in the archive that extracting refuses, because they have another meaning on some systems. */
  unportable: string[]
  /** Files in the archive that extracting refuses, because they expand as much as only an archive bomb does. */
  tooDense: string[]
}

/**
 * Packs files and directories of the workspace into a zip archive, with names relative to `base`. Modes and times are stored where the file
 * system has them; links and special files are left out.
 */
export const createArchive = operation({
  mutates: true,
  input: z.object({
    /** The archive to create. */
    path: z.string(),
    /** Files and directories to pack; a directory is packed with everything in it that is selected. Default: all of `base`. */
    from: z.array(z.string()).exactOptional(),
    /** What names in the archive are relative to. Default: the root of the workspace. */
    base: z.string().exactOptional(),
    ...selection,
    /** Replace an existing file. */
    replace: z.boolean().default(false),
    makeParents: z.boolean().default(false),
  }),

  async run(input, workspace, context): Promise<CreatedArchive> {
    const { fs, root, changes } = workspace
    const path = fs.resolve(input.path, root)
    const { signal } = context
    const request = { label: 'archive', scopes: [{ path }], ...(signal && { signal }) }
    const { result } = await changes.run(request, async (draft, paths) => {
      // The request has one scope.
      const target = paths[0] as string
      const { kind } = (await draft.entry(target)).image
      if (kind === 'directory') throw new FsError('IS_A_DIRECTORY', { path: target })
      if (kind !== 'absent' && !input.replace) throw new FsError('EXISTS', { path: target })
      const base = await fs.realPath(fs.resolve(input.base ?? root, root))
      const packing = { ...input, base, from: input.from ?? [base], leaveOut: target, context }
      const packed = await preparePack(workspace, packing)
      if (input.makeParents) await draft.makeParents(target)
      await draft.write(target, { pieces: packed.pieces })
      return { packed, replaced: kind !== 'absent' }
    })
    const { packed, replaced } = result
    const { counts, leftOut, unportable, tooDense } = packed
    return { path, ...counts, replaced, leftOut, unportable, tooDense: [...tooDense] }
  },
})

export interface Packing extends Selection {
  base: string
  from: readonly string[]
  /** The archive itself, where it lies among the packed files. */
  leaveOut?: string
  limits?: Partial<ArchiveLimits>
  context: CallContext
}

/** A larger file is read in pieces. */
const maxHeldBytes = 4 * 1024 * 1024

/** The archive as a stream of pieces. `counts` and `tooDense` are complete at the end of the stream. */
export async function preparePack(workspace: Workspace, packing: Packing) {
  const { fs } = workspace
  const { base, context } = packing
  const { signal } = context
  const limits = { ...defaultArchiveLimits, ...packing.limits }
  const { found, leftOut } = await choose(workspace, packing, limits.maxEntries)
  const counts = { files: 0, directories: 0, totalBytes: 0, bytes: 0 }
  const tooDense = new Set<string>()
  let total = 0
  /** Entries already reported: the stream may be read more than once. */
  let most = 0
  // Checked before the stream begins, because afterwards it is too late to refuse a file.
  for (const [path, { size = 0 }] of found) {
    total += size
    if (size > limits.maxEntryBytes) throw tooLarge('entry', limits.maxEntryBytes, relative(base, path))
    if (total > limits.maxTotalBytes) throw tooLarge('total', limits.maxTotalBytes)
  }

  async function* entries(): AsyncGenerator<ArchiveInput> {
    let done = 0
    for (const [path, { kind, size = 0, mode, modifiedMs }] of found) {
      const known = { ...(mode !== undefined && { mode }), ...(modifiedMs !== undefined && { modifiedMs }) }
      const name = relative(base, path)
      if (kind === 'directory') {
        counts.directories += 1
        yield { path: name, kind, ...known }
      } else {
        counts.files += 1
        yield { path: name, kind: 'file', ...(await contentOf(path, size)), ...known }
      }
      done += 1
      if (done > most) context.onProgress?.({ done, total: found.length })
      most = Math.max(most, done)
    }
  }

  async function contentOf(path: string, size: number): Promise<Pick<ArchiveInput, 'bytes' | 'pieces'>> {
    if (size <= maxHeldBytes) {
      const bytes = await fs.readFile(path)
      counts.totalBytes += bytes.length
      return { bytes }
    }
    return {
      async *pieces() {
        for await (const piece of piecesOfFile(fs, path)()) {
          counts.totalBytes += piece.length
          yield piece
        }
      },
    }
  }

  async function* pieces(): AsyncGenerator<Bytes> {
    Object.assign(counts, { files: 0, directories: 0, totalBytes: 0, bytes: 0 })
    const onTooDense = (name: string) => tooDense.add(name)
    const options = { limits, onTooDense, isReproducible: isReproducible(workspace), ...(signal && { signal }) }
    for await (const piece of archivePieces(entries(), options)) {
      counts.bytes += piece.length
      yield piece
    }
  }

  const names = found.map(([path, { kind }]) => `${relative(base, path)}${kind === 'directory' ? '/' : ''}`)
  const unportable = names.filter((name) => nameFault(name, 'portable') !== undefined)
  return { pieces, counts, leftOut, unportable, tooDense }
}

/** Files and directories sorted by path, without repetitions. */
async function choose(workspace: Workspace, packing: Packing, maxEntries: number) {
  const { fs } = workspace
  const { base, leaveOut } = packing
  const found = new Map<string, Stat>()
  const leftOut: string[] = []

  async function take(path: string): Promise<void> {
    if (path === leaveOut || path === base || found.has(path)) return
    const stat = await fs.stat(path)
    if (stat.kind !== 'file' && stat.kind !== 'directory') leftOut.push(path)
    else found.set(path, stat)
    if (found.size > maxEntries) throw tooLarge('entries', maxEntries)
  }

  for (const given of packing.from) {
    const path = await fs.realPath(fs.resolve(given, base))
    if (!isWithin(base, path)) throw new FsError('OUTSIDE', { path: given })
    await take(path)
    if ((await fs.stat(path)).kind !== 'directory') continue
    const alsoReport = { directories: packing.include.length === 0, others: true }
    const walk = await walkSelected(workspace, path, packing, { ...packing.context, alsoReport })
    for (let batch = await walk.next(); batch !== undefined; batch = await walk.next()) {
      for (const entry of batch) await take(entry.path)
    }
  }
  return { found: [...found].sort(([a], [b]) => (a < b ? -1 : 1)), leftOut: leftOut.sort() }
}
