/** A process of its own, to be killed or to compete: what it does is named by its first argument and detailed by the others. */
import fs from 'node:fs'
import { mortalFs } from './mortal-fs.js'

const [task, ...rest] = process.argv.slice(2)

/** Does the change of twelve files, and kills itself at the given operation. */
async function change(root: string, state: string, killAt: number): Promise<void> {
  const mortal = mortalFs({ die: () => process.kill(process.pid, 'SIGKILL') })
  mortal.dieAt(killAt)
  const { openDisk } = await import('./disk-engine.js')
  const { twelveFiles } = await import('../../core/change/faulty-disk.js')
  const engine = await openDisk({ root, state })
  await twelveFiles.act(engine)
  engine.close()
  console.log(mortal.revive().length)
}

/** Writes version after version into all files at once, and prints each that is done. */
async function flip(root: string, state: string, files: number, from: number): Promise<void> {
  const { openDisk } = await import('./disk-engine.js')
  const engine = await openDisk({ root, state })
  await engine.changes.recover()
  const paths = Array.from({ length: files }, (_, index) => `/file-${index}.txt`)
  for (let version = from; ; version += 1) {
    await engine.changes.run({ label: 'flip', scopes: paths.map((path) => ({ path })) }, async (draft) => {
      for (const path of paths) await draft.write(path, new TextEncoder().encode(`${version}\n`.repeat(version % 50)))
    })
    // At once, so that what was printed is known even when the process is killed right after.
    fs.writeSync(1, `${version}\n`)
  }
}

/** The same in a database, up to a version. Servers that compete for it write other names. */
async function flipDatabase(file: string, files: number, from: number, prefix: string, to: number): Promise<void> {
  const { openSqliteWorkspace } = await import('../../../node/workspace/sqlite-workspace.js')
  const { workspace, close } = await openSqliteWorkspace(file, {})
  const paths = Array.from({ length: files }, (_, index) => `/${prefix}-${index}.txt`)
  for (let version = from; version <= to; version += 1) {
    await workspace.changes.run({ label: 'flip', scopes: paths.map((path) => ({ path })) }, async (draft) => {
      for (const path of paths) await draft.write(path, new TextEncoder().encode(`${version}\n`.repeat(version % 50)))
    })
    fs.writeSync(1, `${version}\n`)
    // Lets the other server have its turn.
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
  close()
}

/** The same in a key-value store. */
async function flipStore(address: string, files: number, from: number, prefix: string): Promise<void> {
  const { openStoreWorkspaces } = await import('../../../node/workspace/store-workspace.js')
  const { workspace } = await openStoreWorkspaces(address, {})
  const paths = Array.from({ length: files }, (_, index) => `/${prefix}-${index}.txt`)
  for (let version = from; ; version += 1) {
    await workspace.changes.run({ label: 'flip', scopes: paths.map((path) => ({ path })) }, async (draft) => {
      for (const path of paths) await draft.write(path, new TextEncoder().encode(`${version}\n`.repeat(version % 50)))
    })
    fs.writeSync(1, `${version}\n`)
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}

/** Appends lines to a file in a key-value store, all at the same time. */
async function appendInStore(address: string, name: string, times: number): Promise<void> {
  const { openStoreWorkspaces } = await import('../../../node/workspace/store-workspace.js')
  const { appendLine } = await import('./disk-engine.js')
  const { workspace, close } = await openStoreWorkspaces(address, {})
  await Promise.all(Array.from({ length: times }, (_, index) => appendLine(workspace, `${name}-${index}`)))
  close()
}

/** Opens databases that a power cut left behind, and says what is in each: the versions of its files, or what is wrong. */
async function readDatabases(directory: string, files: number, prefix: string): Promise<void> {
  const { openSqliteWorkspace } = await import('../../../node/workspace/sqlite-workspace.js')
  const { openDatabaseFile } = await import('../../../node/workspace/sqlite-database.js')
  for (const name of fs.readdirSync(directory)) {
    const file = `${directory}/${name}/db`
    try {
      const { database, close } = openDatabaseFile(file)
      const [checked] = database.run('PRAGMA integrity_check', [])
      close()
      if (checked?.integrity_check !== 'ok') throw new Error(`damaged: ${checked?.integrity_check}`)
      const opened = await openSqliteWorkspace(file, {})
      await opened.workspace.changes.recover()
      const found = new Set<string>()
      for (let index = 0; index < files; index += 1) {
        const bytes = await opened.workspace.fs.readFile(`/${prefix}-${index}.txt`)
        found.add(new TextDecoder().decode(bytes).split('\n')[0] ?? '')
      }
      const history = await opened.workspace.changes.journal.history()
      console.log(JSON.stringify({ name, versions: [...found], changes: history.length }))
      opened.close()
    } catch (error) {
      console.log(JSON.stringify({ name, fault: String(error) }))
    }
  }
}

/** Adds one to a number in a file, many times, under the lock. */
async function increment(lock: string, counter: string, times: number): Promise<void> {
  const { fileLock } = await import('../../../node/locks/file-lock.js')
  const locks = fileLock(lock)
  for (let count = 0; count < times; count += 1) {
    await locks.hold([], async () => {
      const value = Number(fs.readFileSync(counter, 'utf8'))
      await new Promise(setImmediate)
      fs.writeFileSync(counter, String(value + 1))
    })
  }
}

/** Takes the lock, says so, and keeps it. */
async function hold(lock: string): Promise<void> {
  const { fileLock } = await import('../../../node/locks/file-lock.js')
  await fileLock(lock).hold([], async () => {
    console.log('held')
    await new Promise((resolve) => setTimeout(resolve, 600_000))
  })
}

/** Appends lines to one file, all at the same time. */
async function append(root: string, state: string, name: string, times: number): Promise<void> {
  const { openDisk, appendLine } = await import('./disk-engine.js')
  const engine = await openDisk({ root, state })
  await Promise.all(Array.from({ length: times }, (_, index) => appendLine(engine, `${name}-${index}`)))
  engine.close()
}

const [first = '', second = '', third = '', fourth = '', fifth = 'Infinity'] = rest
if (task === 'change') await change(first, second, Number(third))
else if (task === 'flip') await flip(first, second, Number(third), Number(fourth))
else if (task === 'flip-database') {
  await flipDatabase(first, Number(second), Number(third), fourth, Number(fifth))
} else if (task === 'flip-store') await flipStore(first, Number(second), Number(third), fourth)
else if (task === 'append-in-store') await appendInStore(first, second, Number(third))
else if (task === 'read-databases') await readDatabases(first, Number(second), third)
else if (task === 'increment') await increment(first, second, Number(third))
else if (task === 'hold') await hold(first)
else if (task === 'append') await append(first, second, third, Number(fourth))
else throw new Error(`no such task: ${task}`)
