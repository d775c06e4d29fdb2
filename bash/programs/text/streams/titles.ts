/** What `head` and `tail` say about their files. */
import type { ProgramIo } from '../../../io/program.js'
import { quotedName } from '../../quoting.js'

/** The message for a file that can't be opened; a directory can, and gets its title first. */
export function unopened(title: (name: string) => Promise<void>) {
  return async (name: string, reason: string): Promise<string> => {
    if (reason !== 'Is a directory') return `cannot open ${quotedName(name)} for reading: ${reason}`
    await title(name)
    return `error reading ${quotedName(name)}: ${reason}`
  }
}

/** Writes the title of each file, with an empty line between files. */
export function titles(io: ProgramIo, isShown: boolean): (name: string) => Promise<void> {
  let isFirst = true
  return async (name) => {
    if (!isShown) return
    await io.stdout.write(`${isFirst ? '' : '\n'}==> ${name === '-' ? 'standard input' : name} <==\n`)
    isFirst = false
  }
}
