/** Which commit is tested next: the one that halves what is left, as git finds it. */
import { yieldBetweenSteps } from '../../../src/fs/yield-between-steps.js'
import type { Commit } from '../../../src/git/objects/objects.js'
import { dateQueue } from '../../../src/git/refs/commit-queue.js'
import type { Repository } from '../../../src/git/repository.js'
import { ancestors, simplified } from '../history/walk.js'
import type { Pathspecs } from '../pathspec.js'
import type { Marks } from './state.js'

interface Candidate {
  oid: string
  /** Those among the candidates. */
  parents: string[]
  /** It changes something that is wanted. */
  counts: boolean
  /** How many that count it leads to, with itself; undefined as long as it is not known. */
  weight: number | undefined
}

export interface Choice {
  oid: string | undefined
  /** How many can be the first bad one. */
  all: number
  /** How many of them the choice leads to. */
  reached: number
  /** Skipped ones that would have been better. */
  tried: string[]
}

export async function chooseNext(
  repository: Repository,
  marks: Marks & { bad: string },
  { specs, isFirstParent }: { specs: Pathspecs; isFirstParent: boolean },
): Promise<Choice> {
  const candidates = await candidatesOf(repository, marks, specs, isFirstParent)
  const all = candidates.filter(({ counts }) => counts).length
  const halfway = weigh(candidates, all, { isFirstParent, stopsAtHalf: marks.skipped.length === 0 })
  if (marks.skipped.length === 0) {
    const best = halfway ?? mostEven(candidates, all)
    return { oid: best?.oid, all, reached: best?.weight ?? 0, tried: [] }
  }
  const ordered = byDistance(candidates, all)
  return { ...withoutSkipped(ordered, marks), all, reached: ordered[0]?.weight ?? 0 }
}

/** The commits behind the bad one that no good one leads to, oldest first. */
async function candidatesOf(
  repository: Repository,
  { bad, good }: Marks & { bad: string },
  specs: Pathspecs,
  isFirstParent: boolean,
): Promise<Candidate[]> {
  const excluded = await ancestors(repository, good)
  const turn = yieldBetweenSteps(repository.checkAborted)
  const queue = dateQueue()
  const seen = new Set<string>()
  const reach = async (oid: string) => {
    if (seen.has(oid) || excluded.has(oid)) return
    seen.add(oid)
    queue.push(await repository.objects.readCommit(oid))
  }
  await reach(bad)
  const found: Candidate[] = []
  for (let commit: Commit | undefined = queue.shift(); commit !== undefined; commit = queue.shift()) {
    await turn()
    const real = isFirstParent ? commit.parents.slice(0, 1) : commit.parents
    const kept = specs.isAll
      ? { isShown: true, parents: real }
      : await simplified(repository, commit, real, specs, false)
    for (const parent of kept.parents) await reach(parent)
    const parents = kept.parents.filter((parent) => !excluded.has(parent))
    found.push({ oid: commit.oid, parents, counts: kept.isShown, weight: undefined })
  }
  return found.reverse()
}

/** Finds how much lies behind each candidate; returns one that halves them as soon as it is met, which git takes. */
function weigh(
  candidates: readonly Candidate[],
  all: number,
  { isFirstParent, stopsAtHalf }: { isFirstParent: boolean; stopsAtHalf: boolean },
): Candidate | undefined {
  const byId = new Map(candidates.map((candidate) => [candidate.oid, candidate]))
  const parentsOf = ({ parents }: Candidate) => (isFirstParent ? parents.slice(0, 1) : parents)
  const isHalf = (candidate: Candidate) => stopsAtHalf && isHalfway(candidate, all)
  let counted = 0
  for (const candidate of candidates) {
    if (parentsOf(candidate).length > 0) continue
    candidate.weight = candidate.counts ? 1 : 0
    if (candidate.counts) counted += 1
  }
  for (const candidate of candidates) {
    if (parentsOf(candidate).length < 2) continue
    candidate.weight = countBehind(candidate, byId)
    if (isHalf(candidate)) return candidate
    counted += 1
  }
  for (let before = -1; counted < all && before !== counted; ) {
    before = counted
    for (const candidate of candidates) {
      if (candidate.weight !== undefined) continue
      const known = parentsOf(candidate).find((oid) => byId.get(oid)?.weight !== undefined)
      const behind = known === undefined ? undefined : byId.get(known)?.weight
      if (behind === undefined) continue
      candidate.weight = behind + (candidate.counts ? 1 : 0)
      if (candidate.counts) counted += 1
      if (isHalf(candidate)) return candidate
    }
  }
  return undefined
}

function countBehind(start: Candidate, byId: ReadonlyMap<string, Candidate>): number {
  const seen = new Set([start.oid])
  let count = 0
  for (const oid of seen) {
    const candidate = byId.get(oid)
    if (candidate?.counts) count += 1
    for (const parent of candidate?.parents ?? []) seen.add(parent)
  }
  return count
}

/** Of many commits, one within a thousandth of the middle is good enough. */
function isHalfway({ counts, weight = 0 }: Candidate, all: number): boolean {
  if (!counts) return false
  const difference = Math.abs(2 * weight - all)
  return difference <= 1 || difference < Math.floor(all / 1024)
}

const distance = ({ weight = 0 }: Candidate, all: number) => Math.min(weight, all - weight)

function mostEven(candidates: readonly Candidate[], all: number): Candidate | undefined {
  let best = candidates[0]
  let most = -1
  for (const candidate of candidates) {
    if (!candidate.counts || distance(candidate, all) <= most) continue
    best = candidate
    most = distance(candidate, all)
  }
  return best
}

function byDistance(candidates: readonly Candidate[], all: number): Candidate[] {
  const counting = candidates.filter(({ counts }) => counts)
  if (counting.length === 0) return candidates.slice(0, 1)
  return counting.sort((a, b) => distance(b, all) - distance(a, all) || (a.oid < b.oid ? -1 : 1))
}

/** The best one that is not skipped; where the very best was skipped, one away from it, since what is near it may fail too. */
function withoutSkipped(
  ordered: readonly Candidate[],
  { bad, skipped }: Marks & { bad: string },
): Pick<Choice, 'oid' | 'tried'> {
  const isSkipped = ({ oid }: Candidate) => skipped.includes(oid)
  const [first] = ordered
  if (first === undefined || !isSkipped(first)) return { oid: first?.oid, tried: [] }
  const tried = ordered.filter(isSkipped).map(({ oid }) => oid)
  const left = ordered.filter((candidate) => !isSkipped(candidate))
  const chance = pseudoRandom(left.length)
  const index = Math.trunc(
    (Math.trunc((left.length * chance) / randomRange) * integerRoot(chance)) / integerRoot(randomRange),
  )
  const chosen = left[index] ?? left[0]
  const isBad = chosen?.oid === bad && left[index] !== undefined
  return { oid: (isBad ? (left[index - 1] ?? left[0]) : chosen)?.oid, tried }
}

const randomRange = 32_768

/** The generator of `man 3 rand`, with the number of candidates as its seed. */
function pseudoRandom(seed: number): number {
  const next = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0
  return Math.floor(next / 65_536) % randomRange
}

/** Newton's method in single precision, as git computes it. */
function integerRoot(value: number): number {
  if (value === 0) return 0
  let [root, step] = [Math.fround(value), 1]
  while (step >= 0.5) {
    const next = Math.fround(Math.fround(root + Math.fround(Math.fround(value) / root)) / 2)
    step = Math.fround(Math.abs(next - root))
    root = next
  }
  return Math.trunc(root)
}

/** How many more steps it will take, about. */
export function stepsLeft(all: number): number {
  if (all < 3) return 0
  const whole = Math.floor(Math.log2(all))
  const power = 2 ** whole
  return power < 3 * (all - power) ? whole : whole - 1
}
