/** Deletes the stored content of a path from the state of all roots. */

import fs from 'node:fs'
import path from 'node:path'
import { purgedRecords } from '../../src/change/history/purge.js'
import { type ChangeRecord, pathsOf } from '../../src/change/journal/record.js'
import { outputPlace } from '../../src/fs/output-directory.js'
import { isWithin } from '../../src/fs/path.js'
import { minuteText } from '../../src/text/calendar.js'
import { toVirtual } from '../disk/host-path.js'
import { makeOwn, stateHomes } from '../state/state-directory.js'
import { openStateIn, type StateStore } from '../state/state-store.js'
import { openDirectories } from './directory-workspace.js'

export interface PurgeRequest {
  /** Interrupted changes of this root are recovered first. Without a path, everything stored of the root is deleted. */
  root?: string
  /** Relative to the root, if there is one. It need not exist any more. */
  path?: string
  /** False only lists what would be deleted. */
  confirmed: boolean
  write(line: string): void
}

/**
 * Roots may be nested and each has a journal, so all journals are searched. Running servers wait meanwhile. False if some content could not
 * be deleted; the reason is written.
 */
export async function purgeStates({ root, path: given, confirmed, write }: PurgeRequest): Promise<boolean> {
  if (root !== undefined) await recover(root)
  const paths = given === undefined && root === undefined ? undefined : namesOf(path.resolve(root ?? '.', given ?? '.'))
  const states = await openStates()
  try {
    return await holdingAll(states, async () => {
      const records = await Promise.all(states.map(({ journal }) => journal.history()))
      const inOrder = records.flat().sort((a, b) => (a.id < b.id ? -1 : 1))
      const left = paths === undefined ? undefined : purgedRecords(inOrder, paths)
      const purged = inOrder.filter(({ id }) => left === undefined || left.has(id))
      for (const record of purged) write(describeRecord(record))
      const unfinished = (await Promise.all(states.map(({ journal }) => journal.pending())))
        .flat()
        .filter(({ record }) => concerns(record, paths))
      if (unfinished.length > 0) {
        write(
          `${counted(unfinished.length)} was cut off by a crash and holds it too; start polyfs once on that directory, then purge again`,
        )
      }
      if (!confirmed) {
        write(`${counted(purged.length)} and all long output would be purged; add --yes to do it`)
        return unfinished.length === 0
      }
      for (const { journal, outputs } of states) {
        await journal.purge((record) => (left === undefined ? undefined : (left.get(record.id) ?? record)))
        await outputPlace({ store: outputs, path: '/' }).clear()
      }
      write(`purged ${counted(purged.length)} and all long output; the files are as they were`)
      return unfinished.length === 0
    })
  } finally {
    for (const state of states) state.close()
  }
}

async function recover(root: string): Promise<void> {
  const workspace = await openDirectories([{ directory: root, access: 'read-write' }], { commands: false })
  try {
    await workspace.ready
  } finally {
    workspace.close()
  }
}

/** The path as given, and with its links resolved, also if it does not exist. */
function namesOf(file: string): string[] {
  const real = realName(file)
  return [...new Set([file, real].map((name) => toVirtual(name)))]
}

function realName(file: string): string {
  try {
    return fs.realpathSync.native(file)
  } catch {
    const above = path.dirname(file)
    return above === file ? file : path.join(realName(above), path.basename(file))
  }
}

async function openStates(): Promise<StateStore[]> {
  const directories = stateHomes(undefined).flatMap((home) =>
    fs.existsSync(home) ? fs.readdirSync(home).map((name) => path.join(home, name)) : [],
  )
  const own = directories.filter((directory) => /^[0-9a-f]{24}$/.test(path.basename(directory)))
  const opened: StateStore[] = []
  for (const directory of own) {
    const locate = () => {
      makeOwn(directory)
      return directory
    }
    opened.push(await openStateIn(locate, {}))
  }
  return opened
}

/** Takes all locks in one order, so that two purges do not deadlock. */
function holdingAll<Result>(states: readonly StateStore[], run: () => Promise<Result>): Promise<Result> {
  const all = [{ path: '/', tree: true }]
  return states.reduceRight<() => Promise<Result>>(
    (inner, { locks }) =>
      () =>
        locks.hold(all, inner),
    run,
  )()
}

function concerns({ steps }: ChangeRecord, paths: readonly string[] | undefined): boolean {
  if (paths === undefined) return true
  return steps.flatMap(pathsOf).some((at) => paths.some((one) => isWithin(one, at)))
}

const mostShown = 3

function describeRecord({ atMs, label, steps, checkpoint }: ChangeRecord): string {
  const at = minuteText(atMs)
  if (checkpoint !== undefined) return `${at}  checkpoint ${JSON.stringify(checkpoint)}`
  const named = steps.slice(0, mostShown).map((step) => JSON.stringify(step.path))
  return `${at}  ${JSON.stringify(label)}  ${named.join(', ')}${steps.length > mostShown ? `, ${steps.length - mostShown} more` : ''}`
}

function counted(changes: number): string {
  return `${changes} ${changes === 1 ? 'change' : 'changes'}`
}
