/** polyfs/operations: what can be done to a workspace with `workspace.run(operation, input)`, and how to write another. */
export type { CommandChanges as CommandEffects } from '../change/command-watcher.js'
export type { ClientInfo } from '../change/journal/record.js'
export type { AddResult as GitAddResult } from '../git/commands/add.js'
export type { Branch as GitBranchInfo } from '../git/commands/branch.js'
export type { CheckoutResult as GitCheckoutResult } from '../git/commands/checkout.js'
export type { CloneResult as GitCloneResult } from '../git/commands/clone.js'
export type { CommitResult as GitCommitResult } from '../git/commands/commit.js'
export type { FileDiff as GitFileDiff } from '../git/commands/diff.js'
export type { Log as GitLogPage, ShowResult as GitShowResult } from '../git/commands/log.js'
export type { MergedCommit as GitMergedCommit } from '../git/commands/merge.js'
export type {
  Change as GitFileChange,
  ChangedPath as GitChangedPath,
  ConflictCode as GitConflictCode,
  GitStatus,
  Upstream as GitUpstream,
} from '../git/commands/status.js'
export type { Commit as GitCommit } from '../git/objects/commit-object.js'
export type { Person as GitPerson } from '../git/objects/person.js'
export type { Blob as GitBlob } from '../git/objects/tree.js'
export type { OperationInProgress as GitOperationInProgress } from '../git/operation-in-progress.js'
export {
  applyPatch,
  applyPatchPartly,
  type PartlyPatched,
  type PatchedFile,
  type RejectedBlock,
} from '../ops/apply-patch.js'
export { type CreatedArchive, createArchive } from '../ops/archive/create-archive.js'
export { extractArchive } from '../ops/archive/extract-archive.js'
export { type ListedArchive, listArchiveFile } from '../ops/archive/list-archive.js'
export { type CopiedEntry, copyEntry } from '../ops/copy-entry.js'
export { type DeletedEntry, deleteEntry } from '../ops/delete-entry.js'
export { type DescribedEntry, describeEntry } from '../ops/describe-entry.js'
export { type DirectoryTree, directoryTree, type TreeNode } from '../ops/directory-tree.js'
export { type EditedText, editText } from '../ops/edit-text.js'
export { type FindFiles, type FoundEntry, findFiles } from '../ops/find-files.js'
export { gitAdd } from '../ops/git/add.js'
export { gitBranch, gitBranches } from '../ops/git/branch.js'
export { gitCheckout } from '../ops/git/checkout.js'
export { gitClone } from '../ops/git/clone.js'
export { gitCommit } from '../ops/git/commit.js'
export { gitDiff } from '../ops/git/diff.js'
export { gitInit } from '../ops/git/init.js'
export { gitLog } from '../ops/git/log.js'
export { gitAbortMerge, gitCherryPick, gitMerge } from '../ops/git/merge.js'
export { gitRestore } from '../ops/git/restore.js'
export { gitShow } from '../ops/git/show.js'
export { gitStatus } from '../ops/git/status.js'
export { restorePoint, setCheckpoint, undoChange, undoChanges } from '../ops/history/change-history.js'
export { purgeHistory } from '../ops/history/purge-history.js'
export { compareVersions, listChanges, recallVersion } from '../ops/history/read-history.js'
export { type ListDirectory, type ListedEntry, listDirectory } from '../ops/list-directory.js'
export { listRoots, type RootStatus } from '../ops/list-roots.js'
export { type MadeDirectory, makeDirectory } from '../ops/make-directory.js'
export { copyEntries } from '../ops/many/copy-entries.js'
export { deleteEntries } from '../ops/many/delete-entries.js'
export { type EditedEach, editEach } from '../ops/many/edit-each.js'
export { type EditedFile, type EditedFiles, editFiles } from '../ops/many/edit-files.js'
export { type MoveRules, moveEntries } from '../ops/many/move-entries.js'
export { type MovedEntry, moveEntry } from '../ops/move-entry.js'
export { operation } from '../ops/operation.js'
export { type ReadBytes, readBytes } from '../ops/read-bytes.js'
export { type ReadText, readText } from '../ops/read-text.js'
export { type SearchText, searchText } from '../ops/search-text.js'
export { setMode } from '../ops/set-mode.js'
export { type RanCommand, runCommand } from '../ops/shell/run-command.js'
export { type Tallied, type TallyPlace, type TallyText, tallyText } from '../ops/tally-text.js'
export { type WrittenFile, writeFiles } from '../ops/write-files.js'
export type { Schema } from '../parse-input.js'
export type { GlobRules } from '../search/patterns/glob.js'
export type { MatcherSpec } from '../search/patterns/matcher.js'
export type { LineRange } from '../search/run/line-range.js'
export type {
  ContextRecord,
  FileMatches,
  MatchRecord,
  SearchRecord,
  SearchRequest,
  SearchSummary,
  SkippedFile,
  TextRule,
} from '../search/run/records.js'
export type { Encoding } from '../text/decode/decode.js'
export type { TextEncoding, TextFormat } from '../text/decode/detect.js'
export type { AppliedEdit, EditFailure, EditFault, EditOptions, EditPlace, TextRange } from '../text/edit/edit-types.js'
export type { BlockRule } from '../text/edit/match/blocks.js'
export type { Reindent } from '../text/edit/match/reindent.js'
export type { MatchRule } from '../text/edit/match/rules.js'
export type { EndingPolicy } from '../text/lines/line-endings.js'
export type { LineCounting } from '../text/lines/lines.js'
export type { Tolerated } from '../text/patch/apply-hunks.js'
export type { Block as PatchBlock, FilePatch, Hunk as PatchHunk, HunkLine, HunkPlace } from '../text/patch/patch.js'
export type { Likeness } from '../text/patch/seek-lines.js'
export type { Asked, CallContext, Operation, Session } from '../workspace/workspace.js'
