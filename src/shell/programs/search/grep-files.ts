/** The files that grep searches, in the order in which directories list them. */
import { isFsError } from '../../../errors.js'
import type { Entry } from '../../../fs/types.js'
import { describeError } from '../describe-error.js'
import type { ProgramIo } from '../program.js'

export interface WalkOptions {
  /** Links inside directories are followed too. */
  followsLinks: boolean
  takesFile(name: string): boolean
  takesDirectory(name: string): boolean
  /** Called for every file, with the name as it is printed. */
  visit(name: string): Promise<void>
  fail(message: string): Promise<void>
}

/** Walks a directory that is named `shown`, or has no name in what is printed when that is empty. */
export async function walkFiles(io: ProgramIo, directory: string, shown: string, options: WalkOptions): Promise<void> {
  const ancestors: string[] = []
  await walk(directory, shown)

  async function walk(path: string, name: string): Promise<void> {
    let entries: Entry[]
    try {
      if (options.followsLinks) {
        const real = await io.fs.realPath(path)
        if (ancestors.includes(real)) {
          await options.fail(`warning: ${name}: recursive directory loop`)
          return
        }
        ancestors.push(real)
      }
      entries = await io.fs.readDir(path)
    } catch (error) {
      await options.fail(`${name === '' ? path : name}: ${describeError(error)}`)
      return
    }
    for (const entry of entries) {
      io.step()
      await visit(entry, below(path, entry.name), below(name, entry.name))
    }
    if (options.followsLinks) ancestors.pop()
  }

  async function visit(entry: Entry, path: string, name: string): Promise<void> {
    const kind = entry.kind === 'symlink' ? await linkKind(path, name) : entry.kind
    if (kind === 'directory') {
      if (options.takesDirectory(entry.name)) await walk(path, name)
    } else if (kind === 'file' && options.takesFile(entry.name)) await options.visit(name === '' ? path : name)
  }

  async function linkKind(path: string, name: string): Promise<string | undefined> {
    if (!options.followsLinks) return undefined
    try {
      return (await io.fs.stat(path)).kind
    } catch (error) {
      if (!isFsError(error)) throw error
      await options.fail(`${name}: ${describeError(error)}`)
      return undefined
    }
  }
}

function below(directory: string, name: string): string {
  if (directory === '') return name
  return directory.endsWith('/') ? `${directory}${name}` : `${directory}/${name}`
}
