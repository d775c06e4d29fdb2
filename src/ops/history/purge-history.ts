import * as z from 'zod'
import type { ChangeRecord } from '../../change/journal/record.js'
import { isFsError } from '../../errors.js'
import { operation } from '../operation.js'
import { removeOutput } from '../shell/spill-output.js'

/**
 * Removes for good what the history holds of a path and of what is below it, or all of it; what was set aside, and all long output,
 * which may show the same. Files stay as they are. Tells the changes that went.
 */
export const purgeHistory = operation({
  mutates: true,
  input: z.object({
    /** Everything unless given. */
    path: z.string().exactOptional(),
    /** Directories in the tree in which long output is kept. */
    outputDirectories: z.array(z.string()).default([]),
    /** Only tells. */
    dryRun: z.boolean().default(false),
  }),

  async run({ path, outputDirectories, dryRun }, workspace): Promise<ChangeRecord[]> {
    const { fs, root, changes, output, witness } = workspace
    const directories = outputDirectories.map((directory) => fs.resolve(directory, root))
    if (!dryRun) for (const directory of directories) await removeOutput(directory, workspace)
    const paths = path === undefined ? undefined : [...(await namesOf(fs.resolve(path, root))), ...directories]
    const purged = await changes.purge({ dryRun, ...(paths && { paths }) })
    if (!dryRun) {
      witness?.forget()
      await output?.clear()
    }
    return purged

    /** As it is named, and where that leads: the file may be gone. */
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
