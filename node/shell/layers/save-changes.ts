/** Commits what was collected of a command as one change, and says what could not be. */
import type { CommittedCommand } from '../../../bash/host/commit-changes.js'
import { commitChanges } from '../../../bash/host/commit-changes.js'
import type { Seen } from '../../../bash/host/first-seen.js'
import { contentHash } from '../../../src/change/content-hash.js'
import { FsError, isFsError } from '../../../src/errors.js'
import type { OverlayChange } from '../../../src/fs/backends/overlay.js'
import type { ConfinedFileSystem } from '../../../src/fs/gate/confine.js'

import type { Stat } from '../../../src/fs/types.js'
import type { Workspace } from '../../../src/workspace/workspace.js'
import type { Collected, Refused, UpperEntry } from './collect-changes.js'
import { collectedFiles } from './collected-files.js'
import type { KnownTree } from './known-tree.js'

export interface ToSave {
  label: string
  /** The tree as the command found it. */
  tree: KnownTree
  maxWrittenBytes: number
}

/** Fails with `CONFLICT` when somebody else has changed the same entries meanwhile. */
export async function saveChanges(
  { changes, entries }: Collected,
  { fs: gate, changes: engine }: Workspace,
  { label, tree, maxWrittenBytes }: ToSave,
): Promise<CommittedCommand> {
  const [first] = changes
  if (first === undefined) return { madeReadable: [] }
  let written = 0
  for (const { path } of changes) written += entries.get(path)?.stat.size ?? 0
  if (written > maxWrittenBytes) throw new FsError('NO_SPACE', { path: first.path })
  return commitChanges({
    changes: engine,
    label,
    files: { ...collectedFiles(entries, gate), changes: async () => [...changes] },
    seen: new Map(changes.map(({ path }) => [path, seenAt(tree, path)])),
    belongs: () => true,
  })
}

/** Larger contents are compared by their stats. */
const hashedBytes = 16 << 20

function seenAt(tree: KnownTree, path: string): Seen {
  const stat = tree.stat(path)
  if (stat === undefined) return {}
  const bytes = tree.bytes(path)
  return bytes === undefined || bytes.length > hashedBytes ? { stat } : { stat, hash: contentHash(bytes) }
}

/** Takes out what the workspace refuses: what is protected in it, and links where there are none. */
export function withoutRefused(collected: Collected, { fs: gate }: Pick<Workspace, 'fs'>): Collected {
  const refused: Refused[] = [...collected.refused]
  const isSaved = ({ path, kind }: OverlayChange) => {
    const why = kind === 'symlink' && !gate.capabilities.symlinks ? 'links can’t be stored here' : refusalOf(gate, path)
    if (why !== undefined) refused.push({ path, why })
    return why === undefined
  }
  const changes = collected.changes.filter(isSaved)
  return { ...collected, changes, refused }
}

function refusalOf(gate: ConfinedFileSystem, path: string): string | undefined {
  const [, git] = /^(.*?\/\.git)(?:\/|$)/.exec(path) ?? []
  try {
    const open = git === undefined ? gate : gate.withGit([git])
    open.authorize(path, 'write')
    return undefined
  } catch (error) {
    if (isFsError(error, 'PROTECTED')) return `${error.facts.name} is protected`
    if (isFsError(error)) return 'nothing can be written there'
    throw error
  }
}

const maxListed = 10

/** As lines for the command's errors. */
export function describeRefused(refused: readonly Refused[]): string[] {
  const lines = refused.slice(0, maxListed).map(({ path, why }) => `polyfs: ${shown(path)}: not saved: ${why}\n`)
  const more = refused.length - lines.length
  return more > 0 ? [...lines, `polyfs: ${more} more were not saved\n`] : lines
}

function shown(path: string): string {
  return JSON.stringify(path).slice(1, -1)
}

/** Whether an entry of the workspace is what the upper layer has. Another time means that somebody may have written it since. */
export function isAsWritten(now: Stat | undefined, entry: UpperEntry | undefined): boolean {
  if (now === undefined || entry === undefined) return now === undefined && entry === undefined
  const { stat } = entry
  if (now.kind !== stat.kind) return false
  if (now.kind === 'symlink') return true
  if (now.mode !== undefined && now.mode !== stat.mode) return false
  return now.kind === 'directory' || (now.size === stat.size && now.modifiedMs === stat.modifiedMs)
}
