import type { EpisodeAgent, Trace, TraceEvent } from '../types.js'
import { recordedCall } from './recorded-call.js'

/**
 * Makes the calls of a recorded run again, with its messages, and gives its answer. Unlike `replay` it does not compare: the episode may be
 * another one, for example with other files.
 */
export function replayed(trace: Pick<Trace, 'events'> | readonly TraceEvent[]): EpisodeAgent {
  const events = 'events' in trace ? trace.events : trace
  return {
    name: 'replayed',
    async run({ episode, signal }) {
      let answer = ''
      for (const event of events) {
        signal.throwIfAborted()
        if (event.type === 'call' && episode.exhausted === undefined) {
          await recordedCall(episode, event.tool, event.args, signal)
        } else if (event.type === 'message') episode.trace.add(event)
        else if (event.type === 'end') answer = event.answer ?? ''
      }
      return { answer }
    },
  }
}
