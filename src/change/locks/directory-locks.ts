/** Locks that belong to directories: whoever changes entries of one holds it, whatever path, root or journal it is reached with. */
import { FsError } from '../../errors.js'
import { basename, dirname } from '../../fs/path.js'
import type { FileSystem, Stat } from '../../fs/types.js'
import { yieldBetweenSteps } from '../../fs/yield-between-steps.js'
import { isUntouched, statIfThere } from '../entry-image.js'
import { contentHash, isUnread } from '../hash.js'
import { pathsOf, type Step } from '../journal/record.js'
import type { Planned } from '../plan.js'

export interface DirectoryLocks {
  /** Runs while it holds those of the directories that are there. */
  hold<Result>(directories: readonly string[], run: (holding: Holding) => Promise<Result>): Promise<Result>
}

export interface Holding {
  /**
   * Sees to it that these are held as well, as far as they are there. Returns those that were not: until now others may have changed what is in
   * them. Fails with `BUSY` rather than to wait for long.
   */
  cover(directories: readonly string[]): Promise<string[]>
}

/** For trees that nobody else can reach. */
export const noDirectoryLocks: DirectoryLocks = {
  hold: (_directories, run) => run({ cover: async () => [] }),
}

/** The directories in which steps give or take names, and those that go. */
export async function directoriesOf(steps: readonly Step[]): Promise<string[]> {
  const directories = new Set<string>()
  const turn = yieldBetweenSteps()
  for (const step of steps) {
    const pause = turn()
    if (pause !== undefined) await pause
    const waiting = step.do === 'set' && step.staged !== undefined ? [step.staged] : []
    if (step.parked !== undefined) waiting.push(step.parked)
    for (const path of [...pathsOf(step), ...waiting]) directories.add(dirname(path))
    if (step.do === 'set' && step.before.kind === 'directory' && step.after.kind !== 'directory') {
      directories.add(step.path)
    }
  }
  return [...directories]
}

/** Fails with `CONFLICT` when what a plan was made from has changed in any of these directories. */
export async function expectUnchanged(
  fs: FileSystem,
  { steps, seen }: Planned,
  directories: readonly string[],
): Promise<void> {
  const among = new Set(directories)
  for (const step of steps) {
    for (const path of pathsOf(step)) {
      if (!among.has(dirname(path)) || !seen.has(path) || basename(path) === '') continue
      const now = await statIfThere(fs, path)
      if (!isUntouched(seen.get(path), now)) throw new FsError('CONFLICT', { path })
      if (step.do === 'set' && now !== undefined && !(await isSame(fs, step, now)))
        throw new FsError('CONFLICT', { path })
    }
  }
}

/** Clocks of disks are coarse, and a file's time can be set: what looks the same is read again. */
async function isSame(fs: FileSystem, { path, before }: Step & { do: 'set' }, { kind }: Stat): Promise<boolean> {
  if (before.kind !== 'file' || kind !== 'file' || isUnread(before.hash)) return true
  return (await contentHash(await fs.readFile(path), fs)) === before.hash
}
