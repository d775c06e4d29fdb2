/** Which names of an archive may become files. */
import type { ArchiveFault } from '../errors.js'
import { protectedName } from '../fs/gate/protected-names.js'
import { isDeviceName } from '../fs/path-rules.js'

/**
 * `portable`: nothing that some system takes for another place than the one it names, and nothing inside `.git`. `relative`: any
 * relative POSIX path, for archives of one's own; what the file system refuses, it refuses.
 */
export type NameRules = 'portable' | 'relative'

/** Why a name is refused, if it is. A directory's ends with a slash. */
export function nameFault(name: string, rules: NameRules): ArchiveFault | undefined {
  if (name === '' || name === '/' || name.includes('\0')) return 'invalid-name'
  if (name.startsWith('/')) return 'outside'
  const components = name.replace(/\/$/, '').split('/')
  if (components.includes('..')) return 'outside'
  if (components.some((component) => component === '' || component === '.')) return 'invalid-name'
  return rules === 'portable' ? portableFault(name, components) : undefined
}

function portableFault(name: string, components: readonly string[]): ArchiveFault | undefined {
  if (/^[a-zA-Z]:/.test(name) || /^\\/.test(name) || /(^|[\\/])\.\.([\\/]|$)/.test(name)) return 'outside'
  if (name.includes('\\')) return 'invalid-name'
  if (/^~\w*\//.test(name) || name === '~') return 'outside'
  if (name.includes(':') || components.some(isDeviceName)) return 'reserved-name'
  return protectedName(components, { git: true }) === undefined ? undefined : 'protected-name'
}

/** One spelling for all that a file system which ignores case or Unicode forms takes for the same name. */
export function foldedName(name: string): string {
  return name.normalize('NFC').toLowerCase().normalize('NFC')
}

/** True for a name that would disturb a terminal, or hide what it is. */
export function hasControlCharacters(name: string): boolean {
  return /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u.test(name)
}
