/** A workspace as one zip file: to store it, pass it on, and restore it. */
import * as z from 'zod'
import type { ArchiveLimits } from '../../archive/limits.js'
import type { ArchiveSource } from '../../archive/read-archive.js'
import { gather } from '../../fs/pieces.js'
import type { Bytes } from '../../fs/types.js'
import { isReproducible } from '../../workspace/reproducible.js'
import type { Workspace } from '../../workspace/workspace.js'
import type { CallContext } from '../operation.js'
import { selection } from '../shared/selection.js'
import { preparePack } from './create-archive.js'
import { type ExtractedArchive, onExisting, unpackInto } from './extract-archive.js'

export interface ExportZipOptions extends CallContext {
  /** Patterns of files to leave out. */
  exclude?: readonly string[]
  limits?: Partial<ArchiveLimits>
  /** Called for every link; links are left out. */
  onOmitted?: (path: string) => void
}

/** Everything in the first root of the workspace as a zip archive, `.git` and ignored files included; links are left out. */
export async function exportZip(workspace: Workspace, options: ExportZipOptions = {}): Promise<Bytes> {
  const { exclude = [], limits, onOmitted, ...context } = options
  await workspace.ready
  const base = await workspace.fs.realPath(workspace.root)
  const selected = z.object(selection).parse({ exclude: [...exclude] })
  const packing = { ...selected, base, from: [base], context, ...(limits && { limits }) }
  const { pieces, leftOut } = await preparePack(workspace, packing)
  const archive = await gather(pieces)
  for (const path of leftOut) onOmitted?.(path)
  return archive
}

export interface ImportZipOptions extends CallContext {
  /** Default: the root. */
  to?: string
  onExisting?: z.input<typeof onExisting>
  limits?: Partial<ArchiveLimits>
}

/**
 * Extracts a zip archive that is not a file of the workspace, as one change. Any relative name is accepted; the workspace refuses protected
 * names, such as `.git`, unless it was created to allow them.
 */
export async function importZip(
  workspace: Workspace,
  source: ArchiveSource,
  options: ImportZipOptions = {},
): Promise<ExtractedArchive> {
  const { to, limits, onExisting: policy, ...context } = options
  const { fs, root } = workspace
  await workspace.ready
  return unpackInto(workspace, source, {
    to: to === undefined ? root : fs.resolve(to, root),
    include: [],
    exclude: [],
    onExisting: onExisting.parse(policy),
    options: {
      names: 'relative',
      caseSensitive: fs.capabilities.caseSensitive,
      isReproducible: isReproducible(workspace),
      ...(limits && { limits }),
      ...(context.signal && { signal: context.signal }),
    },
    context,
  })
}
