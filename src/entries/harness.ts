/** polyfs/harness: episodes for evaluating and training agents. */
export { openEpisode } from '../harness/episode/episode.js'
export { type FaultyOptions, type FileOperation, faulty, type OperationName } from '../harness/faults.js'
export { ReplayDivergence, type ReplayOptions, replay } from '../harness/trace/replay.js'
export { type ParsedTrace, parseTrace, TraceError } from '../harness/trace/trace.js'
export type {
  Agent,
  AgentWork,
  Budget,
  Episode,
  EpisodeChange,
  EpisodeOptions,
  FaultSchedule,
  ForkOptions,
  Score,
  ScoredRun,
  Scorer,
  Task,
  Trace,
  TraceCall,
  TraceEnd,
  TraceEvent,
  TraceHeader,
  TraceMessage,
  TraceScore,
  Usage,
} from '../harness/types.js'
