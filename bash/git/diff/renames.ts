/** Finds renames among the differences of two states of the files. */
import { findRenames, type RenameCandidate } from '../../../src/text/diff/renames.js'
import { type FilePair, type FileSide, maxScore } from './pairs.js'

interface Candidate extends RenameCandidate {
  pair: FilePair
  side: FileSide
}

export async function detectRenames(pairs: readonly FilePair[], minimum = maxScore / 2): Promise<FilePair[]> {
  const removed: Candidate[] = []
  const added: Candidate[] = []
  for (const pair of pairs) {
    if (pair.status === 'D' && pair.before) removed.push(candidateOf(pair, pair.before))
    else if (pair.status === 'A' && pair.after) added.push(candidateOf(pair, pair.after))
  }
  const renames = await findRenames(removed, added, { minimum })
  const byTarget = new Map(renames.map((rename) => [rename.to.pair, rename]))
  const used = new Set(renames.map(({ from }) => from.pair))
  return pairs.flatMap((pair): FilePair[] => {
    if (used.has(pair)) return []
    const found = byTarget.get(pair)
    if (found === undefined) return [pair]
    return [{ ...pair, oldPath: found.from.pair.path, before: found.from.side, status: 'R', score: found.score }]
  })
}

function candidateOf(pair: FilePair, side: FileSide): Candidate {
  const { path } = pair
  const isFile = (side.mode & 0o170000) === 0o100000
  return { pair, side, path, id: side.oid, ...(!isFile && { type: side.mode }), read: () => side.read() }
}
