/** Finds renames: a removed and an added file with the same or a similar content. Scores and order are git's. */

/** A removed or an added file. */
export interface RenameCandidate {
  path: string
  /** Equal for equal content. */
  id: string
  /** Anything else, such as a link, is only matched with its like and by its whole content. Default: `file`. */
  type?: string | number
  read(): Promise<Uint8Array> | Uint8Array
}

export interface Rename<Candidate> {
  from: Candidate
  to: Candidate
  /** Of `maxScore`. */
  score: number
}

export const maxScore = 60_000

export interface RenameOptions {
  /** The lowest score of files taken as similar. Default: half. */
  minimum?: number
  /** With more pairs of files than this, only names and equal contents are compared. */
  maxPairs?: number
  /** Bounds the comparisons of contents, in lines. */
  maxSteps?: number
}

export async function findRenames<Candidate extends RenameCandidate>(
  removed: readonly Candidate[],
  added: readonly Candidate[],
  { minimum = maxScore / 2, maxPairs = 1_000_000, maxSteps = Infinity }: RenameOptions = {},
): Promise<Rename<Candidate>[]> {
  if (removed.length === 0 || added.length === 0) return []
  const renames: Rename<Candidate>[] = []
  const used = new Set<Candidate>()
  const search: Search<Candidate> = {
    isUsed: (candidate) => used.has(candidate),
    record(from, to, score) {
      used.add(from).add(to)
      renames.push({ from, to, score })
    },
    similarity: similarityWithin(maxSteps),
  }
  matchExactly(removed, added, search)
  if (minimum >= maxScore) return renames
  await matchBaseNames(removed, added, minimum + Math.trunc((maxScore - minimum) / 2), search)
  const left = { from: removed.filter((each) => !used.has(each)), to: added.filter((each) => !used.has(each)) }
  if (left.from.length * left.to.length <= maxPairs) await matchSimilar(left.from, left.to, minimum, search)
  return renames
}

interface Search<Candidate> {
  isUsed(candidate: Candidate): boolean
  record(from: Candidate, to: Candidate, score: number): void
  similarity(from: Candidate, to: Candidate, least: number): Promise<number>
}

function typeOf({ type = 'file' }: RenameCandidate): string | number {
  return type
}

function matchExactly<Candidate extends RenameCandidate>(
  removed: readonly Candidate[],
  added: readonly Candidate[],
  { isUsed, record }: Search<Candidate>,
): void {
  const byId = new Map<string, Candidate[]>()
  for (const source of removed) {
    const same = byId.get(source.id)
    if (same) same.push(source)
    else byId.set(source.id, [source])
  }
  for (const target of added) {
    let best: Candidate | undefined
    let bestScore = 0
    for (const source of byId.get(target.id) ?? []) {
      if (isUsed(source) || (typeOf(source) !== 'file' && typeOf(source) !== typeOf(target))) continue
      const score = 1 + (baseName(source.path) === baseName(target.path) ? 1 : 0)
      if (score > bestScore) [best, bestScore] = [source, score]
    }
    if (best !== undefined) record(best, target, maxScore)
  }
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** Files that keep a name that no other has need less similarity to be found first. */
async function matchBaseNames<Candidate extends RenameCandidate>(
  removed: readonly Candidate[],
  added: readonly Candidate[],
  minimum: number,
  { isUsed, record, similarity }: Search<Candidate>,
): Promise<void> {
  const unique = (candidates: readonly Candidate[]) => {
    const names = new Map<string, Candidate | undefined>()
    for (const each of candidates) {
      if (isUsed(each)) continue
      const name = baseName(each.path)
      names.set(name, names.has(name) ? undefined : each)
    }
    return names
  }
  const [from, to] = [unique(removed), unique(added)]
  for (const [name, source] of from) {
    const target = to.get(name)
    if (source === undefined || target === undefined) continue
    const score = await similarity(source, target, minimum)
    if (score >= minimum) record(source, target, score)
  }
}

interface Match<Candidate> extends Rename<Candidate> {
  sameName: number
}

const matchesPerTarget = 4

async function matchSimilar<Candidate extends RenameCandidate>(
  removed: readonly Candidate[],
  added: readonly Candidate[],
  minimum: number,
  { isUsed, record, similarity }: Search<Candidate>,
): Promise<void> {
  const matches: Match<Candidate>[] = []
  const order = (a: Match<Candidate>, b: Match<Candidate>) => b.score - a.score || b.sameName - a.sameName
  for (const to of added) {
    const best: Match<Candidate>[] = []
    for (const from of removed) {
      const score = await similarity(from, to, minimum)
      const match = { from, to, score, sameName: baseName(from.path) === baseName(to.path) ? 1 : 0 }
      if (best.length < matchesPerTarget) {
        best.push(match)
        continue
      }
      let worst = 0
      for (let i = 1; i < best.length; i += 1) {
        if (order(best[i] as Match<Candidate>, best[worst] as Match<Candidate>) > 0) worst = i
      }
      if (order(best[worst] as Match<Candidate>, match) > 0) best[worst] = match
    }
    matches.push(...best)
  }
  for (const { from, to, score } of matches.sort(order)) {
    if (score < minimum || isUsed(from) || isUsed(to)) continue
    record(from, to, score)
  }
}

/** Bytes of lines by the hash of the line. */
type Spans = ReadonlyMap<number, number>

/** Returns how much of the new file was copied from the old one; 0 once `maxSteps` lines have been compared. */
function similarityWithin(maxSteps: number): Search<RenameCandidate>['similarity'] {
  const known = new Map<RenameCandidate, { size: number; spans: Spans }>()
  let left = maxSteps

  async function spansIn(candidate: RenameCandidate): Promise<{ size: number; spans: Spans }> {
    const before = known.get(candidate)
    if (before !== undefined) return before
    const bytes = await candidate.read()
    const found = { size: bytes.length, spans: spansOf(bytes) }
    left -= bytes.length / bytesPerStep
    known.set(candidate, found)
    return found
  }

  return async (from, to, minimum) => {
    if (left <= 0 || typeOf(from) !== 'file' || typeOf(to) !== 'file') return 0
    const [old, now] = [await spansIn(from), await spansIn(to)]
    const most = Math.max(old.size, now.size)
    const difference = most - Math.min(old.size, now.size)
    if (most * (maxScore - minimum) < difference * maxScore) return 0
    if (now.size === 0) return 0
    left -= old.spans.size
    let copied = 0
    for (const [hash, count] of old.spans) copied += Math.min(count, now.spans.get(hash) ?? 0)
    return Math.trunc((copied * maxScore) / most)
  }
}

/** Bytes that are hashed in the time it takes to compare a line. */
const bytesPerStep = 16

/** How many bytes are in lines, or pieces of 64 bytes, with the same hash. */
function spansOf(bytes: Uint8Array): Spans {
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
