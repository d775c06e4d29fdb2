/** The contract of `Shell`, as cases that any test runner, page or worker can run. */
export { shellCases } from './cases/index.js'
export { type ShellDeviations, shellSkipReason, unknownShellDeviations } from './needs.js'
export { runShellCase } from './run-case.js'
export { runShellContract, type ShellCaseResult } from './run-contract.js'
export type { ShellCase, ShellStep, ShellTarget } from './types.js'
