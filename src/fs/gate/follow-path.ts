/** Follows links for a gate, only to targets inside a root. */
import { FsError, isFsError } from '../../errors.js'
import { lowestWhere } from '../lowest-above.js'
import { dirname, join, relative, split } from '../path.js'
import { isPromise, syncOrAsync } from '../sync.js'
import type { FileSystem, Stat } from '../types.js'
import type { RuleChecks } from './access-rules.js'
import type { Places } from './roots.js'

export interface PathFollower {
  /** Follows every link in a path; in the last component only if `last` says so. Missing components at the end stay as they are. */
  follow(path: string, last: 'follow' | 'keep'): Promise<string>
  /** True if one `stat`, which refuses a path that leads through a link, finds no link. False for a missing entry: its path may have links. */
  isFreeOfLinks(path: string, last: 'follow' | 'keep'): Promise<boolean>
  isMissing(path: string): Promise<boolean>
}

const maxLinks = 40

/** No link leads through what a rule forbids: whether that fails would say what is there. */
export function pathFollower(
  fs: FileSystem,
  { find: findRoot, isAbove: isRoot }: Places,
  { require }: Pick<RuleChecks, 'require'>,
): PathFollower {
  async function follow(path: string, last: 'follow' | 'keep'): Promise<string> {
    if (!fs.capabilities.symlinks) return path
    let ahead = split(path)
    /** Free of links, as far as is known. */
    let done = '/'
    for (let links = 0; ahead.length > 0; ) {
      if (ahead[0] === '..') {
        if (done === '/') throw new FsError('OUTSIDE', { path })
        done = dirname(done)
        ahead = ahead.slice(1)
        continue
      }
      const up = ahead.indexOf('..')
      const names = up === -1 ? ahead : ahead.slice(0, up)
      require(join(done, names.join('/')), 'read')
      const stop = await stopOnWay(done, up === -1 && last === 'keep' ? names.slice(0, -1) : names, path)
      if (stop === undefined) {
        done = join(done, names.join('/'))
        ahead = up === -1 ? [] : ahead.slice(up)
        continue
      }
      const { at, target } = stop
      if (target === undefined) {
        if (up !== -1) throw new FsError('NOT_FOUND', { path })
        return join(done, ahead.join('/'))
      }
      links += 1
      if (links > maxLinks) throw new FsError('LINK_LOOP', { path })
      const rest = ahead.slice(split(`/${relative(done, at)}`).length)
      done = target.startsWith('/') ? '/' : dirname(at)
      ahead = [...target.split('/').filter((component) => component !== '' && component !== '.'), ...rest]
    }
    if (findRoot(done) === undefined) throw new FsError('OUTSIDE', { path })
    return done
  }

  /**
   * The first entry on the way from a directory that is a link, with its target, or is missing; undefined if there is none. `path` is for
   * errors. A path may have a thousand names, so not each of them is asked for.
   */
  async function stopOnWay(
    from: string,
    names: readonly string[],
    path: string,
  ): Promise<{ at: string; target?: string } | undefined> {
    let here = from
    let count = 0
    for (; count < names.length; count += 1) {
      const next = join(here, names[count] as string)
      const isAbove = isRoot(next)
      // What is below a place without others in it has the same root.
      if (findRoot(next) !== undefined && !isAbove) break
      here = next
      // Directories above a root are known not to be links; everything else is outside.
      if (findRoot(here) === undefined && isAbove) continue
      if (findRoot(here) === undefined) throw new FsError('OUTSIDE', { path })
      const stop = await stopAt(here)
      if (stop !== undefined) return stop
    }
    if (count === names.length) return undefined
    const whole = join(here, names.slice(count).join('/'))
    const lowest = await lowestWhere(whole, (at) => at.length <= here.length || canStat(at))
    const stop = lowest.length > here.length ? await stopAt(lowest) : undefined
    if (stop !== undefined || lowest === whole) return stop
    const next = whole.indexOf('/', lowest.length + 1)
    return stopAt(next === -1 ? whole : whole.slice(0, next))
  }

  async function stopAt(at: string): Promise<{ at: string; target?: string } | undefined> {
    const { missing, target } = await entryStateAt(at)
    if (missing) return { at }
    return target === undefined ? undefined : { at, target }
  }

  /** False also where the stat fails otherwise: that is reported when it is asked for again. */
  function canStat(path: string): boolean | Promise<boolean> {
    try {
      const found = statSoon(path)
      return isPromise(found) ? found.then(() => true, isNoFailure) : true
    } catch (error) {
      return isNoFailure(error)
    }
  }

  async function isFreeOfLinks(path: string, last: 'follow' | 'keep'): Promise<boolean> {
    try {
      return (await statSoon(path)).kind !== 'symlink' || last === 'keep'
    } catch (error) {
      if (isFsError(error, 'IS_LINK', 'NOT_FOUND', 'NOT_A_DIRECTORY')) return false
      throw error
    }
  }

  function statSoon(path: string): Stat | Promise<Stat> {
    return syncOrAsync(fs.sync?.stat(path), () => fs.stat(path))
  }

  /** Whether the entry is missing, and the target if it is a link. */
  async function entryStateAt(path: string): Promise<{ missing: boolean; target?: string | undefined }> {
    try {
      const { kind } = await statSoon(path)
      return { missing: false, target: kind === 'symlink' ? await fs.readLink?.(path) : undefined }
    } catch (error) {
      // A path below a file is missing too.
      if (isFsError(error, 'NOT_FOUND', 'NOT_A_DIRECTORY')) return { missing: true }
      throw error
    }
  }

  return { follow, isFreeOfLinks, isMissing: async (path) => (await entryStateAt(path)).missing }
}

function isNoFailure(error: unknown): false {
  if (!isFsError(error)) throw error
  return false
}
