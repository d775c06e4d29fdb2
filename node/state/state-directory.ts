import { createHash } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

/**
 * The directory for the journal of a root: outside the root, the same for every server of that root. `POLYFS_STATE_DIR` sets
 * another parent directory for all roots. Throws if it can't be made or written, and a `StateDirectoryError` if other users may write or
 * may have written to it.
 */
export function stateDirectory(root: string, home: string = stateHome(process.env)): string {
  const name = createHash('sha256').update(root).digest('hex').slice(0, 24)
  makeDurably(home)
  const real = fs.realpathSync.native(home)
  checkOwn(real)
  const directory = path.join(real, name)
  makeOwn(directory)
  // An existing directory may be on a read-only disk.
  fs.accessSync(directory, fs.constants.W_OK)
  return directory
}

/** Makes a directory that only its owner may enter, or restricts an existing one. */
export function makeOwn(directory: string): void {
  makeDurably(directory)
  const mode = checkOwn(directory)
  if (mode !== undefined && (mode & 0o077) !== 0) fs.chmodSync(directory, 0o700)
}

/** The directories in the state of a root, which are made as they are needed. */
const parts = ['pending', 'history', 'corrupt', 'output', 'ui']

/** Throws a `StateDirectoryError` where something else is in the place of a part, such as a link. */
export function checkParts(directory: string): void {
  for (const part of parts) {
    const place = path.join(directory, part)
    if (fs.lstatSync(place, { throwIfNoEntry: false }) !== undefined) checkOwn(place)
  }
}

/** State that other users could have written is not read, because it controls changes of files. The message says how to fix that. */
export class StateDirectoryError extends Error {
  readonly code = 'UNSAFE_STATE_DIRECTORY'
}

/** Throws unless it is a directory of this user that no other user may write to. Returns its mode, except on Windows. */
export function checkOwn(directory: string): number | undefined {
  const user = process.geteuid?.()
  const stats = fs.lstatSync(directory)
  const otherwise = 'or name another place with POLYFS_STATE_DIR'
  if (!stats.isDirectory()) {
    throw new StateDirectoryError(`${directory} is not a directory; remove it, ${otherwise}`)
  }
  if (user === undefined) return undefined
  if (stats.uid !== user) {
    throw new StateDirectoryError(`${directory} belongs to another user; remove it, ${otherwise}`)
  }
  if ((stats.mode & 0o022) !== 0) {
    throw new StateDirectoryError(`other users may write to ${directory}; run chmod 700 on it, ${otherwise}`)
  }
  return stats.mode
}

/** Makes a directory that survives a power cut. */
function makeDurably(directory: string): void {
  const first = fs.mkdirSync(directory, { recursive: true, mode: 0o700 })
  if (first === undefined || process.platform === 'win32') return
  for (let made = directory; made.length >= first.length; made = path.dirname(made)) {
    const parent = fs.openSync(path.dirname(made), 'r')
    try {
      fs.fsyncSync(parent)
    } finally {
      fs.closeSync(parent)
    }
  }
}

/**
 * Every directory that may contain journals of any root, as real paths: the current one, and those of servers with another environment.
 * They need not exist.
 */
export function stateHomes(home: string | undefined, env: NodeJS.ProcessEnv = process.env): string[] {
  const { POLYFS_STATE_DIR: _, ...unnamed } = env
  const { XDG_STATE_HOME: __, ...plain } = unnamed
  const homes = [...(home === undefined ? [] : [path.resolve(home)]), ...[env, unnamed, plain].map(stateHome)]
  return [...new Set(homes.map(realPlace))]
}

function realPlace(directory: string): string {
  try {
    return fs.realpathSync.native(directory)
  } catch {
    const above = path.dirname(directory)
    return above === directory ? directory : path.join(realPlace(above), path.basename(directory))
  }
}

/** The parent directory of the journals of all roots. */
export function stateHome(env: NodeJS.ProcessEnv): string {
  if (env.POLYFS_STATE_DIR) return path.resolve(env.POLYFS_STATE_DIR)
  if (env.XDG_STATE_HOME && path.isAbsolute(env.XDG_STATE_HOME)) return path.join(env.XDG_STATE_HOME, 'polyfs')
  const home = os.homedir()
  if (process.platform === 'win32')
    return path.join(env.LOCALAPPDATA ?? path.join(home, 'AppData', 'Local'), 'polyfs', 'state')
  if (process.platform === 'darwin') return path.join(home, 'Library', 'Application Support', 'polyfs')
  return path.join(home, '.local', 'state', 'polyfs')
}
