/** The directories of a merge. */
import { join } from '../../fs/path.js'
import { isEmptyIn } from '../history/merge-step.js'
import { mergeMode, modeOf } from './merge-content.js'
import { invalid, type MergeState } from './merge-state.js'
import type { DirectoryPart, Parts } from './parts.js'
import type { Places } from './places.js'

export function directoryMerge({ made, removed, changed }: Parts, places: Places, state: MergeState) {
  const { draft, fs, merged, kept } = state

  async function remove({ path, now }: DirectoryPart): Promise<void> {
    const at = places.ofBase(path)
    if ((await draft.entry(at)).image.kind !== 'directory') return
    // In place of one that others use nothing can be put; that is a conflict of what is to be put there.
    if (!(await isEmptyIn(at, { draft, fs }))) {
      if (now.image.kind === 'absent') kept.add(at)
      return
    }
    await draft.remove(at)
    merged.push({ path: at, change: 'deleted' })
  }

  async function make({ path, now }: DirectoryPart): Promise<void> {
    const at = places.ofNew(path)
    const isThere = (await draft.entry(at)).image.kind === 'directory'
    // As for an entry in it, so that what is in the way of several is one conflict.
    if (!(await state.openWay(join(at, '-'))) || isThere) return
    merged.push({ path: at, change: 'added' })
    const mode = modeOf(now)
    if (mode !== undefined) await draft.setMode(at, mode)
  }

  async function setMode({ path, start, now }: DirectoryPart): Promise<void> {
    const at = places.ofBase(path)
    const own = await draft.entry(at)
    if (own.image.kind !== 'directory') {
      const theirs = state.resolve(at, [{ path: at, reason: 'removed-in-ours' }])
      if (typeof theirs === 'object') throw invalid(at, 'a directory: "ours" or "theirs"')
      const mode = modeOf(now)
      if (theirs !== 'theirs' || own.image.kind !== 'absent' || !(await state.openWay(at))) return
      await draft.makeDirectory(at, mode === undefined ? {} : { mode })
      merged.push({ path: at, change: 'added' })
      return
    }
    const versions = { base: start, ours: own, theirs: now }
    const both = mergeMode(versions)
    const resolution = both === undefined ? state.resolve(at, [{ path: at, reason: 'mode' }]) : undefined
    if (typeof resolution === 'object') throw invalid(at, 'a directory: "ours" or "theirs"')
    const mode = both === undefined ? modeOf(resolution === 'theirs' ? now : own) : both.mode
    if (mode === undefined || mode === modeOf(own)) return
    await draft.setMode(at, mode)
    merged.push({ path: at, change: 'modified' })
  }

  return {
    removals: () => removed.map((part) => ({ path: places.ofBase(part.path), remove: () => remove(part) })),
    async make() {
      for (const part of made) await make(part)
    },
    async setModes() {
      for (const part of changed) await setMode(part)
    },
  }
}
