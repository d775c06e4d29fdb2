import { sha256 } from '../../src/fs/digests/sha256.js'
import { type Trace, type TraceCall, type TraceEvent, type TraceHeader, traceFormat } from '../types.js'

/** A trace that calls can be added to. */
export interface RecordedTrace extends Trace {
  addCall(call: TraceCall): void
}

export interface TraceOptions {
  /** What was recorded before; the header is the first. */
  events: readonly [TraceHeader, ...TraceEvent[]]
  onAdd?: (event: TraceEvent) => void
}

export function recordedTrace({ events: given, onAdd }: TraceOptions): RecordedTrace {
  const events: TraceEvent[] = [...given]

  function push(event: TraceEvent): void {
    events.push(event)
    onAdd?.(event)
  }

  return {
    header: given[0],
    events,
    add: push,
    addCall: push,
    transcriptHash: () => transcriptHash(events),
    toJsonl: () => events.map((event) => `${JSON.stringify(event)}\n`).join(''),
  }
}

/** Covers everything but wall times. */
export function transcriptHash(events: readonly TraceEvent[]): string {
  const lines = events.map((event) => canonical({ ...event, wallMs: undefined }))
  return sha256(new TextEncoder().encode(lines.join('\n')))
}

/** JSON with sorted keys. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part) => {
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
  })
}

export interface ParsedTrace {
  header: TraceHeader
  /** All, the header first. */
  events: readonly [TraceHeader, ...TraceEvent[]]
  /** The last line was incomplete, as after a crash, and is left out. */
  truncated: boolean
}

/** A text that is not a trace. */
export class TraceError extends Error {
  override readonly name = 'TraceError'

  constructor(reason: string) {
    super(`This is not a trace: ${reason}.`)
  }
}

/** Reads `trace.jsonl`. Throws `TraceError`. */
export function parseTrace(text: string): ParsedTrace {
  const lines = text.split('\n')
  const last = lines.pop() ?? ''
  const events: TraceEvent[] = []
  for (const [index, line] of lines.entries()) events.push(parseLine(line, index + 1))
  const rest = last === '' ? undefined : tryParse(last)
  if (rest !== undefined) events.push(rest)
  const [header, ...others] = events
  if (header === undefined) throw new TraceError('it is empty')
  if (header.type !== 'header') throw new TraceError('the first line must be the header')
  if (header.format !== traceFormat) throw new TraceError(`its format is ${header.format}, not ${traceFormat}`)
  return { header, events: [header, ...others], truncated: last !== '' && rest === undefined }
}

function parseLine(line: string, number: number): TraceEvent {
  const event = tryParse(line)
  if (event === undefined) throw new TraceError(`line ${number} is not an event`)
  return event
}

function tryParse(line: string): TraceEvent | undefined {
  try {
    const event: unknown = JSON.parse(line)
    return isEvent(event) ? event : undefined
  } catch {
    return undefined
  }
}

/** Whether what a replay and scores read of it has the right type: a trace may come from anywhere. */
function isEvent(value: unknown): value is TraceEvent {
  if (!isObject(value)) return false
  const { type, format, task, dialect, root, seed, startMs, stepMs, budget, limits, env } = value
  const { text, tool, result, network, name, value: score, outcome, answer, reason } = value
  switch (type) {
    case 'header':
      // Another version may have other fields; its format is named by whoever parses it.
      if (format !== traceFormat) return typeof format === 'string'
      return (
        [dialect, root].every(isText) &&
        [task ?? '', ...Object.values(isObject(env) ? env : {})].every(isText) &&
        [seed, startMs, stepMs].every(Number.isFinite) &&
        [budget, limits, env ?? {}].every(isObject) &&
        (value.network === undefined || (Array.isArray(value.network) && value.network.every(isText)))
      )
    case 'message':
      return isText(text)
    case 'call':
      return isText(tool) && isObject(result) && (network === undefined || isExchanges(network))
    case 'score':
      return isText(name) && Number.isFinite(score)
    case 'end':
      return [outcome, answer ?? '', reason ?? ''].every(isText)
    default:
      return false
  }
}

function isExchanges(value: unknown): boolean {
  const isMessage = (message: unknown) =>
    isObject(message) && Array.isArray(message.headers) && [message.text ?? '', message.base64 ?? ''].every(isText)
  const isExchange = (each: unknown) =>
    isObject(each) &&
    isMessage(each.request) &&
    (each.answer === undefined ? isObject(each.failure) : isMessage(each.answer))
  return Array.isArray(value) && value.every(isExchange)
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
