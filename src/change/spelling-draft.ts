/** A draft on a file system that takes several spellings for one name. */
import { FsError } from '../errors.js'
import type { ConfinedFileSystem } from '../fs/gate/confine.js'
import { statIfThere } from '../fs/if-there.js'
import { basename, dirname, join } from '../fs/path.js'
import { stagedName } from '../fs/staged-name.js'
import type { EngineDraft } from './draft.js'

/**
 * The first spelling of an entry that a call uses stands for all others. Where the call makes an entry anew under another one, or moves it
 * there, the name is spelled so by a last step.
 */
export function spellingDraft(draft: EngineDraft, gate: ConfinedFileSystem): EngineDraft {
  const { exact, comparable } = gate
  /** The path that stands for each path that was used. */
  const used = new Map<string, string>()
  /** Those that were the first of their spelling, by what they have in common. */
  const first = new Map<string, string[]>()
  /** Names that entries get in the end, by path. */
  const wanted = new Map<string, string>()

  async function one(path: string): Promise<string> {
    const known = used.get(path)
    if (known !== undefined) return known
    if (path === '/') return path
    const at = join(await one(dirname(path)), basename(path))
    const others = first.get(comparable(at)) ?? []
    let found: string | undefined
    for (const other of others) if (other === at || (await areOne(other, at))) found ??= other
    if (found === undefined) first.set(comparable(at), [...others, at])
    used.set(path, found ?? at)
    return found ?? at
  }

  /** A file system may distinguish spellings although it is declared not to: a folder picked in a browser can be on any disk. */
  async function areOne(path: string, other: string): Promise<boolean> {
    for (const each of [path, other]) if ((await statIfThere(exact, each)) === undefined) return false
    const names = (await exact.readDir(dirname(path))).map(({ name }) => name)
    return !(names.includes(basename(path)) && names.includes(basename(other)))
  }

  function spell(path: string, given: string): void {
    if (basename(path) === basename(given)) wanted.delete(path)
    else wanted.set(path, basename(given))
  }

  async function spellIfNew(given: string): Promise<string> {
    const path = await one(given)
    if (path !== given && (await draft.entry(path)).image.kind === 'absent') spell(path, given)
    return path
  }

  return {
    ...draft,
    seesFile: () => false,
    readAhead() {},
    entry: async (path) => draft.entry(await one(path)),
    imageOf: async (path) => draft.imageOf(await one(path)),
    entryUnread: async (path) => draft.entryUnread(await one(path)),
    read: async (path) => draft.read(await one(path)),
    write: async (path, content, options) => draft.write(await spellIfNew(path), content, options),
    copy: async (from, to, options) => draft.copy(await one(from), await spellIfNew(to), options),
    makeDirectory: async (path, options) => draft.makeDirectory(await spellIfNew(path), options),
    makeParents: async (path) => draft.makeParents(await one(path)),
    link: async (path, target) => draft.link(await spellIfNew(path), target),
    remove: async (path) => draft.remove(await one(path)),
    async move(from, to) {
      const [source, target] = [await one(from), await one(to)]
      if (source !== target) await draft.move(source, target)
      else if ((await draft.entry(source)).image.kind === 'absent') throw new FsError('NOT_FOUND', { path: from })
      spell(target, to)
    },
    setMode: async (path, mode) => draft.setMode(await one(path), mode),
    setModified: (path, modifiedMs) => draft.setModified(used.get(path) ?? path, modifiedMs),
    expect: async (path, hash) => draft.expect(await one(path), hash),
    discard() {
      wanted.clear()
      draft.discard()
    },
    async plan() {
      const respelled = []
      for (const [path, name] of wanted) {
        const { image, stat } = await draft.entry(path)
        if (image.kind !== 'absent') respelled.push({ path, name, before: image, stat })
      }
      const planned = await draft.plan()
      // What is inside a directory comes first, because its path has the old spelling.
      for (const { path, name, before, stat } of respelled.sort((a, b) => b.path.length - a.path.length)) {
        const [to, via] = [join(dirname(path), name), join(dirname(path), stagedName())]
        planned.steps.push({ do: 'rename', path, to, before, replaces: { kind: 'absent' }, via })
        if (stat !== undefined && !planned.seen.has(path)) planned.seen.set(path, stat)
      }
      return planned
    },
  }
}
