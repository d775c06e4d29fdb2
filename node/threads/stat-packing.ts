/** Packs the stats of entries into numbers: what tells whether an entry has changed. */
import type { Kind, Stat } from '../../src/fs/types.js'

const kinds: readonly Kind[] = ['file', 'directory', 'symlink', 'other']
/** The kind of an entry that is gone. */
const gone = -1
/** After the kind; not a number where one is unknown. */
const values = ['mode', 'size', 'modifiedMs', 'changedMs', 'createdMs'] as const
const width = 1 + values.length

type Value = (typeof values)[number]

export function packStats(stats: readonly (Stat | undefined)[]): Float64Array<ArrayBuffer> {
  const numbers = new Float64Array(stats.length * width)
  let at = 0
  for (const stat of stats) {
    numbers[at] = stat === undefined ? gone : kinds.indexOf(stat.kind)
    for (let i = 0; i < values.length; i += 1) numbers[at + 1 + i] = stat?.[values[i] as Value] ?? Number.NaN
    at += width
  }
  return numbers
}

/** Undefined for an entry that is gone. */
export function statAt(numbers: Float64Array, index: number): Stat | undefined {
  const at = index * width
  const kind = kinds[numbers[at] as number]
  if (kind === undefined) return undefined
  const stat: Stat = { kind }
  for (let i = 0; i < values.length; i += 1) {
    const value = numbers[at + 1 + i] as number
    if (!Number.isNaN(value)) stat[values[i] as Value] = value
  }
  return stat
}
