/** Rules for paths from outside, as pure functions: one rule set for POSIX hosts, one for Windows. */
import { FsError, type PathFault } from '../errors.js'
import { isNormal, split } from './path.js'

/** The limit for paths from outside; paths that a walk finds may be longer. */
export const maxPathUnits = 4096
const maxNameBytes = 255
/** A name of so many UTF-16 units is never too long: each is at most three bytes of UTF-8. */
const shortUnits = maxNameBytes / 3

export interface PathRules {
  /**
   * Splits input into components, `.` and empty ones dropped, `..` kept.
   * Nothing is trimmed, unquoted, expanded or decoded. Throws `INVALID_PATH` with the reason.
   */
  parse(input: string): { absolute: boolean; components: string[] }
  /** True only if the input is absolute and normalised already. Much cheaper than `parse`; may be false for unusual names. */
  isPlain?(input: string): boolean
  /** An absolute path of the core as the host writes it; any other text stays as it is. Default: they are the same. */
  print?(path: string): string
  /** A glob whose separators are those of the core. Default: it is the same. */
  pattern?(glob: string): string
}

/** Components end at `/`; every other character but NUL is part of a name. */
export const posixRules: PathRules = {
  parse(input) {
    checkWhole(input)
    const components = input.split('/').filter((component) => component !== '' && component !== '.')
    for (const component of components) refuse(input, nameFault(component))
    return { absolute: input.startsWith('/'), components }
  },
  isPlain: (input) =>
    input.length > 1 &&
    input.length <= maxPathUnits &&
    isNormal(input) &&
    !input.includes('\0') &&
    input.isWellFormed() &&
    !mayHaveLongName(input),
}

/**
 * `/` and `\` both separate. A drive is the first component of an absolute path (`C:\x` is `/C:/x`). Device names, streams,
 * 8.3 aliases and names that Windows would silently change are refused: each is a second name for something else.
 */
export const windowsRules: PathRules = {
  parse(input) {
    checkWhole(input)
    if (/^[\\/]{2}[?.][\\/]/.test(input) || /^\\\?\?\\/.test(input)) refuse(input, 'device-path')
    if (/^[\\/]{2}[^\\/]/.test(input)) refuse(input, 'network-path')
    const drive = /^\/?([a-zA-Z]:)/.exec(input)
    const rest = drive === null ? input : input.slice(drive[0].length)
    if (drive !== null && rest !== '' && !/^[\\/]/.test(rest)) refuse(input, 'drive-relative')
    if (drive === null && /^\\/.test(rest)) refuse(input, 'drive-relative')
    const components = rest.split(/[\\/]/).filter((component) => component !== '' && component !== '.')
    for (const component of components) {
      if (component !== '..') refuse(input, nameFault(component) ?? windowsNameFault(component))
    }
    const letter = drive?.[1]?.toUpperCase()
    return {
      absolute: letter !== undefined || input.startsWith('/'),
      components: letter === undefined ? components : [letter, ...components],
    }
  },
  print(path) {
    if (/^\/[A-Z]:\/?$/.test(path)) return `${path.slice(1, 3)}\\`
    if (/^\/[A-Z]:\//.test(path)) return path.slice(1).replaceAll('/', '\\')
    if (path.startsWith(`${shares}/`)) return `\\${path.slice(shares.length).replaceAll('/', '\\')}`
    return path
  },
  // Before characters that names may contain, a backslash escapes; whatever else it could escape is in no name.
  pattern: (glob) => glob.replace(/^(?=[a-zA-Z]:[\\/])/, '/').replace(/\\(?![[\]{},!])/g, '/'),
}

/** Where the core has network shares: `\\server\share` is `/UNC/server/share`. */
const shares = '/UNC'

/**
 * The rules of Windows for directories on network shares: their paths are understood, and those of all other shares refused, since
 * merely looking there would send the user's name and password hash to a server that the agent chose.
 */
export function windowsRulesFor(directories: readonly string[]): PathRules {
  const allowed = directories
    .filter((directory) => directory.startsWith(`${shares}/`))
    .map((each) => each.toLowerCase())
  if (allowed.length === 0) return windowsRules
  return {
    ...windowsRules,
    parse(input) {
      const [, server, share, rest = ''] = /^[\\/]{2}([^\\/?.][^\\/]*)[\\/]([^\\/]+)(.*)$/s.exec(input) ?? []
      const start = `${shares}/${server}/${share}`
      const isAllowed = allowed.some(
        (each) => each === start.toLowerCase() || each.startsWith(`${start.toLowerCase()}/`),
      )
      if (server === undefined || share === undefined || !isAllowed) return windowsRules.parse(input)
      checkWhole(input)
      const { components } = windowsRules.parse(`/${rest.replace(/^[\\/]+/, '')}`)
      // Not above the share.
      let depth = 0
      for (const component of components) {
        depth += component === '..' ? -1 : 1
        if (depth < 0) refuse(input, 'network-path')
      }
      return { absolute: true, components: [...split(shares), server, share, ...components] }
    },
  }
}

/** Refuses a path that no file system can store. Adapters call it in every operation. */
export function checkPath(path: string): void {
  if (path.includes('\0')) refuse(path, 'nul')
  if (!path.isWellFormed()) refuse(path, 'malformed-unicode')
  if (mayHaveLongName(path)) for (const name of split(path)) refuse(path, nameFault(name))
}

/** False if no name has so many units that it may be too long: a path can have a thousand names, and is checked in every operation. */
function mayHaveLongName(path: string): boolean {
  for (let at = 0; path.length - at > shortUnits + 1; ) {
    const next = path.lastIndexOf('/', at + shortUnits + 1)
    if (next <= at) return true
    at = next
  }
  return false
}

/**
 * The same for a disk of Windows: refuses names that would be something else there, such as one with a backslash, which would be two.
 * Aliases of 8.3 are let through, because a file may really be called so.
 */
export function checkWindowsPath(path: string): void {
  for (const name of split(path)) {
    const fault = name.includes('\\') ? 'reserved-character' : windowsNameFault(name)
    if (fault !== 'short-name') refuse(path, fault)
  }
}

function checkWhole(input: string): void {
  if (input === '') refuse(input, 'empty')
  if (input.length > maxPathUnits) refuse(input, 'too-long')
  if (input.includes('\0')) refuse(input, 'nul')
  if (!input.isWellFormed()) refuse(input, 'malformed-unicode')
}

function nameFault(name: string): PathFault | undefined {
  if (name.length > shortUnits && encoder.encode(name).length > maxNameBytes) return 'name-too-long'
  return undefined
}

const encoder = new TextEncoder()

const deviceNames = /^(con|prn|aux|nul|clock\$|conin\$|conout\$|(com|lpt)[0-9¹²³])$/i

/** True for a name that Windows treats as a device, with any extension. */
export function isDeviceName(name: string): boolean {
  return deviceNames.test(stem(name))
}

function windowsNameFault(name: string): PathFault | undefined {
  if (name.includes(':')) return isDeviceName(name) ? 'reserved-name' : 'alternate-stream'
  if (isDeviceName(name)) return 'reserved-name'
  // biome-ignore lint/suspicious/noControlCharactersInRegex: Windows refuses exactly these in names.
  if (/[<>"|?*\u0000-\u001f]/.test(name)) return 'reserved-character'
  if (/[. ]$/.test(name)) return 'trailing-dot-or-space'
  if (/~\d/.test(name)) return 'short-name'
  return undefined
}

/** The part of a name that Windows compares with its device names: up to the first dot, colon or trailing spaces. */
function stem(name: string): string {
  return name.replace(/[.:].*$/s, '').replace(/ +$/, '')
}

function refuse(path: string, reason: PathFault | undefined): void {
  if (reason !== undefined) throw new FsError('INVALID_PATH', { path, reason })
}
