import type { GitContext } from '../context.js'

/** Prints what a merge says: after the errors before it, and before those that follow. */
export function printNow({ out, err }: GitContext, lines: readonly string[]): void {
  for (const line of lines) out.write(`${line}\n`)
  err.flush()
  out.flush()
}
