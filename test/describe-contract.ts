import { describe, expect, test } from 'vitest'
import {
  type ContractTarget,
  contractCases,
  type Deviations,
  runCase,
  skipReason,
  unknownDeviations,
} from '../contract/fs/index.js'

export interface DescribeOptions {
  /** Cases this backend is known to fail, by name, each with the reason. */
  deviations?: Deviations
}

/** A target, and what gives back what it holds once the case is over. */
export type DisposableTarget = ContractTarget & { dispose?: () => void | Promise<void> }

/** One test per case, each on a target of its own. */
export function describeContract(
  name: string,
  makeTarget: () => DisposableTarget | Promise<DisposableTarget>,
  { deviations = {} }: DescribeOptions = {},
): void {
  describe(`${name} keeps the contract`, () => {
    test('every declared deviation names a case', () => {
      expect(unknownDeviations(deviations)).toEqual([])
    })

    for (const contractCase of contractCases) {
      test(contractCase.name, async (context) => {
        const target = await makeTarget()
        try {
          const reason = skipReason(target, contractCase, deviations)
          if (reason !== undefined) context.skip(reason)
          await runCase(target, contractCase)
        } finally {
          await target.dispose?.()
        }
      })
    }
  })
}
