/** polyfs/fs: to implement a file system, or to work on one without a workspace. */

export type { CollectedValues } from '../fs/backends/key-value/collect.js'
export { type KeyValueFileSystem, type KeyValueOptions, keyValue } from '../fs/backends/key-value/file-system.js'
export { type KeyValueLock, type KeyValueLockOptions, keyValueLock } from '../fs/backends/key-value/lock.js'
export type { ConditionalWrites, KeyValueStore } from '../fs/backends/key-value/store.js'
export { fromMemfs, type MemfsVolume } from '../fs/backends/memfs.js'
export { type MemoryFileSystem, type MemoryOptions, type MemoryTree, memory } from '../fs/backends/memory.js'
export { mount } from '../fs/backends/mount.js'
export { type OverlayChange, type OverlayFileSystem, overlay } from '../fs/backends/overlay.js'
export { readonly } from '../fs/backends/readonly.js'
export {
  type BetterSqlite,
  type DurableObjectStorage,
  fromBetterSqlite,
  fromDurableObject,
  fromNodeSqlite,
  fromSqliteWasm,
  fromSqlJs,
  type NodeSqlite,
  type SqliteWasm,
  type SqlJs,
  type SqlJsStatement,
} from '../fs/backends/sqlite/adapters.js'
export type { SqliteDatabase, SqliteRow, SqliteValue } from '../fs/backends/sqlite/database.js'
export type { SqliteFileSystem } from '../fs/backends/sqlite/file-system.js'
export type { Collected } from '../fs/backends/sqlite/store.js'
export {
  type SqliteOptions,
  type SqliteStoreOptions,
  type SqliteWorkspaceInfo,
  type SqliteWorkspaces,
  sqlite,
  sqliteWorkspaces,
} from '../fs/backends/sqlite/workspaces.js'
export type { AccessKind, AccessRules, Grant, RuleDecision } from '../fs/gate/access-rules.js'
export { type ConfinedFileSystem, type ConfineOptions, confine } from '../fs/gate/confine.js'
export type { PlacesOptions } from '../fs/gate/roots.js'
export type { OutputPlace } from '../fs/output-directory.js'
export { type PathRules, posixRules, windowsRules } from '../fs/path-rules.js'
export { type DirectoryLister, type FileReader, type SyncFileSystem, type WouldBlock, wouldBlock } from '../fs/sync.js'
export type {
  AtomicAction,
  AtomicChanges,
  RunningHash,
  StageOptions,
  StatAndBytes,
  SyncTransactional,
  TransactionalFileSystem,
} from '../fs/transactional-types.js'
export type {
  ByteRange,
  ByteSource,
  Bytes,
  Capabilities,
  Entry,
  FileChange,
  FileSystem,
  Kind as EntryKind,
  LinkOptions,
  Pieces,
  Stat,
  Tree,
  Unwatch,
  WriteOptions,
} from '../fs/types.js'
export {
  type Rest as WalkRest,
  type Verdict as WalkVerdict,
  type WalkEntry,
  type WalkFilter,
  type WalkOptions,
  type WalkSummary,
  walk,
} from '../fs/walk/walk.js'
export { withoutFacets } from '../fs/without-facets.js'
