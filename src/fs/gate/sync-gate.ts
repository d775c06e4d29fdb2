/** The synchronous reads of a gate. */
import { type PathRules, posixRules } from '../path-rules.js'
import { orWouldBlock, type SyncFileSystem, wouldBlock } from '../sync.js'
import type { RuleChecks } from './access-rules.js'
import type { CheckedAccess } from './checked-access.js'
import type { Places } from './roots.js'

export function syncGate(
  { stat, find, readFile, readDir, directoryLister, fileReader }: SyncFileSystem,
  {
    actSync,
    places,
    rules,
    checks,
  }: Pick<CheckedAccess, 'actSync'> & { places: Places; rules: PathRules; checks: RuleChecks },
): SyncFileSystem {
  return {
    stat: (path) => actSync(path, stat),
    ...(find && { find: (path: string) => actSync(path, find) }),
    readFile: (path, range) => actSync(path, (at) => readFile(at, range)),
    readDir: (path) =>
      actSync(path, (at) => {
        const entries = readDir(at)
        return entries === wouldBlock ? wouldBlock : places.visible(at, entries)
      }),
    // Everything below a readable directory is readable: no link is followed.
    ...(directoryLister && {
      directoryLister: (directory) =>
        orWouldBlock(() =>
          actSync(directory, (at) => {
            const list = directoryLister(at)
            return list === wouldBlock ? wouldBlock : places.visibleBy(at, list)
          }),
        ),
    }),
    // A reader takes names that are one component by POSIX rules; other rules may split them. It does not ask what rules say of a file.
    ...(fileReader &&
      rules === posixRules &&
      !checks.areAny && { fileReader: (directory) => orWouldBlock(() => actSync(directory, fileReader)) }),
  }
}
