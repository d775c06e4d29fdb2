/** Finds renames: a removed and an added file with the same or a similar content. Scores are git's. */
import type { Bytes } from '../../../fs/types.js'
import { type FilePair, type FileSide, maxScore } from './pairs.js'

interface Candidate {
  pair: FilePair
  side: FileSide
  isUsed: boolean
}

/** More files than this are compared only by their ids, as in git. */
const maxCandidates = 1000

export async function detectRenames(pairs: readonly FilePair[], minimum = maxScore / 2): Promise<FilePair[]> {
  const sources: Candidate[] = []
  const targets: Candidate[] = []
  for (const pair of pairs) {
    if (pair.status === 'D' && pair.before) sources.push({ pair, side: pair.before, isUsed: false })
    else if (pair.status === 'A' && pair.after) targets.push({ pair, side: pair.after, isUsed: false })
  }
  if (sources.length === 0 || targets.length === 0) return [...pairs]
  const renames = new Map<FilePair, { from: Candidate; score: number }>()
  const record = (from: Candidate, to: Candidate, score: number) => {
    from.isUsed = true
    to.isUsed = true
    renames.set(to.pair, { from, score })
  }
  matchExactly(sources, targets, record)
  if (minimum < maxScore) {
    const spans = spanCounter()
    const similarity = (from: Candidate, to: Candidate, least: number) => similarityOf(from.side, to.side, least, spans)
    await matchBaseNames(sources, targets, minimum + Math.trunc((maxScore - minimum) / 2), similarity, record)
    const left = { from: sources.filter(({ isUsed }) => !isUsed), to: targets.filter(({ isUsed }) => !isUsed) }
    if (left.from.length * left.to.length <= maxCandidates * maxCandidates) {
      await matchSimilar(left.from, left.to, minimum, similarity, record)
    }
  }
  const used = new Set([...renames.values()].map(({ from }) => from.pair))
  return pairs.flatMap((pair): FilePair[] => {
    if (used.has(pair)) return []
    const found = renames.get(pair)
    if (found === undefined) return [pair]
    return [{ ...pair, oldPath: found.from.pair.path, before: found.from.side, status: 'R', score: found.score }]
  })
}

type Record = (from: Candidate, to: Candidate, score: number) => void
type Similarity = (from: Candidate, to: Candidate, least: number) => Promise<number>

function isFile({ mode }: FileSide): boolean {
  return (mode & 0o170000) === 0o100000
}

function matchExactly(sources: readonly Candidate[], targets: readonly Candidate[], record: Record): void {
  const byId = new Map<string, Candidate[]>()
  for (const source of sources) byId.set(source.side.oid, [...(byId.get(source.side.oid) ?? []), source])
  for (const target of targets) {
    let best: Candidate | undefined
    let bestScore = 0
    for (const source of byId.get(target.side.oid) ?? []) {
      if (source.isUsed || (!isFile(source.side) && source.side.mode !== target.side.mode)) continue
      const score = 1 + (baseName(source.pair.path) === baseName(target.pair.path) ? 1 : 0)
      if (score > bestScore) [best, bestScore] = [source, score]
    }
    if (best !== undefined) record(best, target, maxScore)
  }
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** Files that keep a name that no other has need less similarity to be found first. */
async function matchBaseNames(
  sources: readonly Candidate[],
  targets: readonly Candidate[],
  minimum: number,
  similarity: Similarity,
  record: Record,
): Promise<void> {
  const unique = (candidates: readonly Candidate[]) => {
    const names = new Map<string, Candidate | undefined>()
    for (const each of candidates) {
      if (each.isUsed) continue
      const name = baseName(each.pair.path)
      names.set(name, names.has(name) ? undefined : each)
    }
    return names
  }
  const [from, to] = [unique(sources), unique(targets)]
  for (const [name, source] of from) {
    const target = to.get(name)
    if (source === undefined || target === undefined) continue
    const score = await similarity(source, target, minimum)
    if (score >= minimum) record(source, target, score)
  }
}

interface Match {
  from: Candidate
  to: Candidate
  score: number
  sameName: number
}

const matchesPerTarget = 4

async function matchSimilar(
  sources: readonly Candidate[],
  targets: readonly Candidate[],
  minimum: number,
  similarity: Similarity,
  record: Record,
): Promise<void> {
  const matches: Match[] = []
  const order = (a: Match, b: Match) => b.score - a.score || b.sameName - a.sameName
  for (const to of targets) {
    const best: Match[] = []
    for (const from of sources) {
      const score = await similarity(from, to, minimum)
      const match = { from, to, score, sameName: baseName(from.pair.path) === baseName(to.pair.path) ? 1 : 0 }
      if (best.length < matchesPerTarget) {
        best.push(match)
        continue
      }
      let worst = 0
      for (let i = 1; i < best.length; i += 1) if (order(best[i] as Match, best[worst] as Match) > 0) worst = i
      if (order(best[worst] as Match, match) > 0) best[worst] = match
    }
    matches.push(...best)
  }
  for (const { from, to, score } of matches.sort(order)) {
    if (score < minimum || from.isUsed || to.isUsed) continue
    record(from, to, score)
  }
}

type Spans = ReadonlyMap<number, number>

function spanCounter(): (side: FileSide) => Promise<{ size: number; spans: Spans }> {
  const known = new Map<FileSide, { size: number; spans: Spans }>()
  return async (side) => {
    const before = known.get(side)
    if (before !== undefined) return before
    const bytes = await side.read()
    const found = { size: bytes.length, spans: spansOf(bytes) }
    known.set(side, found)
    return found
  }
}

/** How much of the new file was copied from the old one, of 60000. */
async function similarityOf(
  from: FileSide,
  to: FileSide,
  minimum: number,
  spansIn: ReturnType<typeof spanCounter>,
): Promise<number> {
  if (!isFile(from) || !isFile(to)) return 0
  const [old, now] = [await spansIn(from), await spansIn(to)]
  const most = Math.max(old.size, now.size)
  const difference = most - Math.min(old.size, now.size)
  if (most * (maxScore - minimum) < difference * maxScore) return 0
  if (now.size === 0) return 0
  let copied = 0
  for (const [hash, count] of old.spans) copied += Math.min(count, now.spans.get(hash) ?? 0)
  return Math.trunc((copied * maxScore) / most)
}

/** How many bytes are in lines, or pieces of 64 bytes, with the same hash. */
function spansOf(bytes: Bytes): Spans {
  const spans = new Map<number, number>()
  const isText = !bytes.subarray(0, 8000).includes(0)
  let [low, high, count] = [0, 0, 0]
  const add = () => {
    const hash = ((low + Math.imul(high, 0x61)) >>> 0) % 107_927
    spans.set(hash, (spans.get(hash) ?? 0) + count)
    low = 0
    high = 0
    count = 0
  }
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] as number
    if (isText && byte === 13 && bytes[at + 1] === 10) continue
    const before = low
    low = ((low << 7) ^ (high >>> 25)) >>> 0
    high = ((high << 7) ^ (before >>> 25)) >>> 0
    low = (low + byte) >>> 0
    count += 1
    if (count >= 64 || byte === 10) add()
  }
  if (count > 0) add()
  return spans
}
