/** Locks of directories: a change holds those of all directories whose entries it changes, whatever path, root or journal it uses. */
import { FsError } from '../../errors.js'
import { statIfThere } from '../../fs/if-there.js'
import { basename, dirname } from '../../fs/path.js'
import type { FileSystem, Stat } from '../../fs/types.js'
import { yieldBetweenSteps } from '../../fs/yield-between-steps.js'
import { contentHash, isUnread } from '../content-hash.js'
import { isUntouched, lookAtFileSync } from '../entry-image.js'
import { type Image, pathsOf, type Step } from '../journal/record.js'
import type { Planned } from '../plan.js'

export interface DirectoryLocks {
  /** Runs while holding the locks of those directories that exist. */
  hold<Result>(directories: readonly string[], run: (holding: Holding) => Promise<Result>): Promise<Result>
}

export interface Holding {
  /**
   * Takes the locks of these directories too, as far as they exist. Returns those that were not held before: others may have changed
   * their entries. Fails with `BUSY` after a short wait.
   */
  cover(directories: readonly string[]): Promise<string[]>
}

/** For trees that no other process can reach. */
export const noDirectoryLocks: DirectoryLocks = {
  hold: (_directories, run) => run({ cover: async () => [] }),
}

/** The directories in which steps add or remove names, and those that they remove. */
export async function directoriesOf(steps: readonly Step[]): Promise<string[]> {
  const directories = new Set<string>()
  const turn = yieldBetweenSteps()
  for (const step of steps) {
    const pause = turn()
    if (pause !== undefined) await pause
    const temporary = step.do === 'set' && step.staged !== undefined ? [step.staged] : []
    if (step.parked !== undefined) temporary.push(step.parked)
    for (const path of [...pathsOf(step), ...temporary]) directories.add(dirname(path))
    if (step.do === 'set' && step.before.kind === 'directory' && step.after.kind !== 'directory') {
      directories.add(step.path)
    }
  }
  return [...directories]
}

/** Fails with `CONFLICT` when an entry of the plan has changed in any of these directories. */
export async function expectUnchanged(
  fs: FileSystem,
  { steps, seen }: Planned,
  directories: readonly string[],
): Promise<void> {
  const among = new Set(directories)
  for (const step of steps) {
    for (const path of pathsOf(step)) {
      if (!among.has(dirname(path)) || !seen.has(path) || basename(path) === '') continue
      const unchanged = isUnchangedFile(fs, step, seen.get(path)) ?? (await isUnchanged(fs, path, step, seen.get(path)))
      if (!unchanged) throw new FsError('CONFLICT', { path })
    }
  }
}

/**
 * Compares the content too: clocks of file systems are coarse, and a file's time can be set, so equal stats prove nothing. Undefined unless
 * the path has a file that can be read synchronously.
 */
function isUnchangedFile(fs: FileSystem, step: Step, seen: Stat | undefined): boolean | undefined {
  if (step.do !== 'set' || !isRead(step.before)) return undefined
  const now = lookAtFileSync(fs, step.path, { maxBytes: Infinity })
  return now && isUntouched(seen, now.stat) && now.image.kind === 'file' && now.image.hash === step.before.hash
}

async function isUnchanged(fs: FileSystem, path: string, step: Step, seen: Stat | undefined): Promise<boolean> {
  const now = await statIfThere(fs, path)
  if (!isUntouched(seen, now)) return false
  if (step.do !== 'set' || now?.kind !== 'file' || !isRead(step.before)) return true
  return (await contentHash(await fs.readFile(path), fs)) === step.before.hash
}

function isRead(image: Image): image is Image & { kind: 'file' } {
  return image.kind === 'file' && !isUnread(image.hash)
}
