/** polyfs/harness: episodes for evaluating and training agents, their tasks, scores, agents and statistics. */

export { type ChatOptions, chat } from './agents/chat.js'
export { oracle } from './agents/oracle.js'
export { replayed } from './agents/replayed.js'
export { nop, type ScriptedCall, scripted } from './agents/scripted.js'
export { openEpisode } from './episode/episode.js'
export {
  type FaultCode,
  type FaultyOptions,
  type FileOperation,
  faulty,
  type OperationName,
} from './faults.js'
export { InfraError } from './infra-error.js'
export { type EpisodeQueue, memoryQueue, type TakenJob } from './queue.js'
export { type RunEpisodeOptions, runEpisode } from './run-episode.js'
export type { EpisodeJob, EpisodeResult, EpisodeUsage, Outcome } from './run-types.js'
export { type Comparison, compareRuns, type TaskDifference } from './statistics/compare.js'
export { type Estimate, type Interval, wilson } from './statistics/interval.js'
export { passAllK, passAtK, type Trials } from './statistics/pass-at-k.js'
export {
  type KRate,
  type RunResults,
  type Summary,
  summarize,
  type TaskSummary,
} from './statistics/summary.js'
export type { Folder, FolderEntry } from './tasks/folder.js'
export { loadSuite, type Suite } from './tasks/load-suite.js'
export { type LoadedTask, loadTask, type SkippedTask } from './tasks/load-task.js'
export { type RunScore, scoreRun } from './tasks/score-run.js'
export { type CommandSucceedsOptions, commandSucceeds } from './tasks/scorers/command-succeeds.js'
export { type FileCheck, type FileCondition, fileChecks } from './tasks/scorers/file-checks.js'
export { type JudgeOptions, type JudgeQuestion, judge } from './tasks/scorers/judge.js'
export { type TestScriptOptions, testScript } from './tasks/scorers/test-script.js'
export {
  type CheckOptions,
  type ExpectedTreeOptions,
  expectedTree,
  onlyChanged,
} from './tasks/scorers/tree-checks.js'
export { TaskError, type TaskProblem } from './tasks/task-error.js'
export { type AtifStep, type AtifTrajectory, toAtif } from './trace/atif.js'
export { ReplayError, type ReplayOptions, replayTrace } from './trace/replay.js'
export { type ParsedTrace, parseTrace, TraceError } from './trace/trace.js'
export type {
  AgentWork,
  Budget,
  Episode,
  EpisodeAgent,
  EpisodeChange,
  EpisodeOptions,
  FaultSchedule,
  ForkOptions,
  RecordedExchange,
  RecordedMessage,
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
  TraceUsage,
} from './types.js'
