import * as z from 'zod'
import { contentHash } from '../../change/content-hash.js'
import type { Difference } from '../../change/history/history.js'
import type { ChangeRecord, Image } from '../../change/journal/record.js'
import { openText } from '../../text/decode/document.js'
import { openShown } from '../../text/decode/shown-text.js'
import { operation } from '../operation.js'

export { undoneBy } from '../../change/journal/record.js'
export type { ChangeRecord, Difference, Image }

/** Lists changes, newest first; only those at or below `path`, if given. */
export const listChanges = operation({
  mutates: false,
  input: z.object({ path: z.string().exactOptional(), limit: z.int().min(0).exactOptional() }),

  async run({ path, limit }, { fs, root, history }): Promise<ChangeRecord[]> {
    const at = path === undefined ? undefined : await fs.locate(fs.resolve(path, root), 'keep')
    return history.list({ ...(at !== undefined && { path: at }), ...(limit !== undefined && { limit }) })
  },
})

/** Returns what one change did, or what has changed since a point or in the whole history; sorted by path. */
export const compareVersions = operation({
  mutates: false,
  input: z.object({
    /** A change or a checkpoint. */
    since: z.string().exactOptional(),
    /** Only what this one change did. */
    only: z.string().exactOptional(),
    path: z.string().exactOptional(),
  }),

  async run({ since, only, path }, { fs, root, history }): Promise<Difference[]> {
    const at = path === undefined ? {} : { path: await fs.locate(fs.resolve(path, root), 'keep') }
    if (only === undefined) return history.differences(since, at)
    const { id } = await history.find(only)
    const [before] = await history.list({ before: id, limit: 1 })
    return history.differences(before?.id, { ...at, to: id })
  },
})

/** The text that a file had when its hash was, or began with, this one; undefined when the history does not have it. */
export const recallVersion = operation({
  mutates: false,
  input: z.object({ path: z.string(), hash: z.string().min(1) }),

  async run({ path, hash }, { fs, root, history }): Promise<string | undefined> {
    const at = await fs.locate(fs.resolve(path, root))
    for (const bytes of await history.earlierVersions(at, versionsLookedAt)) {
      if ((await contentHash(bytes)).startsWith(hash)) return (openShown(bytes) ?? openText(bytes)).text
    }
    return undefined
  },
})

const versionsLookedAt = 50
