import * as z from 'zod'
import type { ChangeRecord } from '../../change/journal/record.js'
import { isFsError } from '../../errors.js'
import { operation } from '../operation.js'
import { removeOutput } from '../shell/spill-output.js'

/**
 * Removes for good what the history stores of a path and everything below it, or all of it, together with unreadable records and all stored
 * command output, which may contain the same. Files stay as they are. Returns the removed changes.
 */
export const purgeHistory = operation({
  mutates: true,
  input: z.object({
    /** Default: everything. */
    path: z.string().exactOptional(),
    /** Directories in the tree that store command output. */
    outputDirectories: z.array(z.string()).default([]),
    /** Only report what would be removed. */
    dryRun: z.boolean().default(false),
  }),

  async run({ path, outputDirectories, dryRun }, workspace): Promise<ChangeRecord[]> {
    const { fs, root, changes, output, internals } = workspace
    const directories = outputDirectories.map((directory) => fs.resolve(directory, root))
    if (!dryRun) for (const directory of directories) await removeOutput(directory, workspace)
    const paths = path === undefined ? undefined : [...(await namesOf(fs.resolve(path, root))), ...directories]
    const purged = await changes.purge({ dryRun, ...(paths && { paths }) })
    if (!dryRun) {
      internals.commandWatcher?.forget()
      await output?.clear()
    }
    return purged

    /** The path as given, and its target: the file may no longer exist. */
    async function namesOf(given: string): Promise<string[]> {
      try {
        return [...new Set([given, await fs.locate(given), await fs.locate(given, 'keep')])]
      } catch (error) {
        if (!isFsError(error)) throw error
        return [given]
      }
    }
  },
})
