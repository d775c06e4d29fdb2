/** The programs of this folder. They need an engine that the platform has, so the thread that runs commands makes them. */
import type { Program } from '../../io/program.js'
import { rawProgram } from '../define-program.js'
import { ProgramError } from '../program-error.js'

/** What runs them is loaded with the first. `load` finds the engine, and fails with a `ProgramError` where it is not installed. */
export function sqlitePrograms(load: () => Promise<WebAssembly.Module>): ReadonlyMap<string, Program> {
  let run: Promise<Program['run']> | undefined

  async function loaded(): Promise<Program['run']> {
    const [{ sqliteProgram }, module] = await Promise.all([import('./sqlite3.js'), load()])
    return sqliteProgram(module)
  }

  const program = rawProgram({
    name: 'sqlite3',
    async run(io) {
      run ??= loaded().catch((error) => {
        // It may be installed before the next call.
        run = undefined
        throw withoutEngine(error)
      })
      return (await io.clock.outside(run))(io)
    },
  })
  return new Map([['sqlite3', { ...program, group: 'data' }]])
}

/** A page may forbid WebAssembly. */
function withoutEngine(error: unknown): unknown {
  const isMissing = error instanceof WebAssembly.CompileError || error instanceof ReferenceError
  return isMissing
    ? new ProgramError(
        "needs WebAssembly; a page allows it with 'wasm-unsafe-eval' in the script-src of its Content-Security-Policy",
        2,
      )
    : error
}
