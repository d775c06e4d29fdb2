/**
 * What a command has in memory: variables, arrays, and the data of programs that grow without end. Counted, because a browser neither bounds a
 * worker nor tells how much it has; a worker that takes more than there is ends the page.
 */
import type { AwkProgram, BashHooks, Interpreter, InterpreterState, ShellArray } from './bash-hooks.js'

/** Told once that there is more than there may be. It must not return. */
export type OnExceeded = () => never

/** An entry without its text. */
const entryBytes = 64
/** Shorter strings of a query are bounded by their number. */
const longString = 256
/** Evaluating one takes no longer than looking at the clock. */
const fewExpressions = 16
/** Between two counts, which take time themselves. */
const leastPauseMs = 10

export function memoryAccount(maxBytes: number, onExceeded: OnExceeded): BashHooks {
  /** Those that run, each inside the one before it: shells, subshells with what they took over, programs. */
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
    dueMs = endMs + Math.max(leastPauseMs, 2 * (endMs - startMs))
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
      if (expressions % fewExpressions === 0) take(program, 0, () => bytesOfAwk(program))
    },
    onQuery(made) {
      for (const value of made) {
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
