import { describe, expect, test } from 'vitest'
import { limits } from '../contract/fs/cases/limits.js'
import {
  type ContractTarget,
  contractCases,
  type Deviations,
  runCase,
  skipReason,
  unknownDeviations,
} from '../contract/fs/index.js'
import { isFull, onlyInFull } from './scale.js'

export interface DescribeOptions {
  /** Cases this backend is known to fail, by name, each with the reason. */
  deviations?: Deviations
  /** For a wrapper around a file system that is tested on its own, and for one that is slow. */
  skipsLimits?: boolean
}

/** `dispose` frees what the target holds after a case. */
export type DisposableTarget = ContractTarget & { dispose?: () => void | Promise<void> }

/**
 * For a wrapper around a file system that is tested on its own. By default it skips the cases about large files and
 * directories.
 */
export function describeWrapperContract(
  name: string,
  makeTarget: () => DisposableTarget | Promise<DisposableTarget>,
): void {
  describeContract(name, makeTarget, { skipsLimits: true })
}

/** One test per case, each on a target of its own. */
export function describeContract(
  name: string,
  makeTarget: () => DisposableTarget | Promise<DisposableTarget>,
  { deviations = {}, skipsLimits = false }: DescribeOptions = {},
): void {
  describe(`${name} keeps the contract`, () => {
    test('every declared deviation names a case', () => {
      expect(unknownDeviations(deviations)).toEqual([])
    })

    for (const contractCase of contractCases) {
      test(contractCase.name, async (context) => {
        if (skipsLimits && !isFull && limits.includes(contractCase)) context.skip(onlyInFull)
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
