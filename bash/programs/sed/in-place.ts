/** Edits a file in place: it is replaced when its end was reached, and keeps its mode. */
import { isFsError } from '../../../src/errors.js'
import { basename, dirname } from '../../../src/fs/path.js'
import type { Bytes, Stat } from '../../../src/fs/types.js'
import { encodeText } from '../../io/byte-text.js'
import { describeError } from '../../io/describe-error.js'
import type { ProgramIo } from '../../io/program.js'
import { concat } from '../../io/streams.js'
import { ProgramError } from '../program-error.js'
import { type Sink, sink } from './outputs.js'

export interface InPlaceOptions {
  /** For the backup; a star in it stands for the name of the file. */
  suffix: string | undefined
  mark: string
  run(names: readonly string[], output: Sink): Promise<number | undefined>
}

export async function editInPlace(io: ProgramIo, name: string, options: InPlaceOptions): Promise<number | undefined> {
  const stat = await statOrUndefined(io, name)
  // Whatever is wrong is reported when the file is opened.
  if (stat?.kind !== 'file')
    return options.run(
      [name],
      sink(options.mark, () => undefined),
    )
  const pieces: Bytes[] = []
  const output = sink(options.mark, (text) => {
    const bytes = encodeText(text)
    io.account(bytes.length)
    pieces.push(bytes)
    return undefined
  })
  const status = await options.run([name], output)
  await output.flush()
  try {
    await replaceFile(io, name, concat(pieces), stat, options.suffix)
  } catch (error) {
    throw new ProgramError(`couldn't open file ${name}: ${describeError(error)}`, 4)
  }
  return status
}

/** Also for other programs that edit in place. A star in the suffix stands for the name of the file. */
export async function replaceFile(
  io: ProgramIo,
  path: string,
  content: Bytes,
  { mode = 0o644 }: Stat,
  suffix: string | undefined,
): Promise<void> {
  const isLink = (await io.fs.lstat(path)).kind === 'symlink'
  if (suffix !== undefined && suffix !== '') {
    const backup = backupPath(path, suffix)
    if (isLink) await io.fs.rename(path, backup)
    else {
      await io.fs.writeFile(backup, await io.fs.readFile(path), { mode })
      await io.fs.setMode(backup, mode)
    }
  } else if (isLink) await io.fs.remove(path)
  await io.fs.writeFile(path, content, { mode })
}

function backupPath(path: string, suffix: string): string {
  const name = basename(path)
  const backup = suffix.includes('*') ? suffix.replaceAll('*', name) : `${name}${suffix}`
  if (backup.includes('/')) return backup
  const directory = dirname(path)
  return path.includes('/') ? `${directory === '/' ? '' : directory}/${backup}` : backup
}

async function statOrUndefined(io: ProgramIo, name: string): Promise<Stat | undefined> {
  try {
    return await io.fs.stat(name)
  } catch (error) {
    if (!isFsError(error)) throw error
    return undefined
  }
}
