/** Whether what is at the destination of a copy may be replaced. */
import type { Stat } from '../../../../src/fs/types.js'
import type { ProgramIo } from '../../../io/program.js'
import { quotedName } from '../../quoting.js'
import { ask } from '../shared/ask.js'
import { entryPath, modeOf, modifiedOf, statIfThere } from '../shared/facts.js'
import { rightsText } from '../shared/modes.js'
import type { CopyRules } from './copy-rules.js'

export interface FoundEntry {
  path: string
  stat: Stat
}

/** A failure is said. */
export async function mayReplace(
  io: ProgramIo,
  rules: CopyRules,
  source: FoundEntry,
  there: FoundEntry,
): Promise<'replace' | 'kept' | 'failed'> {
  if (await isSame(io, rules, source, there)) {
    if (rules.existing === 'keep') return 'kept'
    await io.error(`${quotedName(source.path)} and ${quotedName(there.path)} are the same file`)
    return 'failed'
  }
  const isLink = there.stat.kind === 'symlink'
  const target = isLink ? await statIfThere(io.fs, there.path) : there.stat
  if (rules.existing === 'keep') return 'kept'
  if (rules.onlyNewer && target !== undefined && modifiedOf(target) >= modifiedOf(source.stat)) return 'kept'
  if (target?.kind === 'directory' && !(isLink && source.stat.kind === 'symlink')) {
    await io.error(`cannot overwrite directory ${quotedName(there.path)} with non-directory`)
    return 'failed'
  }
  if (rules.existing === 'ask' && !(await mayOverwrite(io, there.path, target ?? there.stat))) return 'kept'
  return 'replace'
}

/** One file under two paths; a link and its target too, unless the link itself is replaced or copied. */
async function isSame(io: ProgramIo, rules: CopyRules, source: FoundEntry, there: FoundEntry): Promise<boolean> {
  if ((await entryPath(io, source.path)) === (await entryPath(io, there.path))) return true
  // A link to the source may be made again.
  if (rules.makesLinks || source.stat.kind === 'symlink') return false
  if (there.stat.kind === 'symlink' && (rules.removesFirst || rules.backup !== undefined)) return false
  const realPath = (path: string) => io.fs.realPath(path).catch(() => undefined)
  const [from, to] = await Promise.all([realPath(source.path), realPath(there.path)])
  return from !== undefined && from === to
}

/** The question of `-i`. A file that can't be written is named with its mode. */
export async function mayOverwrite(io: ProgramIo, path: string, stat: Stat): Promise<boolean> {
  const mode = modeOf(stat)
  if (stat.kind === 'symlink' || mode & 0o200) return ask(io, `${io.name}: overwrite ${quotedName(path)}? `)
  const octal = mode.toString(8).padStart(4, '0')
  if (io.name === 'mv') {
    return ask(io, `${io.name}: replace ${quotedName(path)}, overriding mode ${octal} (${rightsText(mode)})? `)
  }
  return ask(io, `${io.name}: unwritable ${quotedName(path)} (mode ${octal}, ${rightsText(mode)}); try anyway? `)
}
