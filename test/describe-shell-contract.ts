import { describe, expect, test } from 'vitest'
import {
  runShellCase,
  type ShellCase,
  type ShellDeviations,
  type ShellTarget,
  shellCases,
  shellSkipReason,
  unknownShellDeviations,
} from '../contract/shell/index.js'

export interface DescribeShellOptions {
  /** Cases this engine is known to fail, by name, each with the reason. */
  deviations?: ShellDeviations
  /** All by default. */
  cases?: readonly ShellCase[]
}

export type DisposableShellTarget = ShellTarget & { dispose?: () => void | Promise<void> }

/** One test per case, each on a target of its own. */
export function describeShellContract(
  name: string,
  makeTarget: () => DisposableShellTarget | Promise<DisposableShellTarget>,
  { deviations = {}, cases = shellCases }: DescribeShellOptions = {},
): void {
  describe(`${name} keeps the shell contract`, () => {
    test('every declared deviation names a case', () => {
      expect(unknownShellDeviations(deviations)).toEqual([])
    })

    for (const shellCase of cases) {
      test(shellCase.name, async (context) => {
        const target = await makeTarget()
        try {
          const reason = shellSkipReason(target, shellCase, deviations)
          if (reason !== undefined) context.skip(reason)
          await runShellCase(target, shellCase)
        } finally {
          await target.dispose?.()
        }
      })
    }
  })
}
