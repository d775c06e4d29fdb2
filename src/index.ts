export type { ArchiveEntry, ArchiveWarning, ArchiveWarningKind } from './archive/entries.js'
export { type ArchiveLimits, defaultArchiveLimits } from './archive/limits.js'
export type { NameRules } from './archive/names.js'
export {
  type ArchivedFile,
  type ArchiveListing,
  type ArchiveSource,
  listArchive,
  type ReadArchiveOptions,
  readArchive,
} from './archive/read-archive.js'
export { type ArchiveInput, type WriteArchiveOptions, writeArchive } from './archive/write-archive.js'
export { unpacked, zipFs } from './archive/zip-fs.js'
export {
  type ChangeRequest,
  type Changes,
  createChanges,
  type HistoryLimits,
  type Made,
  type Recovery,
} from './change/changes.js'
export type { Witness, Witnessed } from './change/command-watcher.js'
export type { Draft } from './change/draft.js'
export { contentHash } from './change/hash.js'
export { createHistory, type Difference, type History } from './change/history/history.js'
export { type Journal, memoryJournal, storedJournal } from './change/journal/journal.js'
export type { ChangeRecord, Image, Step } from './change/journal/record.js'
export type { DirectoryLocks, Holding } from './change/locks/directory-locks.js'
export { type Locks, nestedLocks, processLocks, type Scope } from './change/locks/locks.js'
export type { Streamed } from './change/streamed-content.js'
export { clarvis } from './dialects/clarvis/tools.js'
export { fileEditor } from './dialects/file-editor/tools.js'
export { fs as fsDialect } from './dialects/fs/tools.js'
export { fsContext } from './dialects/fs-context/tools.js'
export { polyfs } from './dialects/polyfs/tools.js'
export { type DialectName, dialectNames, isDialectName, loadDialect } from './dialects/registry.js'
export { replay } from './dialects/replay/tools.js'
export {
  type AiSdkTool,
  aiSdkTools,
  anthropicTools,
  openAiTools,
  type ToolDefinition,
  type ToolSet,
  type ToolsOptions,
  textOf,
  tools,
} from './dialects/tool-definitions.js'
export { type ErrorCode, type ErrorFacts, FsError, isFsError } from './errors.js'
export { type MemoryTree, memory } from './fs/backends/memory.js'
export { mount } from './fs/backends/mount.js'
export { type OverlayChange, type OverlayFileSystem, overlay } from './fs/backends/overlay.js'
export { readonly } from './fs/backends/readonly.js'
export { type ConfinedFileSystem, type ConfineOptions, confine, type Root } from './fs/gate/confine.js'
export type { Protection } from './fs/gate/protected-names.js'
export { type PathRules, posixRules, windowsRules } from './fs/path-rules.js'
export type {
  ByteRange,
  ByteSource,
  Bytes,
  Capabilities,
  Entry,
  FileChange,
  FileSystem,
  Kind,
  Stat,
  Unwatch,
  WriteOptions,
} from './fs/types.js'
export { type WalkEntry, type WalkOptions, walk } from './fs/walk/walk.js'
export { fetchHttp } from './git/fetch-http.js'
export { type HttpHandler, httpHandler, type Served, serve, type Transport } from './mcp/serve.js'
export type { ExtractedArchive } from './ops/archive/extract-archive.js'
export { type ExportZipOptions, exportZip, type ImportZipOptions, importZip } from './ops/archive/import-export-zip.js'
export { createJobs, type Job, type JobLimits, type JobNews, type JobRequest, type Jobs } from './shell/jobs.js'
export { type SessionRequest, type ShellSession, shellSession } from './shell/session.js'
export type {
  ExecRequest,
  ExecResult,
  Output,
  OutputChunk,
  Shell,
  ShellCapabilities,
  ShellState,
} from './shell/types.js'
export {
  type CallOptions,
  type Composition,
  type Content,
  callTool,
  compose,
  type Dialect,
  type Failure,
  offeredTools,
  type Projection,
  project,
  type Question,
  Questions,
  type Session,
  type Tool,
  type ToolAnnotations,
  type ToolGroup,
  ToolProtocolError,
  type ToolResult,
  toolGroups,
  type Wording,
} from './tools/dialect.js'
export { groupOf, selectTools } from './tools/select.js'
export { withStructuredResults } from './tools/structured-results.js'
export { version } from './version.js'
export {
  createWorkspace,
  type GitHttp,
  type HttpRequest,
  type HttpResponse,
  type Limits,
  type Workspace,
  type WorkspaceOptions,
} from './workspace.js'
