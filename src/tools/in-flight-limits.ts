import { FsError } from '../errors.js'
import type { Dialect, Tool } from './dialect.js'
import { overrideTool } from './make-tool.js'

export interface InFlightLimits {
  /** How many calls run concurrently; the others wait. */
  calls: number
  /** How many of them may be calls of one tool, so that slow calls of one leave room for others. */
  ofOneTool: number
}

/**
 * The same dialect with a bounded number of concurrent calls. Waiting calls start tool by tool in turn, so that a read does not wait behind
 * a thousand searches. A call that is cancelled while it waits never runs.
 */
export function boundedInFlight(dialect: Dialect, { calls, ofOneTool }: InFlightLimits): Dialect {
  const waiting = new Map<string, Array<() => void>>()
  const running = new Map<string, number>()
  let total = 0

  function enter(tool: string): boolean {
    const own = running.get(tool) ?? 0
    if (total >= calls || own >= ofOneTool) return false
    total += 1
    running.set(tool, own + 1)
    return true
  }

  function leave(tool: string): void {
    total -= 1
    running.set(tool, (running.get(tool) ?? 1) - 1)
    for (const [name, line] of waiting) {
      if (!enter(name)) continue
      line.shift()?.()
      waiting.delete(name)
      // Moves the tool to the end of the queue.
      if (line.length > 0) waiting.set(name, line)
      return
    }
  }

  function turn(tool: string, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const line = waiting.get(tool) ?? []
      waiting.set(tool, line)
      const admit = () => {
        signal?.removeEventListener('abort', giveUp)
        resolve()
      }
      const giveUp = () => {
        line.splice(line.indexOf(admit), 1)
        if (line.length === 0) waiting.delete(tool)
        reject(new FsError('ABORTED', {}))
      }
      line.push(admit)
      signal?.addEventListener('abort', giveUp, { once: true })
    })
  }

  function bounded(tool: Tool): Tool {
    return overrideTool(tool, {
      async call(args, workspace, context) {
        if (context.signal?.aborted) throw new FsError('ABORTED', {})
        if (!enter(tool.name)) await turn(tool.name, context.signal)
        try {
          return await tool.call(args, workspace, context)
        } finally {
          leave(tool.name)
        }
      },
      // A synchronous call never runs beside another.
      ...(tool.callSync && { callSync: tool.callSync }),
    })
  }

  return { ...dialect, tools: dialect.tools.map(bounded) }
}
