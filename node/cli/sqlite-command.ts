/** `polyfs sqlite FILE …`: what is in a database, and what can be done with its workspaces. */
import { existsSync } from 'node:fs'
import { isFsError } from '../../src/errors.js'
import type { SqliteWorkspaces } from '../../src/fs/backends/sqlite/workspaces.js'
import { UsageError } from '../terminal/usage-error.js'
import { explained, openWorkspaces } from '../workspace/sqlite-workspace.js'

export interface SqliteRequest {
  file: string
  action: string
  names: readonly string[]
  write: (line: string) => void
}

/** Each action with the names that it takes. */
const actions = {
  list: [],
  diff: ['A', 'B'],
  gc: [],
  fork: ['FROM', 'NAME'],
  snapshot: ['FROM', 'NAME'],
  restore: ['NAME', 'SNAPSHOT'],
  drop: ['NAME'],
} as const

export function runSqliteCommand({ file, action, names, write }: SqliteRequest): void {
  if (!isAction(action))
    throw new UsageError(`'polyfs sqlite FILE' takes ${Object.keys(actions).join(', ')}, not '${action}'`)
  const wanted = actions[action]
  if (names.length !== wanted.length) throw new UsageError(`usage: polyfs sqlite FILE ${[action, ...wanted].join(' ')}`)
  if (!existsSync(file)) throw new UsageError(`no such file: ${file}`)
  const { workspaces, vacuum, close } = openWorkspaces(file)
  try {
    explained(file, () => perform(workspaces, action, names, write))
    if (action === 'gc') vacuum()
  } catch (error) {
    if (isFsError(error, 'NOT_FOUND')) throw new UsageError(`no workspace or snapshot is called '${error.facts.path}'`)
    if (isFsError(error, 'EXISTS'))
      throw new UsageError(`there is a workspace or snapshot called '${error.facts.path}' already`)
    throw error
  } finally {
    close()
  }
}

function perform(
  workspaces: SqliteWorkspaces,
  action: keyof typeof actions,
  [first = '', second = '']: readonly string[],
  write: (line: string) => void,
): void {
  // Opening would make a workspace that is missing.
  const existing = (name: string) => {
    workspaces.diff(name, name)
    return workspaces.open(name)
  }
  if (action === 'list') for (const line of listed(workspaces)) write(line)
  else if (action === 'diff') {
    for (const { path, change } of workspaces.diff(first, second)) write(`${change.slice(0, 1).toUpperCase()} ${path}`)
  } else if (action === 'fork') existing(first).fork(second)
  else if (action === 'snapshot') existing(first).snapshot(second)
  else if (action === 'restore') existing(first).restore(second)
  else if (action === 'drop') workspaces.drop(first)
  else {
    const { contents, bytes, entries } = workspaces.gc()
    write(`removed ${contents} contents (${bytes} bytes) and ${entries} entries`)
  }
}

function listed(workspaces: SqliteWorkspaces): string[] {
  const all = workspaces.list()
  const width = Math.max(0, ...all.map(({ name }) => name.length))
  return all.map(({ name, kind, origin, createdMs }) => {
    const from = origin === undefined ? '' : `  of ${origin}`
    return `${name.padEnd(width)}  ${kind.padEnd(9)}  ${new Date(createdMs).toISOString()}${from}`
  })
}

function isAction(action: string): action is keyof typeof actions {
  return Object.hasOwn(actions, action)
}
