/** The operations that the page's own code may run, by name; agents get tools instead. */

import { copyEntry } from '../../src/ops/copy-entry.js'
import { deleteEntry } from '../../src/ops/delete-entry.js'
import { describeEntry } from '../../src/ops/describe-entry.js'
import { editText } from '../../src/ops/edit-text.js'
import { findFiles } from '../../src/ops/find-files.js'
import { restorePoint, setCheckpoint, undoChange } from '../../src/ops/history/change-history.js'
import { compareVersions, listChanges } from '../../src/ops/history/read-history.js'
import { listDirectory } from '../../src/ops/list-directory.js'
import { listRoots } from '../../src/ops/list-roots.js'
import { makeDirectory } from '../../src/ops/make-directory.js'
import { moveEntry } from '../../src/ops/move-entry.js'
import type { CallContext, Operation } from '../../src/ops/operation.js'
import { readBytes } from '../../src/ops/read-bytes.js'
import { searchText } from '../../src/ops/search-text.js'
import { writeFiles } from '../../src/ops/write-files.js'
import type { Workspace } from '../../src/workspace.js'

const core = {
  compareVersions,
  copyEntry,
  deleteEntry,
  describeEntry,
  editText,
  findFiles,
  listChanges,
  listDirectory,
  listRoots,
  makeDirectory,
  moveEntry,
  readBytes,
  restorePoint,
  searchText,
  setCheckpoint,
  undoChange,
  writeFiles,
}

/** Loaded on first use: the git code is large, and many pages do not use it. */
const loadGit = () => import('./git-operations.js')

/** The operations by name. */
export type Operations = typeof core & Awaited<ReturnType<typeof loadGit>>

export type OperationName = keyof Operations

/** The input of an operation, before defaults are filled in. */
export type OperationInput<Name extends OperationName> =
  Operations[Name] extends Operation<infer Given, infer _Input, infer _Result> ? Given : never

export type OperationResult<Name extends OperationName> =
  Operations[Name] extends Operation<infer _Given, infer _Input, infer Result> ? Result : never

export async function runOperation<Name extends OperationName>(
  workspace: Workspace,
  name: Name,
  input: OperationInput<Name>,
  context: CallContext = {},
): Promise<OperationResult<Name>> {
  // The input and result types of an operation follow from its name.
  const operation = (name in core ? core : await loadGit())[name as never] as unknown as Operation<
    OperationInput<Name>,
    unknown,
    OperationResult<Name>
  >
  return workspace.run(operation, input, context)
}
