import path from 'node:path'
import { type Journal, storedJournal } from '../../src/change/journal/journal.js'
import { isFsError } from '../../src/errors.js'
import { type NodeFileSystem, type NodeFsOptions, nodeFs } from '../disk/node-fs.js'
import { type FileLock, fileLock } from '../locks/file-lock.js'
import { journalSeal } from './journal-key.js'
import { makeOwn, stateDirectory } from './state-directory.js'

/** Each waits for the disk in a thread of the pool, of which there are four, and others need one as well. */
const changesAtOnce = 3

/** Long enough for calls that follow each other, and so short that a process that hangs just then is bad luck. */
const heldAfterUseMs = 20

/** What is kept of a root outside it, and shared by every server of that root. */
export interface StateStore {
  /** Where it is kept. */
  readonly directory: string
  readonly journal: Journal
  readonly locks: FileLock
  /** A directory in it for output that is too long for an answer. */
  readonly outputs: NodeFileSystem
  close(): void
}

/** Someone who removes the directory clears the history: it is made anew, for what is still to come. `home` is that of `stateDirectory`. */
export function openState(root: string, home: string | undefined, options: NodeFsOptions): Promise<StateStore> {
  return openStateIn(() => stateDirectory(root, home), options)
}

/** The same of any root. `locate` makes the directory and checks whose it is, whenever that has to be done. */
export async function openStateIn(locate: () => string, options: NodeFsOptions): Promise<StateStore> {
  let opened = await open()

  async function open() {
    const store = nodeFs(locate(), options)
    try {
      return { store, journal: await storedJournal(store, { seal: journalSeal(store.root) }) }
    } catch (error) {
      store.close()
      throw error
    }
  }

  /** Asked before every change, so that this is where it shows that the directory is gone. */
  async function pending(except?: ReadonlySet<string>) {
    try {
      return await opened.journal.pending(except)
    } catch (error) {
      if (!isFsError(error, 'NOT_FOUND')) throw error
      const { store } = opened
      opened = await open()
      store.close()
      return opened.journal.pending(except)
    }
  }

  const outputDirectory = path.join(opened.store.root, 'output')
  makeOwn(outputDirectory)
  // What a power cut takes of it nobody will miss.
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
