/** The options of `node` about tests. */
import { ProgramError } from '../program-error.js'

export interface TestOptions {
  /** `--test`: files are found, and each is run by itself. */
  isRunner: boolean
  reporters: string[]
  destinations: string[]
  namePatterns: string[]
  only: boolean
  forceExit: boolean
  concurrency?: number
  timeout?: number
  shard?: { index: number; total: number }
  /** What the processes of the runner are given. */
  childArgs: string[]
}

export function noTests(): TestOptions {
  const none = { reporters: [], destinations: [], namePatterns: [], childArgs: [] }
  return { isRunner: false, only: false, forceExit: false, ...none }
}

/** False when the option is none of these. */
export function readTestOption(test: TestOptions, name: string, value: () => string): boolean {
  if (name === '--test') test.isRunner = true
  else if (name === '--test-only') test.only = true
  else if (name === '--test-force-exit') test.forceExit = true
  else if (name === '--test-reporter') test.reporters.push(value())
  else if (name === '--test-reporter-destination') test.destinations.push(value())
  else if (name === '--test-name-pattern') test.namePatterns.push(value())
  else if (name === '--test-concurrency') test.concurrency = number(name, value())
  else if (name === '--test-timeout') test.timeout = number(name, value())
  else if (name === '--test-shard') test.shard = shard(value())
  else return false
  return true
}

function number(name: string, text: string): number {
  if (!/^\d+$/.test(text)) throw new ProgramError(`${name} must be an unsigned integer`, 9)
  return Number(text)
}

function shard(text: string): { index: number; total: number } {
  const [, index, total] = /^(\d+)\/(\d+)$/.exec(text) ?? []
  if (index === undefined || Number(index) < 1 || Number(index) > Number(total)) {
    throw new ProgramError(`--test-shard must be <index>/<total>, and not '${text}'`, 9)
  }
  return { index: Number(index), total: Number(total) }
}
