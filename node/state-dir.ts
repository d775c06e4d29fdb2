import { createHash } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

/**
 * Where the journal of a root is kept: outside the root, the same for every server of that root. `POLYFS_STATE_DIR` names
 * another place for all of them. Throws where it can't be made or written.
 */
export function stateDirectory(root: string, home: string = stateHome(process.env)): string {
  const name = createHash('sha256').update(root).digest('hex').slice(0, 24)
  const directory = path.join(home, name)
  makeDurably(directory)
  // One that was there may be on a disk that can't be written.
  fs.accessSync(directory, fs.constants.W_OK)
  return directory
}

/** A journal whose directory a power cut takes away would be none. */
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

/** Where the journals of all roots are kept. */
export function stateHome(env: NodeJS.ProcessEnv): string {
  if (env.POLYFS_STATE_DIR) return path.resolve(env.POLYFS_STATE_DIR)
  if (env.XDG_STATE_HOME && path.isAbsolute(env.XDG_STATE_HOME)) return path.join(env.XDG_STATE_HOME, 'polyfs')
  const home = os.homedir()
  if (process.platform === 'win32')
    return path.join(env.LOCALAPPDATA ?? path.join(home, 'AppData', 'Local'), 'polyfs', 'state')
  if (process.platform === 'darwin') return path.join(home, 'Library', 'Application Support', 'polyfs')
  return path.join(home, '.local', 'state', 'polyfs')
}
