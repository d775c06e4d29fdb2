/** Backups of files that would be replaced: `name~`, or `name.~1~` and so on. */
import { entryOf } from '../../../../src/text/entry-of.js'
import type { ProgramIo } from '../../../io/program.js'
import { ProgramError } from '../../program-error.js'
import { quoted } from '../../quoting.js'
import { directoryName, lastName } from '../names/basename.js'
import { usageError } from '../shared/usage.js'

export const backupOptions = {
  backup: { names: ['--backup'], value: 'optional' },
  simpleBackup: { names: ['-b'] },
  suffix: { names: ['-S', '--suffix'], value: 'required' },
} as const

/** Returns the name of the backup for a path that exists. */
export type Backup = (path: string) => Promise<string>

interface Given {
  has(key: keyof typeof backupOptions): boolean
  value(key: keyof typeof backupOptions): string | undefined
}

const controls: Readonly<Record<string, 'none' | 'numbered' | 'existing' | 'simple'>> = {
  none: 'none',
  off: 'none',
  numbered: 'numbered',
  t: 'numbered',
  existing: 'existing',
  nil: 'existing',
  simple: 'simple',
  never: 'simple',
}

export function backupOf(io: ProgramIo, given: Given, existing?: string): Backup | undefined {
  if (!given.has('backup') && !given.has('simpleBackup') && !given.has('suffix')) return undefined
  if (existing === 'keep') throw usageError(io, 'options --backup and --no-clobber are mutually exclusive')
  const value = given.value('backup') ?? (io.env.get('VERSION_CONTROL') || 'existing')
  const control = entryOf(controls, value)
  if (control === undefined) throw new ProgramError(`invalid argument ${quoted(value)} for ${quoted('backup type')}`)
  if (control === 'none') return undefined
  const suffix = given.value('suffix') || io.env.get('SIMPLE_BACKUP_SUFFIX') || '~'
  return async (path) => {
    if (control === 'simple') return path + suffix
    const highest = await highestNumber(io, path)
    return control === 'existing' && highest === 0 ? path + suffix : `${path}.~${highest + 1}~`
  }
}

async function highestNumber(io: ProgramIo, path: string): Promise<number> {
  const start = `${lastName(path)}.~`
  let highest = 0
  for (const { name } of await io.fs.readDir(directoryName(path))) {
    const [, digits] = name.startsWith(start) ? (/^(\d+)~$/.exec(name.slice(start.length)) ?? []) : []
    if (digits !== undefined) highest = Math.max(highest, Number(digits))
  }
  return highest
}
