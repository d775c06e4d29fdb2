/** The operations that a page's own code may run, by name; agents get tools instead. */

import { copyEntry } from '../ops/copy-entry.js'
import { deleteEntry } from '../ops/delete-entry.js'
import { describeEntry } from '../ops/describe-entry.js'
import { editText } from '../ops/edit-text.js'
import { findFiles } from '../ops/find-files.js'
import { restorePoint, setCheckpoint, undoChange, undoChanges } from '../ops/history/change-history.js'
import { compareVersions, listChanges } from '../ops/history/read-history.js'
import { listDirectory } from '../ops/list-directory.js'
import { listRoots } from '../ops/list-roots.js'
import { makeDirectory } from '../ops/make-directory.js'
import { editFiles } from '../ops/many/edit-files.js'
import { moveEntry } from '../ops/move-entry.js'
import type { CallContext, Operation } from '../ops/operation.js'
import { readBytes } from '../ops/read-bytes.js'
import { searchText } from '../ops/search-text.js'
import { writeFiles } from '../ops/write-files.js'
import type { Workspace } from '../workspace/workspace.js'

const core = {
  compareVersions,
  copyEntry,
  deleteEntry,
  describeEntry,
  editFiles,
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
  undoChanges,
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
  const known: object = Object.hasOwn(core, name) ? core : await loadGit()
  // The name may come from a connection.
  if (!Object.hasOwn(known, name)) throw new Error(`Unknown operation: ${name}`)
  // The input and result types of an operation follow from its name.
  const operation = known[name as never] as unknown as Operation<OperationInput<Name>, unknown, OperationResult<Name>>
  return workspace.run(operation, input, context)
}
