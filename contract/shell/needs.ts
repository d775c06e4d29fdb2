/** What a case needs of a shell, partly derived from its content. */
import type { ShellCapabilities } from '../../src/shell/types.js'
import { shellCases } from './cases/index.js'
import type { ShellCase, ShellTarget } from './types.js'

/** Cases an engine is known to fail, by name, each with the reason. */
export type ShellDeviations = Readonly<Record<string, string>>

/** Why a case is not run: the shell lacks what it needs, or is declared to deviate. */
export function shellSkipReason(
  { shell }: ShellTarget,
  shellCase: ShellCase,
  deviations: ShellDeviations,
): string | undefined {
  for (const [flag, value] of Object.entries(needsOf(shellCase))) {
    const actual = shell.capabilities[flag as keyof ShellCapabilities]
    if (actual !== value) return `needs ${flag}: ${value}, and here it is ${actual}`
  }
  return Object.hasOwn(deviations, shellCase.name) ? `deviates: ${deviations[shellCase.name]}` : undefined
}

/** Declared deviations that name no case. */
export function unknownShellDeviations(deviations: ShellDeviations): string[] {
  const names = new Set(shellCases.map(({ name }) => name))
  return Object.keys(deviations).filter((name) => !names.has(name))
}

function needsOf({ needs, steps, tree, after }: ShellCase): Partial<ShellCapabilities> {
  const touchesFiles =
    tree !== undefined || after !== undefined || steps.some((step) => 'file' in step || 'abortWhen' in step)
  return {
    posix: true,
    ...(steps.some((step) => 'run' in step && step.stderr !== undefined) && { separateStreams: true }),
    ...(steps.some((step) => 'run' in step && step.signal !== undefined) && { signals: true }),
    ...(touchesFiles && { sharesFiles: true }),
    ...needs,
  }
}
