/** An engine over real directories, as a server opens it: a tree, a journal outside it, and a lock between processes. */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { type NodeFsOptions, nodeFs } from '../../../node/disk/node-fs.js'
import { directoryLocks } from '../../../node/locks/directory-locks.js'
import { fileLock } from '../../../node/locks/file-lock.js'
import { createChanges } from '../../../src/change/changes.js'
import { createHistory } from '../../../src/change/history/history.js'
import { storedJournal } from '../../../src/change/journal/journal.js'
import { nestedLocks, processLocks } from '../../../src/change/locks/locks.js'
import { confine } from '../../../src/fs/gate/confine.js'
import { decode, type Engine, encode, type Snapshot } from '../../core/change/faulty-disk.js'

/** In memory where there is such a place: only a power cut could tell the difference, and it has a test of its own. */
export function makeTemporary(prefix: string): string {
  const memory = '/dev/shm'
  const place = fs.existsSync(memory) && !os.tmpdir().startsWith(memory) ? memory : os.tmpdir()
  return fs.mkdtempSync(path.join(place, prefix))
}

export interface Places {
  root: string
  state: string
}

export interface DiskOptions extends NodeFsOptions {
  /** No other process has a part in it. */
  alone?: boolean
  storeWhileStagingBytes?: number
}

export async function openDisk(
  { root, state }: Places,
  { alone = false, storeWhileStagingBytes = Infinity, ...options }: DiskOptions = {},
): Promise<Engine & { close(): void }> {
  const tree = nodeFs(root, options)
  const store = nodeFs(state, options)
  const close = () => {
    tree.close()
    store.close()
  }
  try {
    const confined = confine(tree, { roots: [{ path: '/', access: 'read-write' }] })
    const journal = await storedJournal(store)
    const between = {
      locks: nestedLocks(processLocks(), fileLock(path.join(state, 'lock'), { together: 3 })),
      directoryLocks: directoryLocks({ inDirectory: tree.inDirectory, hostPath: (at) => path.join(root, at) }),
    }
    const changes = createChanges({ fs: confined, journal, storeWhileStagingBytes, ...(!alone && between) })
    return { fs: confined, changes, history: createHistory(confined, changes), close }
  } catch (error) {
    close()
    throw error
  }
}

/** Reads a file, and writes it back with a line more: what parallel calls must not undo for each other. */
export function appendLine({ changes }: Pick<Engine, 'changes'>, line: string) {
  return changes.run({ label: 'append', scopes: [{ path: '/lines.txt' }] }, async (draft) => {
    const { bytes } = await draft.entry('/lines.txt')
    await draft.write('/lines.txt', encode(`${decode(bytes)}${line}\n`))
  })
}

/** Everything below a directory of the host, temporary files included. A lock of a dead process goes when something is changed beside it. */
export function snapshotHost(directory: string): Snapshot {
  const found: Snapshot = {}
  const visit = (host: string, at: string) => {
    for (const entry of fs.readdirSync(host, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const [below, shown] = [path.join(host, entry.name), `${at}/${entry.name}`]
      if (entry.isSocket()) continue
      const mode = (fs.lstatSync(below).mode & 0o7777).toString(8)
      if (entry.isSymbolicLink()) found[shown] = `link to ${fs.readlinkSync(below)}`
      else if (entry.isDirectory()) {
        found[shown] = `directory ${mode}`
        visit(below, shown)
      } else found[shown] = `file ${mode} ${fs.readFileSync(below, 'utf8')}`
    }
  }
  visit(directory, '')
  return found
}

/** The names in a state directory that should not be there when nothing is under way. */
export function leftInState({ state }: Places): string[] {
  const top = fs.readdirSync(state).filter((name) => name !== 'pending' && name !== 'history')
  const kept = fs
    .readdirSync(path.join(state, 'history'), { recursive: true, encoding: 'utf8' })
    .filter((name) => !/^(\d{10})(\/\1\d{5}-\d{8}-[0-9a-f]{8})?$/.test(name))
  return [...top, ...fs.readdirSync(path.join(state, 'pending')), ...kept]
}
