/** The whole shell contract on one target, without a test runner: for a page, a worker, a script. */
import { join } from '../../src/fs/path.js'
import { shellCases } from './cases/index.js'
import { type ShellDeviations, shellSkipReason, unknownShellDeviations } from './needs.js'
import { runShellCase } from './run-case.js'
import type { ShellCase, ShellTarget } from './types.js'

export type ShellCaseResult =
  | { name: string; outcome: 'passed' }
  | { name: string; outcome: 'skipped'; reason: string }
  | { name: string; outcome: 'failed'; message: string }

/** Runs the cases one after the other, each in a directory of its own below the target's base. */
export async function runShellContract(
  target: ShellTarget,
  options: { deviations?: ShellDeviations; cases?: readonly ShellCase[] } = {},
): Promise<ShellCaseResult[]> {
  const { deviations = {}, cases = shellCases } = options
  const results: ShellCaseResult[] = unknownShellDeviations(deviations).map((name) => ({
    name,
    outcome: 'failed',
    message: 'a deviation is declared for it, and there is no such case',
  }))
  for (const [index, shellCase] of cases.entries()) {
    const { name } = shellCase
    const reason = shellSkipReason(target, shellCase, deviations)
    if (reason !== undefined) results.push({ name, outcome: 'skipped', reason })
    else results.push(await resultOf({ ...target, base: join(target.base, `case-${index}`) }, shellCase))
  }
  return results
}

async function resultOf(target: ShellTarget, shellCase: ShellCase): Promise<ShellCaseResult> {
  const { name } = shellCase
  try {
    await runShellCase(target, shellCase)
    return { name, outcome: 'passed' }
  } catch (error) {
    return { name, outcome: 'failed', message: error instanceof Error ? error.message : String(error) }
  }
}
