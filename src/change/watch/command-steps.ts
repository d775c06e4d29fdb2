/** What a command has changed, as the steps of a change. */
import { isFsError } from '../../errors.js'
import type { FileSystem, Stat } from '../../fs/types.js'
import { type Step, sameImage } from '../journal/record.js'
import type { KnownEntries } from './known-entries.js'
import type { Incomplete, Scanner } from './scan.js'
import { imageOf, isSame, type Seen } from './seen.js'

export interface Differences {
  steps: Step[]
  /** Replaced content by its hash. */
  contents: Map<string, Uint8Array>
  /** Entries that changed too, but whose old content is not known. */
  unkept: string[]
}

const ignoreFiles = /(^|\/)\.(gitignore|ignore)$/

/** Larger new files are not hashed. */
const maxHashedBytes = 64 * 1024 * 1024

/** Every difference as steps, with the replaced content. The current tree becomes the known state. */
export async function differences(
  startedMs: number,
  { fs, known, scanner }: { fs: FileSystem; known: KnownEntries; scanner: Scanner },
): Promise<Differences | { incomplete: Incomplete }> {
  const scanned = await scanner.scan()
  if ('incomplete' in scanned) return scanned
  const { changed, vanished } = scanned
  const removed: Step[] = []
  const others: Step[] = []
  const contents = new Map<string, Uint8Array>()
  const unkept: string[] = []
  const rulesChanged = [...vanished, ...changed.map(([path]) => path)].some((path) => ignoreFiles.test(path))
  const isListed = new Set(changed.map(([path]) => path))
  // An entry that is not listed is gone, or ignored by now.
  for (const path of vanished) changed.push([path, await scanner.look(path)])

  for (const [path, seen] of changed) {
    const before = known.get(path)
    if (before !== undefined && seen !== undefined && isSame(before, seen)) continue
    // An entry that an ignore file excluded until now is not new.
    if (before === undefined && rulesChanged && seen !== undefined && isOlder(seen.stat, startedMs)) {
      if (isListed.has(path)) known.remember(path, await known.withContent(path, seen))
      continue
    }
    known.remember(path, undefined)
    const after = seen && (await known.withContent(path, seen))
    if (isListed.has(path) && after !== undefined) known.remember(path, after)
    const step = await stepFrom(fs, path, { before, after, contents })
    if (step === 'unkept') unkept.push(path)
    else if (step !== undefined) (step.after.kind === 'absent' ? removed : others).push(step)
  }
  // Entries are removed before their directory, and made after it.
  removed.sort((a, b) => (a.path < b.path ? 1 : -1))
  others.sort((a, b) => (a.path < b.path ? -1 : 1))
  return { steps: [...removed, ...others], contents, unkept }
}

/** Reads content for its hash even where it is not stored: a new file can be undone by removing it. */
async function stepFrom(
  fs: FileSystem,
  path: string,
  { before, after, contents }: { before: Seen | undefined; after: Seen | undefined; contents: Map<string, Uint8Array> },
): Promise<(Step & { do: 'set' }) | 'unkept' | undefined> {
  if (before?.stat.kind === 'file' && before.bytes === undefined) return 'unkept'
  const was = await imageOf(before)
  const is = await imageOf(
    after?.stat.kind === 'file' && after.bytes === undefined ? await reread(fs, path, after) : after,
  )
  if (was === undefined || is === undefined) return 'unkept'
  if (sameImage(was, is)) return undefined
  if (was.kind === 'file' && before?.bytes !== undefined) contents.set(was.hash, before.bytes)
  return { do: 'set', path, before: was, after: is }
}

async function reread(fs: FileSystem, path: string, seen: Seen): Promise<Seen> {
  if ((seen.stat.size ?? 0) > maxHashedBytes) return seen
  try {
    return { ...seen, bytes: await fs.readFile(path) }
  } catch (error) {
    if (!isFsError(error)) throw error
    return seen
  }
}

function isOlder({ createdMs }: Stat, startedMs: number): boolean {
  return createdMs === undefined || createdMs < startedMs
}
