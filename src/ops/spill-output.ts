import * as z from 'zod'
import { isFsError } from '../errors.js'
import type { ConfinedFileSystem } from '../fs/confine.js'
import { join } from '../fs/path.js'
import { operation } from './operation.js'

const dayMs = 24 * 60 * 60 * 1000

/** Keeps output that does not fit an answer in a file, in a directory that git does not look into. What was kept long ago goes. */
export const spillOutput = operation({
  mutates: true,
  input: z.object({
    /** Made when it is missing. Everything in it but its `.gitignore` is output. */
    directory: z.string(),
    name: z.string(),
    content: z.custom<Uint8Array>((value) => value instanceof Uint8Array),
    keepMs: z.number().default(dayMs),
  }),

  async run({ directory, name, content, keepMs }, { fs, root, changes }): Promise<{ path: string }> {
    const given = fs.resolve(directory, root)
    const old = await oldFiles(fs, given, Date.now() - keepMs)
    const request = { label: 'keep output', scopes: [{ path: given, tree: true }] }
    await changes.run(request, async (draft, [real = given]) => {
      const path = join(real, name)
      await draft.makeParents(path)
      await draft.write(join(real, '.gitignore'), new TextEncoder().encode('*\n'))
      await draft.write(path, content)
      for (const gone of old) if (gone !== name) await draft.remove(join(real, gone))
    })
    return { path: join(directory, name) }
  },
})

/** Names of files that nobody has written to since. */
async function oldFiles(fs: ConfinedFileSystem, directory: string, sinceMs: number): Promise<string[]> {
  const old: string[] = []
  try {
    for (const { name, kind } of await fs.readDir(directory)) {
      if (kind !== 'file' || name === '.gitignore') continue
      const { modifiedMs } = await fs.stat(join(directory, name))
      if (modifiedMs !== undefined && modifiedMs < sinceMs) old.push(name)
    }
  } catch (error) {
    if (!isFsError(error, 'NOT_FOUND')) throw error
  }
  return old
}
