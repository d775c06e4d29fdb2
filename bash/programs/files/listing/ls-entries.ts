/** The entries that `ls` lists: what is known of them, and their order. */
import type { Stat } from '../../../../src/fs/types.js'
import type { ProgramIo } from '../../../io/program.js'
import { textWidth } from '../../text/common/char-width.js'
import { accessedOf, changedOf, linkCount, modifiedOf, sizeOf, statIfThere } from '../shared/facts.js'
import { compareBytes, compareVersions } from '../shared/order.js'
import type { ListingRules, TimeKind } from './ls-rules.js'

export interface Listed {
  /** As given, or the name in its directory. */
  name: string
  path: string
  /** Of the link itself unless links are followed. A link that leads nowhere keeps its own. */
  stat: Stat
  /** Where a link leads. */
  target?: string
  /** What a link leads to, for indicators. */
  targetStat?: Stat | undefined
  links: number
  /** Nothing but its kind is known: a link that is to be followed leads nowhere. */
  isUnknown?: boolean
}

/** False when the kind of an entry is all that has to be known. */
export function needsStat(rules: ListingRules): boolean {
  return (
    rules.format === 'long' ||
    rules.showsBlocks ||
    rules.showsInode ||
    rules.sort === 'time' ||
    rules.sort === 'size' ||
    rules.indicators === 'classify' ||
    (rules.follows === 'all' && (rules.isRecursive || rules.indicators !== 'none' || rules.directoriesFirst))
  )
}

export async function listed(
  io: ProgramIo,
  given: Pick<Listed, 'name' | 'path' | 'stat'>,
  rules: ListingRules,
): Promise<Listed> {
  const { path, stat } = given
  const isLong = rules.format === 'long'
  if (stat.kind !== 'symlink') return { ...given, links: isLong ? await linkCount(io.fs, path, stat) : 1 }
  const needsTarget = isLong || rules.sort === 'size'
  const needsKind = rules.directoriesFirst || (isLong && rules.indicators !== 'none')
  return {
    ...given,
    links: 1,
    ...(needsTarget && { target: await io.fs.readLink(path) }),
    ...(needsKind && { targetStat: await statIfThere(io.fs, path) }),
  }
}

export function sortEntries(entries: Listed[], rules: ListingRules): Listed[] {
  if (rules.sort !== 'none') {
    const compare = comparer(rules)
    entries.sort((a, b) => (rules.isReversed ? compare(b, a) : compare(a, b)))
  }
  if (!rules.directoriesFirst) return entries
  const isDirectory = ({ stat, targetStat }: Listed) => (targetStat ?? stat).kind === 'directory'
  return [...entries.filter(isDirectory), ...entries.filter((entry) => !isDirectory(entry))]
}

type Compare = (a: Listed, b: Listed) => number

function comparer({ sort, time }: ListingRules): Compare {
  const byName: Compare = (a, b) => compareBytes(a.name, b.name)
  switch (sort) {
    case 'time':
      return (a, b) => timeOf(b.stat, time) - timeOf(a.stat, time) || byName(a, b)
    case 'size':
      return (a, b) => sizeOf(b.stat, b.target) - sizeOf(a.stat, a.target) || byName(a, b)
    case 'extension':
      return (a, b) => compareBytes(extension(a.name), extension(b.name)) || byName(a, b)
    case 'version':
      return (a, b) => compareVersions(a.name, b.name)
    case 'width':
      return (a, b) => textWidth(a.name) - textWidth(b.name) || byName(a, b)
    default:
      return byName
  }
}

function extension(name: string): string {
  const dot = name.lastIndexOf('.')
  return dot === -1 ? '' : name.slice(dot)
}

export function timeOf(stat: Stat, kind: TimeKind): number {
  if (kind === 'accessed') return accessedOf(stat)
  if (kind === 'changed') return changedOf(stat)
  return kind === 'created' ? (stat.createdMs ?? modifiedOf(stat)) : modifiedOf(stat)
}
