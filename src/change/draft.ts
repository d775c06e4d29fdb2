/** What a call means to change, before anything is changed: reads see it, and the steps are made from it. */
import { FsError } from '../errors.js'
import type { ConfinedFileSystem } from '../fs/confine.js'
import { basename, dirname, isWithin, join } from '../fs/path.js'
import { stagedName } from '../fs/staged-name.js'
import type { Bytes, Stat } from '../fs/types.js'
import { contentHash } from './hash.js'
import { type Look, lookAt } from './image.js'
import { type Image, type LinkImage, pathsOf, type Step, sameImage } from './record.js'

export interface Draft {
  /** The entry as it is, or as this call has changed it so far. */
  look(path: string): Promise<Look>
  /** Creates or replaces a file; its directory must exist. An existing file keeps its mode unless one is given. */
  write(path: string, bytes: Bytes, options?: { mode?: number }): Promise<void>
  /** Makes a directory where there is nothing. */
  makeDirectory(path: string, options?: { mode?: number }): Promise<void>
  /** Makes the directories down to a path that do not exist yet. */
  makeParents(path: string): Promise<void>
  /** A new link, which must lead to a place inside a root; or one that was there, as it was. */
  link(path: string, target: string | LinkImage): Promise<void>
  /** A file, a link, or a directory that is empty by then. */
  remove(path: string): Promise<void>
  /** A directory with all below it, to where there is nothing. */
  renameDirectory(from: string, to: string): Promise<void>
  setMode(path: string, mode: number): Promise<void>
  /** Fails with `STALE` unless the file has this content. */
  expect(path: string, hash: string): Promise<void>
  /** Forgets everything drafted so far. */
  discard(): void
}

export interface Planned {
  steps: Step[]
  /** New bytes of files, by the path they are staged at. */
  staged: Map<string, { bytes: Bytes; replaces?: string; mode?: number }>
  /** Bytes that will be replaced or removed, by hash. */
  replaced: Map<string, Bytes>
  /** How each entry looked when it was read. */
  seen: Map<string, Stat | undefined>
}

export function createDraft(gate: ConfinedFileSystem): Draft & { plan(): Promise<Planned> } {
  // Whoever drafts has followed the links; one that is met now was not there, or is to be changed itself.
  const fs = gate.exact
  const before = new Map<string, Look>()
  const after = new Map<string, Look>()
  /** Directories that move whole, because nothing in them changes. */
  let renames: Array<Step & { do: 'rename' }> = []

  async function original(path: string): Promise<Look> {
    const known = before.get(path) ?? (await lookAt(fs, path))
    before.set(path, known)
    return known
  }

  async function look(path: string): Promise<Look> {
    await untangle((one) => isWithin(one.path, path) || isWithin(one.to, path))
    return after.get(path) ?? (await original(path))
  }

  async function set(path: string, image: Image, bytes?: Bytes): Promise<void> {
    await look(path)
    after.set(path, { image, ...(bytes && { bytes }) })
  }

  async function requireDirectory(path: string): Promise<void> {
    const parent = (await look(dirname(path))).image
    if (parent.kind === 'absent') throw new FsError('NOT_FOUND', { path })
    if (parent.kind !== 'directory') throw new FsError('NOT_A_DIRECTORY', { path })
  }

  async function requireNothing(path: string): Promise<void> {
    await requireDirectory(path)
    if ((await look(path)).image.kind !== 'absent') throw new FsError('EXISTS', { path })
  }

  /** Where more is meant for a moving directory than its move, every entry in it moves by itself. */
  async function untangle(concerns: (rename: Step & { do: 'rename' }) => boolean): Promise<void> {
    const tangled = renames.filter(concerns)
    renames = renames.filter((rename) => !tangled.includes(rename))
    for (const { path, to } of tangled) await moveEach(path, to)
  }

  async function moveEach(from: string, to: string): Promise<void> {
    const { image, bytes } = await look(from)
    await set(to, image, bytes)
    if (image.kind === 'directory') {
      for (const name of await namesIn(from)) await moveEach(join(from, name), join(to, name))
    }
    await set(from, { kind: 'absent' })
  }

  async function namesIn(directory: string): Promise<string[]> {
    const wasDirectory = (await original(directory)).image.kind === 'directory'
    const names = new Set(wasDirectory ? (await fs.readDir(directory)).map(({ name }) => name) : [])
    for (const path of after.keys()) if (path !== '/' && dirname(path) === directory) names.add(basename(path))
    const there: string[] = []
    for (const name of names) {
      if ((await look(join(directory, name))).image.kind !== 'absent') there.push(name)
    }
    return there
  }

  return {
    look,

    async write(path, bytes, options = {}) {
      await requireDirectory(path)
      const { image } = await look(path)
      if (image.kind === 'directory') throw new FsError('IS_A_DIRECTORY', { path })
      if (image.kind === 'symlink') throw new FsError('IS_LINK', { path })
      const mode = options.mode ?? (image.kind === 'file' ? image.mode : undefined)
      const file = { hash: await contentHash(bytes), size: bytes.length, ...(mode !== undefined && { mode }) }
      await set(path, { kind: 'file', ...file }, bytes)
    },

    async makeDirectory(path, options = {}) {
      await requireNothing(path)
      await set(path, { kind: 'directory', ...options })
    },

    async makeParents(path) {
      const missing: string[] = []
      for (let at = dirname(path); ; at = dirname(at)) {
        const { kind } = (await look(at)).image
        if (kind === 'directory') break
        if (kind !== 'absent') throw new FsError('NOT_A_DIRECTORY', { path })
        missing.push(at)
      }
      for (const directory of missing.reverse()) await set(directory, { kind: 'directory' })
    },

    async link(path, target) {
      await requireNothing(path)
      if (typeof target === 'string') gate.checkTarget(path, target)
      await set(path, typeof target === 'string' ? { kind: 'symlink', target } : target)
    },

    async remove(path) {
      if ((await look(path)).image.kind === 'absent') throw new FsError('NOT_FOUND', { path })
      await set(path, { kind: 'absent' })
    },

    async renameDirectory(from, to) {
      const { image } = await look(from)
      if (image.kind === 'absent') throw new FsError('NOT_FOUND', { path: from })
      if (image.kind !== 'directory') throw new FsError('NOT_A_DIRECTORY', { path: from })
      if (isWithin(from, to)) throw new FsError('INTO_ITSELF', { path: from, to })
      await requireNothing(to)
      await untangle((one) => isWithin(from, one.path) || isWithin(from, one.to))
      const touched = [...after.keys()].some((path) => isWithin(from, path) || isWithin(to, path))
      if (touched) await moveEach(from, to)
      else renames.push({ do: 'rename', path: from, to, before: image, replaces: { kind: 'absent' } })
    },

    async setMode(path, mode) {
      const { image, bytes } = await look(path)
      if (image.kind === 'absent') throw new FsError('NOT_FOUND', { path })
      if (image.kind === 'symlink') throw new FsError('IS_LINK', { path })
      await set(path, { ...image, mode }, bytes)
    },

    async expect(path, expected) {
      const { image } = await original(path)
      const actual = image.kind === 'file' ? image.hash : ''
      if (actual !== expected) throw new FsError('STALE', { path, expected, actual })
    },

    discard() {
      after.clear()
      renames = []
    },

    async plan() {
      const planned: Planned = { steps: [], staged: new Map(), replaced: new Map(), seen: new Map() }
      const removals: Step[] = []
      const directories: Step[] = []
      const rest: Step[] = []
      const closing: Step[] = []
      for (const [path, { image, bytes }] of [...after].sort(byPath)) {
        const was = await original(path)
        planned.seen.set(path, was.stat)
        if (sameImage(was.image, image)) continue
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
        if (sameContent(was.image, image)) continue
        if (was.image.kind === 'file' || image.kind === 'file') {
          step.staged = join(await stagingDirectory(path), stagedName())
        }
        if (step.staged !== undefined && image.kind === 'file' && bytes !== undefined) {
          planned.staged.set(step.staged, {
            bytes,
            ...(was.image.kind === 'file' && { replaces: path }),
            ...(image.mode !== undefined && { mode: image.mode }),
          })
        }
      }
      for (const path of renames.flatMap(pathsOf)) planned.seen.set(path, (await original(path)).stat)
      // A directory is there before something moves into it, empty before it goes or becomes a file, and closed at the end.
      planned.steps = [...directories, ...renames, ...removals, ...rest, ...closing]
      return planned
    },
  }

  /** Beside the file, or as near above as there is a directory that was there, stays, and is open. */
  async function stagingDirectory(path: string): Promise<string> {
    for (let at = dirname(path); ; at = dirname(at)) {
      const [was, becomes] = [(await original(at)).image, (await look(at)).image]
      const serves = was.kind === 'directory' && becomes.kind === 'directory' && !isClosed(was)
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
