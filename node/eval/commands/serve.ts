/** `polyfs eval serve`. */
import { version } from '../../../src/version.js'
import { tokenFrom } from '../../serve/token.js'
import { byteSize } from '../../terminal/byte-size.js'
import { parseAddress } from '../../terminal/parse-address.js'
import { UsageError } from '../../terminal/usage-error.js'
import type { EvalCommand, EvalPlace } from '../command.js'
import { parseFlags, tierOf, wholeNumber } from '../flags.js'
import { sharedShell } from '../runner.js'
import { type EpisodeServer, serveEpisodes } from '../serve/server.js'
import { loadSuites } from '../suites.js'
import { untilStopped } from '../until-stopped.js'

export { serveHelp as help } from '../help.js'

const flags = {
  http: 'string',
  'token-file': 'string',
  'allow-host': 'string',
  'max-episodes': 'string',
  idle: 'string',
  'max-calls': 'string',
  'max-memory-bytes': 'string',
  'max-episode-bytes': 'string',
  parallel: 'string',
  tier: 'string',
} as const

export const run: EvalCommand = async (argv, place) => {
  const { values, positionals } = parseFlags(argv, flags)
  if (positionals.length === 0) throw new UsageError('no suite: name a directory of tasks')
  if (values.http === undefined) throw new UsageError('--http [HOST:]PORT is missing')
  const number = (flag: keyof typeof flags) => {
    const given = values[flag]
    return given === undefined ? undefined : wholeNumber(flag, given)
  }
  const [maxEpisodes, idleMinutes, calls] = [number('max-episodes'), number('idle'), number('max-calls')]
  const bytes = (flag: 'max-memory-bytes' | 'max-episode-bytes') =>
    values[flag] === undefined ? undefined : byteSize(flag, values[flag])
  const [maxMemoryBytes, maxBytes] = [bytes('max-memory-bytes'), bytes('max-episode-bytes')]
  const shell = sharedShell({
    commandWorker: place.commandWorker,
    parallel: number('parallel') ?? 2,
    ...tierOf(values.tier),
  })
  const address = parseAddress(values.http)
  const token = tokenOf(values['token-file'])
  const suite = await loadSuites(positionals)
  const server = await serveEpisodes({
    ...address,
    suite,
    shell,
    ...(token !== undefined && { token }),
    ...(values['allow-host'] !== undefined && { allowHosts: values['allow-host'].split(',') }),
    ...(maxEpisodes !== undefined && { maxEpisodes }),
    ...(idleMinutes !== undefined && { idleMs: idleMinutes * 60_000 }),
    ...(calls !== undefined && { budget: { calls } }),
    ...(maxMemoryBytes !== undefined && { maxMemoryBytes }),
    ...(maxBytes !== undefined && { maxBytes }),
    onFault: (fault) => place.warn(fault instanceof Error ? (fault.stack ?? fault.message) : String(fault)),
  }).catch(explained)
  announce(server, suite, place)
  await untilStopped()
  await server.close()
  return 0
}

function tokenOf(file: string | undefined): string | undefined {
  try {
    return tokenFrom(file)
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

/** An address that can't be used is a mistake in the command. */
function explained(error: unknown): never {
  if (error instanceof Error && 'code' in error) throw new UsageError(error.message)
  throw error
}

function announce(
  { url, token }: EpisodeServer,
  suite: Awaited<ReturnType<typeof loadSuites>>,
  place: EvalPlace,
): void {
  const count = suite.tasks.length
  const header = token === undefined ? '' : `Every request needs the header: Authorization: Bearer ${token}\n`
  place.write(
    `polyfs ${version} serves ${count} ${count === 1 ? 'task' : 'tasks'} at ${url}\n${header}Stop with Ctrl-C.\n`,
  )
  for (const { id, skipped } of suite.skipped) place.warn(`skipped ${id}: ${skipped}`)
}
