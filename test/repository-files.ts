import { execFileSync } from 'node:child_process'
import { lstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const repositoryRoot = join(import.meta.dirname, '..')

/** Runs git on this repository, also where another user owns it. */
export function gitOfRepository(...args: string[]): Buffer {
  const given = ['-c', 'safe.directory=*', '-C', repositoryRoot, ...args]
  return execFileSync('git', given, { maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'pipe'] })
}

/** The files of this repository, as they are in the working tree: data of real sizes. */
export function* trackedFiles({ maxBytes }: { maxBytes: number }): Generator<{ path: string; bytes: Buffer }> {
  for (const path of gitOfRepository('ls-files', '-z').toString().split('\0').filter(Boolean)) {
    const file = join(repositoryRoot, path)
    const stat = lstatSync(file, { throwIfNoEntry: false })
    if (stat?.isFile() && stat.size <= maxBytes) yield { path, bytes: readFileSync(file) }
  }
}
