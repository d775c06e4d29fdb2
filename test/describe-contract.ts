import { describe, expect, test } from 'vitest'
import { limits } from '../contract/fs/cases/limits.js'
import {
  type ContractCase,
  type ContractTarget,
  contractCases,
  type Deviations,
  runCase,
  skipReason,
  unknownDeviations,
} from '../contract/fs/index.js'
import { isFull, onlyInFull, sample } from './scale.js'

export interface DescribeOptions {
  /** Cases this backend is known to fail, by name, each with the reason. */
  deviations?: Deviations
  /** For one that is slow: skips the cases about large files and directories by default. */
  skipsLimits?: boolean
  /** For a second way to a file system that is tested on its own: plays a part of the other cases by default. */
  isSampled?: boolean
}

/** `dispose` frees what the target holds after a case. */
export type DisposableTarget = ContractTarget & { dispose?: () => void | Promise<void> }

/** For a wrapper around a file system that is tested on its own. */
export function describeWrapperContract(
  name: string,
  makeTarget: () => DisposableTarget | Promise<DisposableTarget>,
): void {
  describeContract(name, makeTarget, { skipsLimits: true, isSampled: true })
}

/** One test per case, each on a target of its own. */
export function describeContract(
  name: string,
  makeTarget: () => DisposableTarget | Promise<DisposableTarget>,
  { deviations = {}, skipsLimits = false, isSampled = false }: DescribeOptions = {},
): void {
  describe(`${name} keeps the contract`, () => {
    test('every declared deviation names a case', () => {
      expect(unknownDeviations(deviations)).toEqual([])
    })

    const played = new Set(isSampled ? sampleOf(name) : contractCases)
    for (const contractCase of contractCases) {
      test(contractCase.name, async (context) => {
        if (skipsLimits && !isFull && limits.includes(contractCase)) context.skip(onlyInFull)
        if (!played.has(contractCase)) context.skip(onlyInFull)
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

/** Every fifth case by default; from another one for each name, so that all wrappers together play all of them. */
export function sampleOf(name: string): ContractCase[] {
  return sample([...contractCases.slice(name.length % 5), ...contractCases.slice(0, name.length % 5)], { every: 5 })
}
