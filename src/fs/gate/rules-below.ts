import { FsError } from '../../errors.js'
import { join } from '../path.js'
import { syncOrAsync } from '../sync.js'
import type { FileSystem } from '../types.js'
import type { RuleChecks } from './access-rules.js'

/**
 * Fails if a rule forbids or asks about an entry below a directory that is moved to another place, or removed: by its old name or its new
 * one. Looks past the gate, since what is denied is in no listing.
 */
export async function requireTree(
  fs: FileSystem,
  directory: string,
  { to, checks, top = directory }: { to?: string; checks: RuleChecks; top?: string },
): Promise<void> {
  if ((await fs.stat(directory)).kind !== 'directory') return
  const entries = await syncOrAsync(fs.sync?.readDir(directory), () => fs.readDir(directory))
  for (const { name, kind } of entries) {
    const path = join(directory, name)
    const target = to === undefined ? undefined : join(to, name)
    // That it is there is not said of what is hidden.
    if (checks.isHidden(path)) refuseAt(top, path, checks)
    checks.require(path, 'change')
    if (target !== undefined) checks.require(target, 'change')
    if (kind === 'directory') await requireTree(fs, path, { ...(target !== undefined && { to: target }), checks, top })
  }
}

function refuseAt(top: string, path: string, { decide }: RuleChecks): never {
  throw new FsError('FORBIDDEN', { path: top, doing: 'change', rule: decide(path, 'read')?.rule ?? '' })
}
