/** What `tail -f` does after the end of its files: it prints what is added, until it is ended. */
import { isFsError } from '../../../../src/errors.js'
import { describeError } from '../../../io/describe-error.js'
import type { ProgramIo } from '../../../io/program.js'
import { quotedName } from '../../quoting.js'
import { waitFor } from '../../system/duration.js'

export interface FollowRules {
  names: readonly string[]
  /** A name is followed, whatever file has it; otherwise a file that is gone is forgotten. */
  byName: boolean
  /** Files that are not there yet are waited for. */
  retries: boolean
  /** Writes the title of a file when it is not the one printed last. */
  title(name: string): Promise<void>
}

interface Followed {
  name: string
  /** How much of it was printed; undefined while there is no file. */
  position: number | undefined
  inode?: number | undefined
}

/** The original is told of changes; here they are looked for this often. */
const intervalMs = 20
const pieceBytes = 256 * 1024

export async function follow(io: ProgramIo, rules: FollowRules): Promise<number> {
  const followed: Followed[] = []
  for (const name of rules.names) {
    const stat = await statOf(io, name)
    // A directory was reported already.
    if (stat === undefined && !rules.retries) continue
    followed.push({ name, position: stat?.size, inode: stat?.inode })
  }
  let last = rules.names.at(-1)
  let left = followed
  for (;;) {
    if (left.length === 0) {
      await io.error('no files remaining')
      return 1
    }
    await io.stdout.flush()
    await waitFor(io, intervalMs)
    io.step()
    await io.stdout.check?.()
    const staying: Followed[] = []
    for (const one of left) {
      if (await look(io, one, rules, last, (name) => (last = name))) staying.push(one)
    }
    left = staying
  }
}

async function statOf(io: ProgramIo, name: string): Promise<{ size: number; inode?: number | undefined } | undefined> {
  try {
    const { kind, size = 0, inode } = await io.fs.stat(name)
    return kind === 'file' ? { size, inode } : undefined
  } catch (error) {
    if (isFsError(error)) return undefined
    throw error
  }
}

/** False for a file that is followed no longer. */
async function look(
  io: ProgramIo,
  one: Followed,
  { byName, retries, title }: FollowRules,
  last: string | undefined,
  printed: (name: string) => void,
): Promise<boolean> {
  const stat = await statOf(io, one.name)
  if (stat === undefined) {
    if (one.position === undefined) return true
    // What is open can be read no more here, once its name is gone.
    if (!byName) return true
    const reason = await reasonOf(io, one.name)
    await io.error(`${quotedName(one.name)} has become inaccessible: ${reason}`)
    one.position = undefined
    return retries
  }
  if (one.position === undefined) {
    await io.error(`${quotedName(one.name)} has appeared;  following new file`)
    one.position = 0
  } else if (byName && stat.inode !== one.inode) {
    await io.error(`${quotedName(one.name)} has been replaced;  following new file`)
    one.position = 0
  } else if (stat.size < one.position) {
    await io.error(`${one.name}: file truncated`)
    one.position = 0
  }
  one.inode = stat.inode
  if (stat.size === one.position) return true
  if (last !== one.name) await title(one.name)
  printed(one.name)
  while (one.position < stat.size) {
    const end = Math.min(stat.size, one.position + pieceBytes)
    const piece = await io.fs.readFile(one.name, { start: one.position, end })
    if (piece.length === 0) break
    one.position += piece.length
    await io.stdout.write(piece)
  }
  return true
}

async function reasonOf(io: ProgramIo, name: string): Promise<string> {
  try {
    await io.fs.stat(name)
    return 'No such file or directory'
  } catch (error) {
    return describeError(error)
  }
}
