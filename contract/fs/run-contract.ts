/** The whole contract on one target, without a test runner: for a page, a worker, a script. */
import { join } from '../../src/fs/path.js'
import { contractCases } from './cases/index.js'
import { unmetNeed } from './needs.js'
import { runCase } from './run-case.js'
import type { ContractCase, ContractTarget } from './types.js'

/** Cases a target is known to fail, by name, each with the reason. */
export type Deviations = Readonly<Record<string, string>>

export interface ContractReport {
  passed: number
  skipped: number
  failed: number
  results: CaseResult[]
}

export type CaseResult =
  | { name: string; outcome: 'passed' }
  | { name: string; outcome: 'skipped'; reason: string }
  | { name: string; outcome: 'failed'; message: string }

/** Runs the cases one after the other, each in a directory of its own below the target's base. */
export async function runContract(
  target: ContractTarget,
  options: { deviations?: Deviations; cases?: readonly ContractCase[] } = {},
): Promise<ContractReport> {
  const { deviations = {}, cases = contractCases } = options
  const results: CaseResult[] = unknownDeviations(deviations).map((name) => ({
    name,
    outcome: 'failed',
    message: 'a deviation is declared for it, and there is no such case',
  }))
  for (const [index, contractCase] of cases.entries()) {
    const { name } = contractCase
    const reason = skipReason(target, contractCase, deviations)
    if (reason !== undefined) results.push({ name, outcome: 'skipped', reason })
    else results.push(await resultOf({ ...target, base: join(target.base, `case-${index}`) }, contractCase))
  }
  const count = (outcome: CaseResult['outcome']) => results.filter((result) => result.outcome === outcome).length
  return { passed: count('passed'), skipped: count('skipped'), failed: count('failed'), results }
}

/** Why a case is not run: the target lacks what it needs, or is declared to deviate. */
export function skipReason(
  target: ContractTarget,
  contractCase: ContractCase,
  deviations: Deviations,
): string | undefined {
  const unmet = unmetNeed(target, contractCase)
  if (unmet !== undefined) return unmet
  return Object.hasOwn(deviations, contractCase.name) ? `deviates: ${deviations[contractCase.name]}` : undefined
}

/** Declared deviations that name no case: misspelt, or left behind by a case that was renamed. */
export function unknownDeviations(deviations: Deviations): string[] {
  const names = new Set(contractCases.map(({ name }) => name))
  return Object.keys(deviations).filter((name) => !names.has(name))
}

async function resultOf(target: ContractTarget, contractCase: ContractCase): Promise<CaseResult> {
  const { name } = contractCase
  try {
    await runCase(target, contractCase)
    return { name, outcome: 'passed' }
  } catch (error) {
    return { name, outcome: 'failed', message: error instanceof Error ? error.message : String(error) }
  }
}
