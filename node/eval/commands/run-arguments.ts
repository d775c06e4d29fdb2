/** The command line of `polyfs eval run`. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { checkFaultSchedule } from '../../../harness/episode/fault-schedule.js'
import type { RunSettings } from '../../../harness/run-types.js'
import type { Budget, FaultSchedule } from '../../../harness/types.js'
import { byteSize } from '../../terminal/byte-size.js'
import { UsageError } from '../../terminal/usage-error.js'
import { absoluteAgent } from '../agents/load-agent.js'
import { fraction, parseFlags, tierOf, wholeNumber } from '../flags.js'

export interface RunArguments {
  /** What was given of the settings; what was not is taken from the run that is resumed, or has its default. */
  given: GivenSettings
  out?: string
  resume: boolean
  parallel: number
  threads: number
  maxCost?: number
  failUnder?: number
  /** The address of a queue that others work on. */
  queue?: string
}

/** All settings but those that follow from others. */
export type GivenSettings = Partial<Omit<RunSettings, 'run' | 'suiteHash' | 'agentHash'>>

const flags = {
  agent: 'string',
  model: 'string',
  price: 'string',
  trials: 'string',
  parallel: 'string',
  threads: 'string',
  seed: 'string',
  'max-calls': 'string',
  'max-turns': 'string',
  'max-tokens': 'string',
  'max-cost': 'string',
  'max-episode-bytes': 'string',
  timeout: 'string',
  retries: 'string',
  faults: 'string',
  out: 'string',
  resume: 'boolean',
  'fail-under': 'string',
  queue: 'string',
  tier: 'string',
} as const

const budgetFlags = { calls: 'max-calls', turns: 'max-turns', tokens: 'max-tokens' } as const

export function parseRunArguments(argv: readonly string[]): RunArguments {
  const { values, positionals } = parseFlags(argv, flags)
  const { agent, model, out, resume = false, queue } = values
  const number = (flag: keyof typeof values & string, least?: number) => {
    const given = values[flag]
    return typeof given === 'string' ? wholeNumber(flag, given, least) : undefined
  }
  if (positionals.some((suite) => suite === '')) throw new UsageError('the path of a suite is empty')
  if (positionals.length === 0 && !resume) throw new UsageError('no suite to run; name a directory with tasks')
  if (resume && out === undefined) throw new UsageError('--resume requires --out, the directory of the run')
  if (out === '') throw new UsageError('--out takes a directory')
  if (queue !== undefined && (values.parallel !== undefined || values.threads !== undefined)) {
    throw new UsageError('--parallel and --threads do not go with --queue, whose workers run the episodes')
  }
  const budget = budgetOf(number)
  const threads = number('threads', 0) ?? 0
  const seconds = number('timeout')
  const [trials, seed, retries] = [number('trials'), number('seed', 0), number('retries', 0)]
  const given: GivenSettings = {
    ...(positionals.length > 0 && { suites: positionals.map((suite) => path.resolve(suite)) }),
    ...(agent !== undefined && { agent: absoluteAgent(agent) }),
    ...(model !== undefined && { model }),
    ...(values.price !== undefined && { prices: pricesOf(values.price) }),
    ...(trials !== undefined && { trials }),
    ...(seed !== undefined && { seed }),
    ...(Object.keys(budget).length > 0 && { budget }),
    ...(values.faults !== undefined && { faults: readFaults(values.faults) }),
    ...(retries !== undefined && { retries }),
    ...tierOf(values.tier),
    ...(values['max-episode-bytes'] !== undefined && {
      maxBytes: byteSize('max-episode-bytes', values['max-episode-bytes']),
    }),
    ...(seconds !== undefined && { maxWallMs: seconds * 1000 }),
  }
  return {
    given,
    ...(out !== undefined && { out }),
    resume,
    parallel: number('parallel') ?? Math.max(threads, 4),
    threads,
    ...(values['max-cost'] !== undefined && { maxCost: fraction('max-cost', values['max-cost']) }),
    ...(values['fail-under'] !== undefined && { failUnder: fraction('fail-under', values['fail-under'], 1) }),
    ...(queue !== undefined && { queue }),
  }
}

type NumberOf = (flag: (typeof budgetFlags)[keyof typeof budgetFlags]) => number | undefined

function budgetOf(number: NumberOf): Partial<Budget> {
  const budget: Partial<Budget> = {}
  for (const name of ['calls', 'turns', 'tokens'] as const) {
    const given = number(budgetFlags[name])
    if (given !== undefined) budget[name] = given
  }
  return budget
}

function pricesOf(given: string): NonNullable<RunSettings['prices']> {
  const prices = given.split(',')
  const [input = '', output = '', cached] = prices
  if (prices.length < 2 || prices.length > 3) {
    throw new UsageError(`--price takes two or three numbers, as in 3,15 or 3,15,0.3, not '${given}'`)
  }
  return {
    input: fraction('price', input),
    output: fraction('price', output),
    ...(cached !== undefined && { cached: fraction('price', cached) }),
  }
}

function readFaults(file: string): FaultSchedule {
  let content: unknown
  try {
    content = JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new UsageError(`--faults ${file}: ${error instanceof Error ? error.message : String(error)}`)
  }
  try {
    return checkFaultSchedule(content)
  } catch (error) {
    throw new UsageError(`--faults ${file}: ${error instanceof Error ? error.message : String(error)}`)
  }
}
