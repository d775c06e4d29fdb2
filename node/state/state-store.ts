import path from 'node:path'
import { type Journal, storedJournal } from '../../src/change/journal/journal.js'
import { isFsError } from '../../src/errors.js'
import { type NodeFileSystem, type NodeFsOptions, nodeFs } from '../disk/node-fs.js'
import { type FileLock, fileLock } from '../locks/file-lock.js'
import { journalSeal } from './journal-key.js'
import { checkParts, makeOwn, stateDirectory } from './state-directory.js'

/** Each change blocks one of the four threads of Node's pool, and other work needs one too. */
const changesAtOnce = 3

/** Long enough for calls in a row, and short enough that a process rarely hangs while it holds the idle lock. */
const heldAfterUseMs = 20

/** The state of a root, stored outside it and shared by every server of that root. */
export interface StateStore {
  readonly directory: string
  readonly journal: Journal
  readonly locks: FileLock
  /** A directory in it for output that is too long for a result. */
  readonly outputs: NodeFileSystem
  close(): void
}

/** Opens the state of a root. If someone removes its directory, the history is gone and a new one begins. `home` is that of `stateDirectory`. */
export function openState(root: string, home: string | undefined, options: NodeFsOptions): Promise<StateStore> {
  return openStateIn(() => stateDirectory(root, home), options)
}

/** The same for any state directory. `locate` makes and checks it; it is called again if the directory was removed. */
export async function openStateIn(locate: () => string, options: NodeFsOptions): Promise<StateStore> {
  let opened = await open()

  async function open() {
    const store = nodeFs(locate(), options)
    try {
      checkParts(store.root)
      return { store, journal: await storedJournal(store, { seal: journalSeal(store.root) }) }
    } catch (error) {
      store.close()
      throw error
    }
  }

  let reopening: Promise<void> | undefined

  async function reopen() {
    const { store } = opened
    opened = await open()
    await store.close()
  }

  /** Called before every change, so a removed directory is detected here. Calls that detect it together open it once. */
  async function pending(except?: ReadonlySet<string>) {
    const { store, journal } = opened
    try {
      return await journal.pending(except)
    } catch (error) {
      if (!isFsError(error, 'NOT_FOUND')) throw error
      if (opened.store === store) {
        reopening ??= reopen().finally(() => {
          reopening = undefined
        })
        await reopening
      }
      return opened.journal.pending(except)
    }
  }

  const outputDirectory = path.join(opened.store.root, 'output')
  makeOwn(outputDirectory)
  // Output need not survive a power cut.
  const outputs = nodeFs(outputDirectory, { ...options, fsync: false })

  const lock = path.join(opened.store.root, 'lock')
  const locks = fileLock(lock, { together: changesAtOnce, idleMs: heldAfterUseMs })
  const { keep } = opened.journal
  return {
    outputs,
    directory: opened.store.root,
    journal: {
      begin: (record, contents) => opened.journal.begin(record, contents),
      ...(keep && { keep: async (record, contents) => opened.journal.keep?.(record, contents) }),
      commit: (id) => opened.journal.commit(id),
      withdraw: (id, from) => opened.journal.withdraw(id, from),
      finish: (record, from) => opened.journal.finish(record, from),
      abandon: (id) => opened.journal.abandon(id),
      pending,
      clean: () => opened.journal.clean(),
      corrupt: () => opened.journal.corrupt(),
      async add(record, contents) {
        await pending()
        await opened.journal.add(record, contents)
      },
      history: (newest, before) => opened.journal.history(newest, before),
      content: (id, hash) => opened.journal.content(id, hash),
      prune: (bounds) => opened.journal.prune(bounds),
      purge: (left) => opened.journal.purge(left),
    },
    locks,
    close() {
      locks.close()
      outputs.close()
      opened.store.close()
    },
  }
}
