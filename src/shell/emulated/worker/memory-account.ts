/**
 * Counts a command's memory: variables, arrays, and the data of programs that grow without limit. It has to be counted,
 * because a browser neither limits nor reports a worker's memory, and a worker that uses too much crashes the page.
 */
import type { AwkProgram, BashHooks, Interpreter, InterpreterState, ShellArray } from './bash-hooks.js'

/** Called once when the limit is exceeded. It must not return. */
export type OnExceeded = () => never

/** The cost of an entry without its text. */
const entryBytes = 64
/** Shorter strings are not counted: their number is limited. */
const longString = 256
/** How many expressions are evaluated between two checks of the clock. */
const expressionsPerCheck = 16
/** Minimum time between two counts, which take time themselves. */
const minPauseMs = 10

export function memoryAccount(maxBytes: number, onExceeded: OnExceeded): BashHooks {
  /** Everything that runs, each nested in the previous one: shells, subshells with their copies, programs. */
  let holders: Array<{ owner: object; pid: number; bytes: number }> = []
  let queryBytes = 0
  let dueMs = 0
  let expressions = 0

  function take(owner: object, pid: number, count: () => number): void {
    const startMs = performance.now()
    const last = holders.at(-1)
    if (startMs < dueMs && last?.owner === owner && last.pid === pid) return
    const known = holders.findIndex((holder) => holder.owner === owner && holder.pid === pid)
    if (known >= 0) holders.length = known
    const bytes = count()
    holders = [...holders, { owner, pid, bytes }]
    const endMs = performance.now()
    dueMs = endMs + Math.max(minPauseMs, 2 * (endMs - startMs))
    if (holders.reduce((sum, holder) => sum + holder.bytes, 0) > maxBytes) onExceeded()
  }

  return {
    onStatement(interpreter: Interpreter) {
      queryBytes = 0
      const { state } = interpreter.ctx
      take(interpreter, state.bashPid, () => bytesOfShell(state))
    },
    onAwk(program) {
      expressions += 1
      if (expressions % expressionsPerCheck === 0) take(program, 0, () => bytesOfAwk(program))
    },
    onQuery(results) {
      for (const value of results) {
        if (typeof value === 'string' && value.length >= longString) queryBytes += value.length
      }
      if (queryBytes > maxBytes) onExceeded()
    },
  }
}

function bytesOfShell(state: InterpreterState): number {
  const { env, arrays, localScopes, localArrayScopes = [], fileDescriptors } = state
  let bytes = bytesOfEntries(env) + (fileDescriptors ? bytesOfEntries(fileDescriptors) : 0)
  for (const scope of localScopes) bytes += bytesOfEntries(scope)
  for (const scope of [arrays, ...localArrayScopes]) if (scope) bytes += bytesOfArrays(scope)
  return bytes
}

function bytesOfArrays(arrays: ReadonlyMap<string, ShellArray | undefined>): number {
  let bytes = 0
  for (const array of arrays.values()) if (array) bytes += entryBytes + bytesOfEntries(array.elements)
  return bytes
}

function bytesOfEntries(entries: ReadonlyMap<string | number, string | undefined>): number {
  let bytes = entries.size * entryBytes
  for (const value of entries.values()) bytes += value?.length ?? 0
  return bytes
}

function bytesOfAwk({ vars, arrays, output }: AwkProgram): number {
  let bytes = output.length
  for (const record of [vars, ...Object.values(arrays)]) {
    for (const name in record) {
      const value = record[name]
      bytes += entryBytes + (typeof value === 'string' ? value.length : 0)
    }
  }
  return bytes
}
