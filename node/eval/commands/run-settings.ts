/** What a run is: from the command line, and from the run that is resumed. */
import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { RunSettings } from '../../../harness/run-types.js'
import { version } from '../../../src/version.js'
import { UsageError } from '../../terminal/usage-error.js'
import { hashAgent } from '../agents/load-agent.js'
import type { RunFile } from '../results/run-directory.js'
import { hashSuites } from '../suites.js'
import type { GivenSettings } from './run-arguments.js'

const defaults = { agent: 'oracle', trials: 1, seed: 1, budget: {}, retries: 2 }

export function newSettings(given: GivenSettings): RunSettings {
  const { suites } = given
  if (suites === undefined) throw new UsageError('no suite to run; name a directory with tasks')
  const settings = { ...defaults, ...given, suites }
  return {
    run: randomUUID(),
    ...settings,
    suiteHash: hashSuites(suites),
    ...agentHashOf(settings.agent),
  }
}

/** The settings of the run in `directory`. Throws a `UsageError` that lists what differs from what was given, or has changed since. */
export function resumedSettings(given: GivenSettings, file: RunFile, directory: string): RunSettings {
  const settings = { ...file.settings, suites: given.suites ?? file.settings.suites }
  const differences = [
    ...differingFlags(given, file.settings),
    ...(file.version === version ? [] : [`it was begun with polyfs ${file.version}, this is ${version}`]),
    ...(hashSuites(settings.suites) === settings.suiteHash
      ? []
      : [`the tasks in ${settings.suites.join(', ')} differ`]),
    ...(agentHashOf(settings.agent).agentHash === settings.agentHash ? [] : [`the file of the agent has changed`]),
  ]
  if (differences.length === 0) return settings
  throw new UsageError(
    `the run in ${directory} can't be resumed: ${differences.join('; ')}. Name another directory with --out for a new run`,
  )
}

function agentHashOf(agent: string): { agentHash?: string } {
  const agentHash = hashAgent(agent)
  return agentHash === undefined ? {} : { agentHash }
}

const flagOf = {
  agent: 'agent',
  model: 'model',
  prices: 'price',
  trials: 'trials',
  seed: 'seed',
  faults: 'faults',
  tier: 'tier',
  retries: 'retries',
  maxWallMs: 'timeout',
  maxBytes: 'max-episode-bytes',
} as const

/** Only what was given: the rest is that of the run. */
function differingFlags(given: GivenSettings, settings: RunSettings): string[] {
  const names = Object.keys(flagOf) as (keyof typeof flagOf)[]
  const plain = names
    .filter((name) => given[name] !== undefined && !isDeepStrictEqual(given[name], settings[name]))
    .map((name) => differing(flagOf[name], given[name], settings[name]))
  const budget = (['calls', 'turns', 'tokens'] as const)
    .filter((name) => given.budget?.[name] !== undefined && given.budget[name] !== settings.budget[name])
    .map((name) => differing(`max-${name}`, given.budget?.[name], settings.budget[name]))
  return [...plain, ...budget]
}

function differing(flag: string, given: unknown, before: unknown): string {
  const shown = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))
  return `--${flag} is ${shown(given)}, but was ${before === undefined ? 'not given' : shown(before)}`
}
