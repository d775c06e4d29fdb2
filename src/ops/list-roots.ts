import * as z from 'zod'
import { isFsError } from '../errors.js'
import type { Root } from '../fs/gate/confine.js'
import { operation } from './operation.js'

export interface RootStatus extends Root {
  /** It exists. */
  accessible: boolean
  /** It can be listed. */
  readable: boolean
}

/** Lists the roots of the workspace, and whether they can be accessed now. */
export const listRoots = operation({
  mutates: false,
  input: z.object({}),

  run: (_, { fs }): Promise<RootStatus[]> =>
    Promise.all(
      fs.roots.map(async (root) => ({
        ...root,
        accessible: await works(() => fs.stat(root.path)),
        readable: await works(() => fs.readDir(root.path)),
      })),
    ),
})

async function works(attempt: () => Promise<unknown>): Promise<boolean> {
  try {
    await attempt()
    return true
  } catch (error) {
    if (!isFsError(error)) throw error
    return false
  }
}
