import { randomBytes } from 'node:crypto'
import { open, readdir, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'

/** Replaces a file in one step, so that no reader sees a part of it. Of several writers at once the last one wins. */
export async function writeWhole(file: string, text: string): Promise<void> {
  const staged = `${file}.${randomBytes(6).toString('hex')}.new`
  try {
    const handle = await open(staged, 'wx')
    try {
      await writeFile(handle, text)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(staged, file)
  } catch (error) {
    await rm(staged, { force: true })
    throw error
  }
}

/** The file that this name was given for; undefined for other names. */
export function stagedFor(name: string): string | undefined {
  return /^(.+)\.[0-9a-f]{12}\.new$/s.exec(name)?.[1]
}

/** Removes what killed writers left in a directory. Nobody may be writing files for which `isOurs` holds. */
export async function removeStaged(directory: string, isOurs: (name: string) => boolean): Promise<void> {
  for (const name of await readdir(directory)) {
    const file = stagedFor(name)
    if (file !== undefined && isOurs(file)) await rm(path.join(directory, name), { force: true })
  }
}
