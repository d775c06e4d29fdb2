/** What most programs need. Everything else is in the other entries, one file each in `entries/`. */
export { clarvis } from './dialects/clarvis/tools.js'
export { fileEditor } from './dialects/file-editor/tools.js'
export { fs as fsDialect } from './dialects/fs/tools.js'
export { fsContext } from './dialects/fs-context/tools.js'
export {
  type AnthropicTool,
  type AnthropicTools,
  type GeminiDeclaration,
  type GeminiPart,
  type GeminiTools,
  type NativeTools,
  type NativeToolsOptions,
  nativeTools,
  type OpenAiCallOutput,
  type OpenAiEditor,
  type OpenAiShell,
  type OpenAiTools,
  type PatchOperation,
  type PatchResult,
  type ShellAction,
  type ShellCallOutput,
  type ShellOutput,
} from './dialects/native-tools.js'
export { withForks } from './dialects/polyfs/forks/with-forks.js'
export { polyfs } from './dialects/polyfs/tools.js'
export { type DialectName, dialectNames, isDialectName, loadDialect } from './dialects/registry.js'
export { replay } from './dialects/replay/tools.js'
export {
  type AiSdkCaller,
  type AiSdkOptions,
  type AiSdkTool,
  aiSdkTools,
  anthropicTools,
  type DescribedTool,
  type ListedDefinition,
  openAiTools,
  type ToolDefinition,
  type ToolList,
  type ToolSet,
  type ToolsOptions,
  textOf as resultText,
  tools,
} from './dialects/tool-definitions.js'
export { type ErrorCode, type ErrorFacts, FsError, isFsError, type RuledKind } from './errors.js'
export { fromMemfs, type MemfsVolume } from './fs/backends/memfs.js'
export { type MemoryFileSystem, type MemoryOptions, type MemoryTree, memory } from './fs/backends/memory.js'
export type { MemoryChildren } from './fs/backends/memory-children.js'
export type { DirectoryNode, FileNode, LinkNode, MemoryNode, NodeTimes } from './fs/backends/memory-nodes.js'
export { mount } from './fs/backends/mount.js'
export { type OverlayChange, type OverlayFileSystem, overlay } from './fs/backends/overlay.js'
export { readonly } from './fs/backends/readonly.js'
export type { Root } from './fs/gate/confine.js'
export type { Protection } from './fs/gate/protected-names.js'
export type { FileSystem } from './fs/types.js'
export { type WalkEntry, type WalkOptions, walk } from './fs/walk/walk.js'
export { fetchHttp } from './git/fetch-http.js'
export {
  type HttpHandler,
  type HttpHandlerOptions,
  type HttpRequestOptions,
  httpHandler,
  type Served,
  type SessionOptions,
  type SessionStore,
  serve,
  type Transport,
  type TransportMessage,
} from './mcp/serve.js'
export { fetchNetwork } from './network/fetch-network.js'
export type { AllowedOrigin, NetworkRule } from './network/rule.js'
export type {
  Headers,
  Network,
  NetworkAnswer,
  NetworkFailure,
  NetworkOutcome,
  NetworkRequest,
} from './network/types.js'
export type { RuleFile, RulesAbove } from './search/patterns/rules-above.js'
export {
  createJobs,
  type Job,
  type JobLimits,
  type JobNews,
  type JobRequest,
  type JobState,
  type Jobs,
} from './shell/jobs.js'
export { type SessionRequest, type ShellSession, shellSession } from './shell/session.js'
export type {
  ExecRequest,
  ExecResult,
  Output as CommandOutput,
  OutputChunk,
  PipelineCommand,
  Shell,
  ShellCapabilities,
  ShellState,
} from './shell/types.js'
export type { Dialect, ToolResult } from './tools/dialect.js'
export { version } from './version.js'
export type { Approval, ApprovalQuestion, ApprovePath } from './workspace/approval.js'
export { createWorkspace } from './workspace/create-workspace.js'
export type { GitDefaults, GitHttp, GitSettings, HttpRequest, HttpResponse } from './workspace/git-settings.js'
export type { Limits } from './workspace/limits.js'
export type { Rule, RulePatterns } from './workspace/rules.js'
export type { Fork, ForkOptions, Workspace } from './workspace/workspace.js'
export type { WorkspaceOptions } from './workspace/workspace-options.js'
