import type { Draft } from '../../change/draft.js'
import { openWalk, type WalkEntry, type WalkOptions } from '../../fs/walk/walk.js'
import { yieldBetweenSteps } from '../../fs/yield-between-steps.js'
import type { Workspace } from '../../workspace/workspace.js'
import { onUnreadable } from '../operation.js'

/** Entries that are read together. */
const partLength = 64

/** Every entry below a directory, in walk order and in parts, the files of each read into the draft already. */
export async function* draftTree(
  { fs }: Workspace,
  draft: Draft,
  directory: string,
  options: Pick<WalkOptions, 'signal'>,
): AsyncGenerator<readonly WalkEntry[]> {
  const { next } = openWalk(fs, directory, { onUnreadable, ...options })
  const turn = yieldBetweenSteps()
  for (let batch = await next(); batch !== undefined; batch = await next()) {
    for (let at = 0; at < batch.length; at += partLength) {
      options.signal?.throwIfAborted()
      const part = batch.slice(at, at + partLength)
      draft.readAhead(part.flatMap(({ path, kind }) => (kind === 'file' ? path : [])))
      yield part
      const pause = turn()
      if (pause !== undefined) await pause
    }
  }
}
