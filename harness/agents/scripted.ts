import type { EpisodeAgent } from '../types.js'
import { recordedCall } from './recorded-call.js'

export interface ScriptedCall {
  tool: string
  args?: unknown
}

/** Makes the same calls every time, whatever they answer, until the budget is used up. */
export function scripted(
  calls: readonly ScriptedCall[],
  { name = 'scripted', answer = '' }: { name?: string; answer?: string } = {},
): EpisodeAgent {
  return {
    name,
    async run({ episode, signal }) {
      for (const { tool, args = {} } of calls) {
        signal.throwIfAborted()
        if (episode.exhausted !== undefined) break
        await recordedCall(episode, tool, args, signal)
      }
      return { answer }
    },
  }
}

/** Does nothing. A task that it passes proves nothing. */
export const nop: EpisodeAgent = {
  name: 'nop',
  run: async () => ({ answer: '' }),
}
