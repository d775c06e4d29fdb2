/** Repeats the calls of a trace, without the model that made them. */
import { isDialectName, loadDialect } from '../../src/dialects/registry.js'
import { unifiedDiff } from '../../src/text/diff/unified-diff.js'
import { ToolProtocolError } from '../../src/tools/call-tool.js'
import { openEpisode } from '../episode/episode.js'
import { replayedNetwork } from '../episode/recorded-network.js'
import type { Episode, EpisodeOptions, Trace, TraceCall, TraceHeader } from '../types.js'
import { type ParsedTrace, parseTrace } from './trace.js'

export interface ReplayOptions
  extends Pick<EpisodeOptions, 'files' | 'shell' | 'env' | 'dialect' | 'network' | 'onEvent'> {
  /** How many calls to repeat. Default: all. */
  until?: number
}

/** A replay gave something else than the trace has. */
export class ReplayError extends Error {
  override readonly name = 'ReplayError'

  constructor(
    /** The call, from 1; 0 for the beginning. */
    readonly step: number,
    /** From what was recorded to what came out now. */
    readonly diff: string,
  ) {
    super(`${step === 0 ? 'The beginning' : `Call ${step}`} is not as recorded:\n${diff}`)
  }
}

/**
 * An episode in which the calls of a trace were made again, from where it can go on. Throws `ReplayError` at the first result or state
 * that is not as recorded; where programs of the machine ran, results may differ, and only states are compared. What commands ask of the network
 * is answered from the trace; `network` is for calls after it. Messages are repeated too; scores and the end are not.
 */
export async function replayTrace(recorded: string | ParsedTrace | Trace, options: ReplayOptions): Promise<Episode> {
  const { header, events } = typeof recorded === 'string' ? parseTrace(recorded) : recorded
  const { until = Infinity, ...given } = options
  const dialect = given.dialect ?? (isDialectName(header.dialect) ? await loadDialect(header.dialect) : undefined)
  if (dialect === undefined) {
    throw new TypeError(`The dialect ${header.dialect} of the trace is not one of ours: pass it as \`dialect\`.`)
  }
  const hasNetwork = header.network !== undefined || given.network !== undefined
  const network = replayedNetwork(header.network ?? [], given.network)
  const opened = { ...optionsOf(header), ...given, dialect, ...(hasNetwork && { network }) }
  const episode = await openEpisode(opened)
  expectSame(0, startOf(header), startOf(episode.trace.header))
  let step = 0
  for (const event of events) {
    if (event.type === 'message') episode.trace.add(event)
    if (event.type !== 'call') continue
    if (step === until) break
    step += 1
    network.expect(event.network ?? [])
    await repeat(episode, event)
    if (network.mismatch !== undefined) expectSame(step, network.mismatch.expected, network.mismatch.asked)
    const made = episode.trace.events.at(-1)
    const compared = header.tier === 'real' ? state : comparable
    expectSame(step, compared(event), made?.type === 'call' ? compared(made) : 'no call')
  }
  network.release()
  return episode
}

/** The options that a trace was recorded with, but for those that are not data. */
function optionsOf(header: TraceHeader): Omit<EpisodeOptions, 'files'> {
  const { task, tools, root, seed, startMs, stepMs, budget, limits, faults, env, maxStatements, maxBytes } = header
  return {
    root,
    seed,
    startMs,
    stepMs,
    budget,
    limits,
    ...(task !== undefined && { task }),
    ...(env && { env }),
    ...(maxStatements !== undefined && { maxStatements }),
    ...(maxBytes !== undefined && { maxBytes }),
    ...(tools !== undefined && { tools }),
    // It was written from such options.
    ...(faults !== undefined && { faults: faults as NonNullable<EpisodeOptions['faults']> }),
  }
}

async function repeat({ tools }: Episode, { tool, args }: TraceCall): Promise<void> {
  try {
    await tools.call(tool, args)
  } catch (error) {
    // It is in the trace.
    if (!(error instanceof ToolProtocolError)) throw error
  }
}

/** Another version may describe its tools in other words, so those are not compared. */
function startOf({ dialect, stateHash }: TraceHeader): unknown {
  return { dialect, stateHash }
}

function comparable({ tool, args, result, stateHash, network, faults }: TraceCall): unknown {
  return { tool, args, result, stateHash, network, faults }
}

function state({ tool, args, stateHash }: TraceCall): unknown {
  return { tool, args, stateHash }
}

function expectSame(step: number, before: unknown, after: unknown): void {
  const [old, now] = [printed(before), printed(after)]
  if (old === now) return
  throw new ReplayError(step, unifiedDiff({ path: `call-${step}`, before: old, after: now }))
}

/** With the lines of texts as lines, so that a difference is short. */
function printed(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2).replaceAll('\\n', '\n')}\n`
}
