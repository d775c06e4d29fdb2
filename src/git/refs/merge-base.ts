/** Finds common ancestors of two commits. */

import { yieldBetweenSteps } from '../../fs/yield-between-steps.js'
import type { Commit } from '../objects/objects.js'
import type { Repository } from '../repository.js'
import { dateQueue } from './commit-queue.js'

/** Flags: reached from one side, from the other, and behind a common commit. */
const [ours, theirs, stale] = [1, 2, 4]

/**
 * The best common ancestors in git's order, newest first. There are several when each was merged into both sides, and
 * none when the histories are unrelated.
 */
export async function mergeBases(repository: Repository, one: string, other: string): Promise<string[]> {
  return mergeBasesOfMany(repository, one, [other])
}

/** Of a commit and what a merge of the others would be. */
export async function mergeBasesOfMany(
  repository: Repository,
  one: string,
  others: readonly string[],
): Promise<string[]> {
  if (others.includes(one)) return [one]
  const { found, flags } = await paintDown(repository, one, others)
  const candidates = inDateOrder(found.filter(({ oid }) => ((flags.get(oid) ?? 0) & stale) === 0))
  if (candidates.length < 2) return candidates.map(({ oid }) => oid)
  // With wrong dates, one candidate may still be an ancestor of another.
  const redundant = new Set<string>()
  for (const { oid } of candidates) {
    if (redundant.has(oid)) continue
    const rest = candidates.map((each) => each.oid).filter((each) => each !== oid && !redundant.has(each))
    const painted = await paintDown(repository, oid, rest)
    if (((painted.flags.get(oid) ?? 0) & theirs) !== 0) redundant.add(oid)
    for (const each of rest) if (((painted.flags.get(each) ?? 0) & ours) !== 0) redundant.add(each)
  }
  return candidates.map(({ oid }) => oid).filter((oid) => !redundant.has(oid))
}

/** Walks down from both sides until all pending commits are behind a common one. */
async function paintDown(
  repository: Repository,
  one: string,
  others: readonly string[],
): Promise<{ found: Commit[]; flags: ReadonlyMap<string, number> }> {
  const { objects } = repository
  const turn = yieldBetweenSteps(repository.checkAborted)
  const flags = new Map<string, number>()
  const found = new Map<string, Commit>()
  const queue = dateQueue()
  const reach = async (oid: string, added: number) => {
    const known = flags.get(oid) ?? 0
    if ((known & added) === added) return
    flags.set(oid, known | added)
    queue.push(await objects.readCommit(oid))
  }
  await reach(one, ours)
  for (const oid of others) await reach(oid, theirs)
  while (queue.pending.some(({ oid }) => ((flags.get(oid) ?? 0) & stale) === 0)) {
    await turn()
    const commit = queue.shift() as Commit
    let added = flags.get(commit.oid) ?? 0
    if (added === (ours | theirs)) {
      found.set(commit.oid, commit)
      added |= stale
    }
    for (const parent of commit.parents) await reach(parent, added)
  }
  return { found: [...found.values()], flags }
}

function inDateOrder(commits: readonly Commit[]): Commit[] {
  const queue = dateQueue()
  for (const commit of commits) queue.push(commit)
  return [...queue.pending]
}
