/** Stores refs: files below `.git`, and lines of `packed-refs`. */
import { FsError } from '../../errors.js'
import { dirname, join } from '../../fs/path.js'
import { damaged } from '../damaged.js'
import type { GitDirectories } from '../git-directory.js'
import { limits, tooLarge } from '../limits.js'
import type { StagedFiles } from '../staged-files.js'
import { packedRefs } from './packed-refs.js'
import { isRefName } from './ref-name.js'

/** An object id, or for a symbolic ref the name of another ref. */
export type RefValue = { oid: string } | { target: string }

export interface RefStore {
  /** Undefined when there is no such ref. */
  read(name: string): Promise<RefValue | undefined>
  /** Follows symbolic refs: returns the last name, and its object if it has one. */
  resolve(name: string): Promise<{ name: string; oid?: string }>
  /** Full names with this prefix, in order; `prefix` ends with a slash. */
  list(prefix: string): Promise<string[]>
  /** Sets a ref, or the target of a symbolic ref, to an object. Fails for a new ref that conflicts with others. */
  write(name: string, oid: string): Promise<void>
  /** Sets `HEAD` or a similar ref to an object directly. */
  detach(name: string, oid: string): Promise<void>
  /** Makes a ref symbolic. */
  point(name: string, target: string): Promise<void>
  /** Removes a ref and its reflog. */
  remove(name: string): Promise<void>
  rename(name: string, to: string): Promise<void>
}

export function openRefs(staged: StagedFiles, { gitDirectory, commonDirectory }: GitDirectories): RefStore {
  const packed = packedRefs(staged, join(commonDirectory, 'packed-refs'))

  function pathOf(name: string): string {
    const isShared = name.startsWith('refs/') && !/^refs\/(bisect|worktree|rewritten)\//.test(name)
    return join(isShared ? commonDirectory : gitDirectory, name)
  }

  async function readLoose(name: string): Promise<RefValue | undefined> {
    const path = pathOf(name)
    const kind = (await staged.stat(path))?.kind
    if (kind === undefined || kind === 'directory') return undefined
    const bytes = await staged.reader(path)({ start: 0, end: limits.smallFileBytes })
    const text = new TextDecoder().decode(bytes)
    const [, target] = /^ref:\s*(\S[^\n]*?)\s*$/.exec(text) ?? []
    if (target !== undefined) {
      if (!target.startsWith('refs/') || !isRefName(target)) throw damaged(name)
      return { target }
    }
    const [, oid] = /^([0-9a-f]{40})(?:\s|$)/.exec(text) ?? []
    if (oid === undefined) throw damaged(name)
    return { oid }
  }

  async function read(name: string): Promise<RefValue | undefined> {
    const loose = await readLoose(name)
    if (loose !== undefined) return loose
    const oid = name.startsWith('refs/') ? (await packed.read()).get(name) : undefined
    return oid === undefined ? undefined : { oid }
  }

  async function resolve(given: string): Promise<{ name: string; oid?: string }> {
    let name = given
    for (let steps = 0; steps <= limits.symbolicRefs; steps += 1) {
      const value = await read(name)
      if (value === undefined) return { name }
      if ('oid' in value) return { name, oid: value.oid }
      name = value.target
    }
    throw tooLarge(`the chain of symbolic refs at ${given}`, limits.symbolicRefs, 'steps')
  }

  async function list(prefix: string): Promise<string[]> {
    const names = new Set<string>()
    const visit = async (directory: string) => {
      for (const entry of await staged.list(pathOf(directory))) {
        const name = `${directory}${entry}`
        if (!isRefName(name)) continue
        const kind = (await staged.stat(pathOf(name)))?.kind
        if (kind === 'directory') await visit(`${name}/`)
        else if (kind === 'file') names.add(name)
        if (names.size > limits.refs) throw tooLarge('the number of refs', limits.refs, 'refs')
      }
    }
    await visit(prefix)
    for (const name of (await packed.read()).keys()) if (name.startsWith(prefix)) names.add(name)
    if (names.size > limits.refs) throw tooLarge('the number of refs', limits.refs, 'refs')
    return [...names].sort()
  }

  /** `a` and `a/b` can't both be refs: one would be a file where the other needs a directory. */
  async function refuseConflict(name: string): Promise<void> {
    for (let above = dirname(`/${name}`).slice(1); above.includes('/'); above = dirname(`/${above}`).slice(1)) {
      if ((await read(above)) !== undefined) throw conflict(name, above)
    }
    const [below] = await list(`${name}/`)
    if (below !== undefined) throw conflict(name, below)
  }

  async function refuseLocked(path: string): Promise<void> {
    if ((await staged.stat(`${path}.lock`)) !== undefined) throw new FsError('BUSY', { path: `${path}.lock` })
  }

  async function writeFile(name: string, text: string): Promise<void> {
    const path = pathOf(name)
    await refuseLocked(path)
    await clearDirectory(path)
    await clearLogs(name)
    await staged.write(path, new TextEncoder().encode(text))
  }

  /** Removes empty directories that deleted refs have left. */
  async function clearDirectory(path: string): Promise<void> {
    if ((await staged.stat(path))?.kind !== 'directory') return
    for (const name of await staged.list(path)) await clearDirectory(join(path, name))
    if ((await staged.list(path)).length === 0) staged.remove(path)
  }

  /** Removes reflogs of deleted refs that would conflict with a new ref's log, which makes git fail. */
  async function clearLogs(name: string): Promise<void> {
    const logs = join(commonDirectory, 'logs')
    for (let above = dirname(`/${name}`).slice(1); above.includes('/'); above = dirname(`/${above}`).slice(1)) {
      if ((await staged.stat(join(logs, above)))?.kind === 'file') staged.remove(join(logs, above))
    }
    await clearDirectory(join(logs, name))
  }

  /** Removes a file and its empty parent directories below `top`. */
  async function removeFile(path: string, top: string): Promise<void> {
    if ((await staged.stat(path)) === undefined) return
    staged.remove(path)
    for (let at = dirname(path); at.startsWith(`${top}/`); at = dirname(at)) {
      if ((await staged.list(at)).length > 0) return
      staged.remove(at)
    }
  }

  async function removeRef(name: string): Promise<void> {
    const path = pathOf(name)
    await refuseLocked(path)
    await packed.remove(name)
    await removeFile(path, join(commonDirectory, 'refs/heads'))
  }

  const logOf = (name: string) => join(commonDirectory, `logs/${name}`)
  const removeLog = (name: string) => removeFile(logOf(name), join(commonDirectory, 'logs/refs/heads'))

  return {
    read,
    resolve,
    list,

    async write(given, oid) {
      const { name } = await resolve(given)
      if ((await read(name)) === undefined) await refuseConflict(name)
      await writeFile(name, `${oid}\n`)
    },

    detach: (name, oid) => writeFile(name, `${oid}\n`),
    point: (name, target) => writeFile(name, `ref: ${target}\n`),

    async remove(name) {
      await removeRef(name)
      await removeLog(name)
    },

    async rename(name, to) {
      const value = await read(name)
      if (value === undefined || !('oid' in value)) {
        throw new FsError('GIT_REFUSED', {
          reason: 'unsupported-repository',
          subject: `renaming the symbolic ref ${name}`,
        })
      }
      const hasLog = (await staged.stat(logOf(name)))?.kind === 'file'
      const log = hasLog ? await staged.reader(logOf(name))({ start: 0, end: limits.wholeBytes }) : undefined
      // Removed first, so that `a` can become `a/b`.
      await removeRef(name)
      await removeLog(name)
      await refuseConflict(to)
      await writeFile(to, `${value.oid}\n`)
      if (log !== undefined) await staged.write(logOf(to), log)
    },
  }
}

function conflict(name: string, other: string): FsError {
  const short = (each: string) => each.replace(/^refs\/heads\//, '')
  return new FsError('GIT_REFUSED', { reason: 'name-conflict', subject: short(name), paths: [short(other)] })
}
