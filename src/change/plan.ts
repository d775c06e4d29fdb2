/** From a draft to the steps that make it, in an order in which each can be done. */
import { basename, dirname, join } from '../fs/path.js'
import { stagedNames } from '../fs/staged-name.js'
import type { Bytes, Stat } from '../fs/types.js'
import type { Look } from './image.js'
import { type Image, pathsOf, type Step, sameImage } from './record.js'

/** An entry as it is to become. `from` is where a file is that was not read, and is to be renamed. */
export interface Drafted extends Look {
  from?: string
  modifiedMs?: number
}

export interface Planned {
  steps: Step[]
  /** New bytes of files, by the path they are staged at. */
  staged: Map<string, { bytes: Bytes; replaces?: string; mode?: number; modifiedMs?: number }>
  /** Bytes that will be replaced or removed, by hash. */
  replaced: Map<string, Bytes>
  /** How each entry looked when it was read. */
  seen: Map<string, Stat | undefined>
}

export interface ToPlan {
  before(path: string): Promise<Look>
  after: ReadonlyMap<string, Drafted>
  /** Of whole directories. */
  renames: ReadonlyArray<Step & { do: 'rename' }>
  readWhole(path: string): Promise<Bytes>
}

export async function plan({ before, after, renames, readWhole }: ToPlan): Promise<Planned> {
  const planned: Planned = { steps: [], staged: new Map(), replaced: new Map(), seen: new Map() }
  const nextName = stagedNames()
  const fileRenames = await renamesOfFiles()
  const removals: Step[] = []
  const directories: Step[] = []
  const rest: Step[] = []
  const closing: Step[] = []
  const renamed = new Set(fileRenames.flatMap(pathsOf))
  for (const path of [...after.keys()].sort()) {
    const was = await before(path)
    planned.seen.set(path, was.stat)
    if (!renamed.has(path)) await planEntry(path, was)
  }
  for (const path of renames.flatMap(pathsOf)) planned.seen.set(path, (await before(path)).stat)
  // A directory is there before something moves into it, empty before it goes or becomes a file, and closed at the end.
  planned.steps = [...directories, ...renames, ...fileRenames, ...removals, ...rest, ...closing]
  return planned

  async function planEntry(path: string, was: Look): Promise<void> {
    const { image, bytes, modifiedMs } = after.get(path) as Drafted
    if (sameImage(was.image, image)) return
    if (was.image.kind === 'file' && was.bytes) planned.replaced.set(was.image.hash, was.bytes)
    const step: Step & { do: 'set' } = { do: 'set', path, before: was.image, after: image }
    if (image.kind === 'absent') removals.unshift(step)
    else if (image.kind !== 'directory') rest.push(step)
    else if (!isClosed(image)) directories.push(step)
    else if (was.image.kind === 'directory') closing.unshift(step)
    else {
      const opened = { kind: 'directory', mode: image.mode | 0o700 } as const
      directories.push({ ...step, after: opened })
      closing.unshift({ ...step, before: opened })
    }
    if (sameContent(was.image, image)) return
    if (was.image.kind === 'file' && was.bytes === undefined) step.parked = await besides(path)
    if (was.image.kind === 'file' || image.kind === 'file') step.staged = await besides(path)
    if (step.staged !== undefined && image.kind === 'file' && bytes !== undefined) {
      planned.staged.set(step.staged, {
        bytes,
        ...(was.image.kind === 'file' && { replaces: path }),
        ...(image.mode !== undefined && { mode: image.mode }),
        ...(modifiedMs !== undefined && { modifiedMs }),
      })
    }
  }

  /** Where something else becomes of one end of the way, the file is read after all. */
  async function renamesOfFiles(): Promise<Step[]> {
    const steps: Step[] = []
    for (const [to, { from }] of [...after].sort(byPath)) {
      if (from === undefined) continue
      const replaces = await before(to)
      const isFree = replaces.image.kind === 'absent' || replaces.image.kind === 'file'
      if (after.get(from)?.image.kind !== 'absent' || !isFree) {
        await readWhole(to)
        continue
      }
      const parked = replaces.image.kind === 'file' ? { parked: await besides(to) } : {}
      const source = (await before(from)).image
      steps.push({ do: 'rename', path: from, to, before: source, replaces: replaces.image, ...parked })
    }
    return steps
  }

  async function besides(path: string): Promise<string> {
    return join(await stagingDirectory(path), nextName())
  }

  /** Beside the file, or as near above as there is a directory that was there, stays, and is open. */
  async function stagingDirectory(path: string): Promise<string> {
    for (let at = dirname(path); ; at = dirname(at)) {
      const was = await before(at)
      const becomes = after.get(at) ?? was
      const serves = was.image.kind === 'directory' && becomes.image.kind === 'directory' && !isClosed(was.image)
      if (serves || basename(at) === '') return at
    }
  }
}

/** Its owner may not change what is in it. */
function isClosed(image: Image): image is Image & { mode: number } {
  return image.kind === 'directory' && image.mode !== undefined && (image.mode & 0o300) !== 0o300
}

/** Only the mode changes. */
function sameContent(before: Image, after: Image): boolean {
  return before.kind === 'file' && after.kind === 'file' && before.hash === after.hash
}

function byPath([a]: [string, Look], [b]: [string, Look]): number {
  return a < b ? -1 : 1
}
