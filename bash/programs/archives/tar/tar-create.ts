/** Packs files into a tar stream. */
import { isFsError } from '../../../../src/errors.js'
import type { Stat } from '../../../../src/fs/types.js'
import { describeError } from '../../../io/describe-error.js'
import type { ProgramIo } from '../../../io/program.js'
import { applyMode, type ModeChanges } from '../../files/shared/modes.js'
import { ProgramError } from '../../program-error.js'
import { shownName } from './names.js'
import { blockBytes, headerBlocks, paddingAfter, type TarHeader } from './tar-format.js'
import type { Owner } from './tar-owner.js'

export interface Source {
  name: string
  /** What the name is relative to. */
  directory: string
}

export interface CreateOptions {
  sources: readonly Source[]
  isExcluded(name: string): boolean
  rename(name: string): string
  recurses: boolean
  dereferences: boolean
  keepsAbsolute: boolean
  mode?: ModeChanges
  modifiedMs?: number
  owner: Owner
  group: Owner
  /** The absolute path of the archive, which is not packed into itself. */
  archive?: string
  /** Called for each entry with its name as it was found, and for a directory with a slash. */
  onEntry(header: TarHeader, name: string): Promise<void>
  /** Called with the path of each file that was packed. */
  onPacked?(path: string): void
}

/** Returns false when something could not be packed; it has been reported. */
export async function packSources(
  io: ProgramIo,
  write: (bytes: Uint8Array) => Promise<void>,
  options: CreateOptions,
): Promise<boolean> {
  let isComplete = true
  const removedPrefixes = new Set<string>()
  const packed = new Map<string, string>()

  async function report(message: string): Promise<void> {
    isComplete = false
    await io.error(message)
  }

  async function storedName(name: string): Promise<string> {
    if (options.keepsAbsolute) return name
    const prefix = unsafePrefix(name)
    if (prefix !== '' && !removedPrefixes.has(prefix)) {
      removedPrefixes.add(prefix)
      await io.error(`Removing leading \`${prefix}' from member names`)
    }
    return name.slice(prefix.length) || './'
  }

  /** `above`: the directories that lead here, by their real paths; only where links are followed, which could form a loop. */
  async function add(name: string, path: string, above: readonly string[] = []): Promise<void> {
    io.step()
    const shown = name.replace(/(.)\/+$/, '$1')
    if (options.isExcluded(shown)) return
    const safe = await storedName(shown)
    let stat: Stat
    try {
      stat = options.dereferences ? await io.fs.stat(path) : await io.fs.lstat(path)
    } catch (error) {
      await report(`${shownName(name)}: Cannot stat: ${describeError(error)}`)
      return
    }
    if (options.archive !== undefined && io.path(path) === options.archive) {
      await io.error(`${name}: file is the archive; not dumped`)
      return
    }
    const { kind } = stat
    const real = options.dereferences && kind === 'directory' ? [await io.fs.realPath(path)] : []
    if (real.some((one) => above.includes(one))) return report(`${name}: File system loop detected; not dumped`)
    if (kind === 'other') return report(`${name}: Unknown file type; file ignored`)
    const end = kind === 'directory' && !safe.endsWith('/') ? '/' : ''
    const renamed = options.rename(safe)
    const stored = renamed.endsWith('/') ? renamed : renamed + end
    const mode = stat.mode ?? (kind === 'directory' ? 0o755 : 0o644)
    const header: TarHeader = {
      name: stored,
      kind,
      mode: options.mode === undefined ? mode : applyMode(options.mode, mode, kind === 'directory'),
      modifiedMs: options.modifiedMs ?? stat.modifiedMs ?? io.now(),
      size: stat.size ?? 0,
      owner: options.owner,
      group: options.group,
      ...(kind === 'symlink' && { target: await io.fs.readLink(path), mode: 0o777 }),
    }
    const first = options.dereferences && kind === 'file' ? await firstName(path, stored) : undefined
    const link: TarHeader | undefined = first === undefined ? undefined : { ...header, kind: 'hardlink', target: first }
    if (kind === 'file' && link === undefined) await addFile(header, path)
    else if (link !== undefined) for (const block of headerBlocks(link)) await write(block)
    else for (const block of headerBlocks(header)) await write(block)
    await options.onEntry(link ?? header, shown + (shown.endsWith('/') ? '' : end))
    options.onPacked?.(path)
    if (kind !== 'directory' || !options.recurses) return
    const inside = (await io.fs.readDir(path)).map((entry) => entry.name).sort()
    for (const inner of inside) {
      const innerPath = `${path.replace(/\/+$/, '')}/${inner}`
      await add(`${shown === '/' ? '' : shown}/${inner}`, innerPath, [...above, ...real])
    }
  }

  /** Where links are followed, a file that was packed before under another name becomes a link to that one. */
  async function firstName(path: string, stored: string): Promise<string | undefined> {
    const real = await io.fs.realPath(path)
    const before = packed.get(real)
    if (before === undefined) packed.set(real, stored)
    return before
  }

  async function addFile(header: TarHeader, path: string): Promise<void> {
    const reader = await io.fs.openRead(path).catch(async (error) => {
      if (!isFsError(error)) throw error
      await report(`${path}: Cannot open: ${describeError(error)}`)
      return undefined
    })
    if (reader === undefined) return
    for (const block of headerBlocks(header)) await write(block)
    let size = 0
    for (let chunk = await reader.read(); chunk !== undefined; chunk = await reader.read()) {
      size += chunk.length
      await write(chunk)
    }
    if (size !== header.size) throw new ProgramError(`${path}: file changed as we read it`, 1)
    await write(new Uint8Array(paddingAfter(size)))
  }

  for (const { name, directory } of options.sources) {
    await add(name, name.startsWith('/') || directory === '.' ? name : `${directory}/${name}`)
  }
  return isComplete
}

/** What of a name would lead out of the directory where it is unpacked. */
export function unsafePrefix(name: string): string {
  const [prefix] = /^(?:.*(?:^|\/)\.\.(?=\/|$))?\/*/s.exec(name) ?? ['']
  return prefix
}

/** Two empty blocks, and the rest of a record. */
export function endBlocks(written: number): Uint8Array {
  const record = 20 * blockBytes
  const end = 2 * blockBytes
  return new Uint8Array(end + ((record - ((written + end) % record)) % record))
}
