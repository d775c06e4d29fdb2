/** Drafts a file or link where it is to be. */
import type { EntryState } from '../entry-image.js'
import { putBackTime } from '../restored-time.js'
import { invalid, type MergeState } from './merge-state.js'
import { type Content, contentOfSide } from './side-content.js'

/** What a part comes to. */
export interface Put {
  path: string
  /** Where ours has it now, if it has. */
  from?: string
  /** Ours, as it was before the merge. */
  ours: EntryState
  /** Absent where that of ours stays. */
  content?: Content
  mode?: number
}

export async function putLeaf(put: Put, state: MergeState): Promise<void> {
  const { path, from } = put
  const isReady = path === from || ((await state.openWay(path)) && (await isFree(put, state)))
  if (isReady) return place(put, path, state)
  // It was to be moved, and what is in the way stays: then it stays too.
  if (from === undefined) return
  if ((await state.draft.entry(from)).image.kind === 'absent' && (await state.openWay(from)))
    await place(put, from, state)
}

/** Makes room; false where what is there stays. */
async function isFree({ path, from }: Put, state: MergeState): Promise<boolean> {
  const { image } = await state.draft.entry(path)
  if (image.kind === 'absent') return true
  const resolution = state.resolve(path, [{ path, reason: 'taken', ...(from !== undefined && { theirPath: path }) }])
  if (typeof resolution === 'object') throw invalid(path, 'something else is in its place: "ours" or "theirs"')
  if (resolution !== 'theirs') return false
  if (image.kind === 'directory') throw invalid(path, 'a directory is in its place, and stays: "ours"')
  await state.draft.remove(path)
  return true
}

async function place(put: Put, path: string, { draft, merged }: MergeState): Promise<void> {
  const { ours, mode, from } = put
  const isInPlace = path === from && (await draft.entry(path)).image.kind !== 'absent'
  const was = 'mode' in ours.image ? ours.image.mode : undefined
  if (put.content === undefined && isInPlace) {
    if (mode === undefined || mode === was || ours.image.kind === 'symlink') return
    await draft.setMode(path, mode)
    merged.push({ path, change: 'modified' })
    return
  }
  if (from === undefined || path === from) merged.push({ path, change: isInPlace ? 'modified' : 'added' })
  else merged.push({ path, change: 'moved', from })
  if (put.content === undefined && ours.bytes === undefined && ours.image.kind === 'file') {
    // Too large to be held: it is renamed.
    await draft.move(from as string, path)
    if (mode !== undefined && mode !== was) await draft.setMode(path, mode)
    return
  }
  const content = put.content ?? contentOfSide({ state: ours })
  const { kind } = (await draft.entry(path)).image
  if ('link' in content || kind === 'symlink') if (kind !== 'absent') await draft.remove(path)
  await write(path, content, mode, draft)
}

async function write(
  path: string,
  content: Content,
  mode: number | undefined,
  draft: MergeState['draft'],
): Promise<void> {
  if ('link' in content) await draft.link(path, content.link)
  else {
    const given = { ...(mode !== undefined && { mode }), ...putBackTime(path) }
    await draft.write(path, 'bytes' in content ? content.bytes : content.streamed, given)
  }
}
