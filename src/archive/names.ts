/** Which names of an archive are allowed. */
import type { ArchiveFault } from '../errors.js'
import { protectedName } from '../fs/gate/protected-names.js'
import { isDeviceName } from '../fs/path-rules.js'

/**
 * `portable`: no name that means another place on some system, and nothing inside `.git`. `relative`: any relative POSIX path, for trusted
 * archives; the file system may still refuse it.
 */
export type NameRules = 'portable' | 'relative'

/** Why a name is refused; undefined if it is allowed. Names of directories end with a slash. */
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

/** True for a name that could control a terminal or disguise itself. */
export function hasControlCharacters(name: string): boolean {
  return /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u.test(name)
}
