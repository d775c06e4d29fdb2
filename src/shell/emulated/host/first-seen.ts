/** The workspace as a command finds it: no link is followed, and what was seen first is remembered to tell foreign changes by. */
import { contentHash } from '../../../change/hash.js'
import { FsError, isFsError } from '../../../errors.js'
import { readonly } from '../../../fs/backends/readonly.js'
import type { ConfinedFileSystem } from '../../../fs/gate/confine.js'
import { dirname, isWithin, relative, split } from '../../../fs/path.js'
import type { Entry, FileSystem, Stat } from '../../../fs/types.js'

/** An entry at the time the command first looked at it. */
export interface Seen {
  /** Absent when nothing was there. */
  stat?: Stat
  /** Of a file that was read. */
  hash?: Promise<string>
}

export interface FirstSeen {
  /** To put an overlay on. Directories above the roots are shown, with nothing in them but the way to a root. */
  fs: FileSystem
  seen: ReadonlyMap<string, Seen>
  /** What is looked at from now on is not remembered. */
  stop(): void
}

export function firstSeen(gate: ConfinedFileSystem): FirstSeen {
  const seen = new Map<string, Seen>()
  const straight = new Set<string>()
  let remembers = true

  function remember(path: string, entry: Seen): void {
    if (remembers && !seen.has(path)) seen.set(path, entry)
  }

  function isAboveRoot(path: string): boolean {
    return gate.roots.some((root) => root.path !== path && isWithin(path, root.path)) && !isInRoot(path)
  }

  function isInRoot(path: string): boolean {
    return gate.roots.some((root) => isWithin(root.path, path))
  }

  /** The gate would follow links; an overlay has to see them. What it refuses it refuses all the same. */
  async function refuseLinks(path: string): Promise<void> {
    if (!isInRoot(path)) throw new FsError('NOT_FOUND', { path })
    if (!gate.capabilities.symlinks) return
    const unknown: string[] = []
    for (let at = dirname(path); isInRoot(at) && !straight.has(at); at = dirname(at)) {
      unknown.unshift(at)
      if (at === '/') break
    }
    for (const at of unknown) {
      const { kind } = await gate.stat(at)
      if (kind === 'symlink') throw new FsError('IS_LINK', { path })
      if (kind !== 'directory') throw new FsError('NOT_A_DIRECTORY', { path })
      straight.add(at)
    }
  }

  async function stat(path: string): Promise<Stat> {
    if (isAboveRoot(path)) return { kind: 'directory' }
    try {
      await refuseLinks(path)
      const found = await gate.stat(path)
      remember(path, { stat: found })
      return found
    } catch (error) {
      if (isFsError(error, 'NOT_FOUND', 'NOT_A_DIRECTORY')) remember(path, {})
      throw error
    }
  }

  async function refuseFinalLink(path: string): Promise<void> {
    if ((await stat(path)).kind === 'symlink') throw new FsError('IS_LINK', { path })
  }

  const { readLink } = gate
  const { open: _, ...untouchable } = readonly(gate)
  return {
    seen,
    stop() {
      remembers = false
    },
    fs: {
      ...untouchable,
      capabilities: gate.capabilities,
      stat,
      async readFile(path, range) {
        // A link put there since would be followed, but not out of the roots.
        if (seen.get(path)?.stat?.kind !== 'file') await refuseFinalLink(path)
        const bytes = await gate.readFile(path, range)
        const known = seen.get(path)
        if (remembers && known !== undefined && range === undefined) known.hash ??= contentHash(bytes)
        return bytes
      },
      async readDir(path) {
        if (isAboveRoot(path)) return wayDown(gate, path)
        await refuseFinalLink(path)
        return gate.readDir(path)
      },
      ...(readLink && {
        async readLink(path: string) {
          await refuseLinks(path)
          return readLink(path)
        },
      }),
    },
  }
}

function wayDown({ roots }: ConfinedFileSystem, directory: string): Entry[] {
  const below = roots.map(({ path }) => path).filter((path) => path !== directory && isWithin(directory, path))
  const names = new Set(below.map((path) => split(`/${relative(directory, path)}`)[0] as string))
  return [...names].map((name) => ({ name, kind: 'directory' }))
}
