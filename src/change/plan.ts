/** Turns a draft into steps, in an order in which each can be done. */

import { basename, dirname, join } from '../fs/path.js'
import { stagedNames } from '../fs/staged-name.js'
import { isPromise } from '../fs/sync.js'
import type { Bytes, Stat } from '../fs/types.js'
import { yieldBetweenSteps } from '../fs/yield-between-steps.js'
import type { EntryState } from './entry-image.js'
import { type Image, pathsOf, type Step, sameImage } from './journal/record.js'
import type { Streamed } from './streamed-content.js'

/** An entry as the draft wants it. `from` is the place of a file that was not read and will be renamed. */
export interface Drafted extends EntryState {
  from?: string
  /** Content that is read when its file is staged, in place of bytes. */
  streamed?: Streamed
  modifiedMs?: number
  /** The mode that a directory gets first, so that its entries can be removed. */
  opened?: Image & { kind: 'directory' }
}

export interface Planned {
  steps: Step[]
  /** New bytes of files, by the path they are staged at. */
  staged: Map<string, Staged>
  /** Bytes that will be replaced or removed, by hash. */
  replaced: Map<string, Bytes>
  /** The stat of each entry when it was read. */
  seen: Map<string, Stat | undefined>
}

export interface Staged {
  /** The step that makes the file. Its image gets hash and size once streamed content is staged. */
  step: Step & { do: 'set' }
  content: Bytes | Streamed
  replaces?: string
  owner?: string
  mode?: number
  modifiedMs?: number
}

export interface ToPlan {
  /** A promise only for an entry that is not known yet. */
  before(path: string): EntryState | Promise<EntryState>
  after: ReadonlyMap<string, Drafted>
  /** Renames of whole directories. */
  renames: ReadonlyArray<Step & { do: 'rename' }>
  /** Makes the draft write a file that it would rename. */
  writeInstead(path: string): Promise<void>
}

export async function plan({ before, after, renames, writeInstead }: ToPlan): Promise<Planned> {
  const planned: Planned = { steps: [], staged: new Map(), replaced: new Map(), seen: new Map() }
  const nextName = stagedNames()
  const stagingDirectories = new Map<string, string>()
  const fileRenames = await renamesOfFiles()
  const opening: Step[] = []
  /** Removals and closings start with the deepest entry: both are reversed at the end. */
  const removals: Step[] = []
  const directories: Step[] = []
  const rest: Step[] = []
  const closing: Step[] = []
  const renamed = new Set(fileRenames.flatMap(pathsOf))
  const turn = yieldBetweenSteps()
  for (const path of [...after.keys()].sort()) {
    const pause = turn()
    if (pause !== undefined) await pause
    const looked = before(path)
    const was = isPromise(looked) ? await looked : looked
    planned.seen.set(path, was.stat)
    if (renamed.has(path)) continue
    const drafted = after.get(path) as Drafted
    const hasFile = was.image.kind === 'file' || drafted.image.kind === 'file'
    const directory = dirname(path)
    const staging = hasFile ? (stagingDirectories.get(directory) ?? (await stagingDirectory(directory))) : directory
    planEntry(path, was, drafted, staging)
  }
  for (const path of renames.flatMap(pathsOf)) planned.seen.set(path, (await before(path)).stat)
  // A directory is opened before its entries are removed, made before something moves into it, emptied before it is removed or becomes a
  // file, and closed at the end.
  const steps = [opening, directories, [...renames], fileRenames, removals.reverse(), rest, closing.reverse()]
  planned.steps = steps.flat()
  return planned

  /** `staging` is the directory for staged and parked files. */
  function planEntry(path: string, was: EntryState, drafted: Drafted, staging: string): void {
    const { image, bytes, streamed, modifiedMs, opened } = drafted
    if (sameImage(was.image, image)) return
    if (was.image.kind === 'file' && was.bytes) planned.replaced.set(was.image.hash, was.bytes)
    const step: Step & { do: 'set' } = { do: 'set', path, before: was.image, after: image }
    if (opened !== undefined && was.image.kind === 'directory' && !sameImage(was.image, opened)) {
      opening.push({ ...step, after: opened })
      step.before = opened
    }
    if (image.kind === 'absent') removals.push(step)
    else if (image.kind !== 'directory') rest.push(step)
    else if (!isClosed(image)) directories.push(step)
    else if (was.image.kind === 'directory') closing.push(step)
    else {
      const made = { kind: 'directory', mode: image.mode | 0o700 } as const
      directories.push({ ...step, after: made })
      closing.push({ ...step, before: made })
    }
    if (sameContent(was.image, image)) return
    if (was.image.kind === 'file' && was.bytes === undefined) step.parked = join(staging, nextName())
    if (was.image.kind === 'file' || image.kind === 'file') step.staged = join(staging, nextName())
    const content = bytes ?? streamed
    if (step.staged === undefined || image.kind !== 'file' || content === undefined) return
    const staged: Staged = { step, content }
    if (was.image.kind === 'file') staged.replaces = path
    if (was.owner !== undefined) staged.owner = was.owner
    if (image.mode !== undefined) staged.mode = image.mode
    if (modifiedMs !== undefined) staged.modifiedMs = modifiedMs
    planned.staged.set(step.staged, staged)
  }

  /** A file is written anew where its source stays or its target is not a file. */
  async function renamesOfFiles(): Promise<Step[]> {
    const steps: Step[] = []
    const moving = [...after].filter(([, { from }]) => from !== undefined)
    for (const [to, { from = to }] of moving.sort(byPath)) {
      const replaces = await before(to)
      const isFree = replaces.image.kind === 'absent' || replaces.image.kind === 'file'
      if (after.get(from)?.image.kind !== 'absent' || !isFree) {
        await writeInstead(to)
        continue
      }
      const isReplaced = replaces.image.kind === 'file'
      const parked = isReplaced ? { parked: join(await stagingDirectory(dirname(to)), nextName()) } : {}
      const source = (await before(from)).image
      steps.push({ do: 'rename', path: from, to, before: source, replaces: replaces.image, ...parked })
      const { image } = after.get(to) as Drafted
      // Its mode may change too.
      if (!sameImage(source, image)) steps.push({ do: 'set', path: to, before: source, after: image })
    }
    return steps
  }

  /** The nearest directory, from `directory` upwards, that exists before and after the change and is writable. */
  async function stagingDirectory(directory: string): Promise<string> {
    const passed: string[] = []
    for (let at = directory; ; at = dirname(at)) {
      passed.push(at)
      const known = stagingDirectories.get(at)
      const was = await before(at)
      const becomes = after.get(at) ?? was
      const serves = was.image.kind === 'directory' && becomes.image.kind === 'directory' && !isClosed(was.image)
      if (known === undefined && !serves && basename(at) !== '') continue
      for (const each of passed) stagingDirectories.set(each, known ?? at)
      return known ?? at
    }
  }
}

/** True for a directory whose entries its owner may not change. */
function isClosed(image: Image): image is Image & { mode: number } {
  return image.kind === 'directory' && image.mode !== undefined && (image.mode & 0o300) !== 0o300
}

/** True where at most the mode changes. */
function sameContent(before: Image, after: Image): boolean {
  return before.kind === 'file' && after.kind === 'file' && before.hash === after.hash
}

function byPath([a]: [string, EntryState], [b]: [string, EntryState]): number {
  return a < b ? -1 : 1
}
