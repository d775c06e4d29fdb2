/** polyfs/harness: episodes for evaluating and training agents, their tasks, scores, agents and statistics. */
export { type AnthropicModelOptions, anthropicModel } from '../harness/agents/anthropic.js'
export { type ChatOptions, chat } from '../harness/agents/chat.js'
export {
  type ChatMessage,
  type ChatModel,
  type ModelAnswer,
  type ModelCall,
  type ModelCallResult,
  ModelError,
  type ModelRequest,
  type Prices,
} from '../harness/agents/model.js'
export { type OpenAiModelOptions, openAiModel } from '../harness/agents/openai.js'
export { oracle } from '../harness/agents/oracle.js'
export { replayed } from '../harness/agents/replayed.js'
export type { ConnectionOptions } from '../harness/agents/request-json.js'
export { nop, type ScriptedCall, scripted } from '../harness/agents/scripted.js'
export { openEpisode } from '../harness/episode/episode.js'
export {
  type FaultCode,
  type FaultyOptions,
  type FileOperation,
  faulty,
  type OperationName,
} from '../harness/faults.js'
export { InfraError } from '../harness/infra-error.js'
export { type EpisodeQueue, memoryQueue, type TakenJob } from '../harness/queue.js'
export { type RunEpisodeOptions, runEpisode } from '../harness/run-episode.js'
export type { EpisodeJob, EpisodeResult, EpisodeUsage, Outcome } from '../harness/run-types.js'
export { type Comparison, compareRuns, type TaskDifference } from '../harness/statistics/compare.js'
export { type Estimate, type Interval, wilson } from '../harness/statistics/interval.js'
export { passAllK, passAtK, type Trials } from '../harness/statistics/pass-at-k.js'
export {
  type KRate,
  type RunResults,
  type Summary,
  summarize,
  type TaskSummary,
} from '../harness/statistics/summary.js'
export type { Folder, FolderEntry } from '../harness/tasks/folder.js'
export { loadSuite, type Suite } from '../harness/tasks/load-suite.js'
export { type LoadedTask, loadTask, type SkippedTask } from '../harness/tasks/load-task.js'
export { type RunScore, scoreRun } from '../harness/tasks/score-run.js'
export { type CommandSucceedsOptions, commandSucceeds } from '../harness/tasks/scorers/command-succeeds.js'
export { type FileCheck, type FileCondition, fileChecks } from '../harness/tasks/scorers/file-checks.js'
export { type JudgeOptions, type JudgeQuestion, judge } from '../harness/tasks/scorers/judge.js'
export { type TestScriptOptions, testScript } from '../harness/tasks/scorers/test-script.js'
export {
  type CheckOptions,
  type ExpectedTreeOptions,
  expectedTree,
  onlyChanged,
} from '../harness/tasks/scorers/tree-checks.js'
export { TaskError, type TaskProblem } from '../harness/tasks/task-error.js'
export { type AtifStep, type AtifTrajectory, toAtif } from '../harness/trace/atif.js'
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
export { type ModelFetch, ModelFetchError, type ModelFetchOptions, modelFetch } from '../model-fetch.js'
