import type { FsError } from '../../../errors.js'
import type { Dialect, FailedCall } from '../../../tools/dialect.js'
import { text } from '../../../tools/make-tool.js'
import type { Workspace } from '../../../workspace/workspace.js'
import { about, argumentsOf, asGiven, type OwnWording, say } from '../wording.js'
import { replace, writeFile } from './edit.js'
import { glob, listDir, readFile } from './files.js'
import { runShellCommand } from './shell.js'

/** The tools of Gemini CLI for files and commands. */
export const gemini: Dialect = {
  name: 'gemini',
  tools: [readFile, writeFile, replace, listDir, glob, runShellCommand],
  fail: (error, workspace, call) => ({ result: text(reason(error, workspace, call)) }),
}

function reason(error: FsError, workspace: Workspace, call: FailedCall): string {
  const { file_path, dir_path } = argumentsOf(call)
  if (call.tool === readFile.name) return say(reading, asGiven(error, workspace, []), workspace)
  if (call.tool === replace.name) return say(replacing, asGiven(error, workspace, [file_path]), workspace)
  return say(plain, asGiven(error, workspace, [call.tool === listDir.name ? undefined : dir_path]), workspace)
}

const outside: OwnWording = {
  OUTSIDE: about(
    (path) => `Path not in workspace: Attempted path "${path}" resolves outside the allowed workspace directories`,
  ),
}

const plain: OwnWording = {
  ...outside,
  NOT_FOUND: about((path) => `Error: Directory not found or inaccessible: ${path}`),
  NOT_A_DIRECTORY: about((path) => `Error: Path is not a directory: ${path}`),
}

const reading: OwnWording = {
  ...outside,
  NOT_FOUND: () => 'Could not read file because no file was found at the specified path.',
  IS_A_DIRECTORY: () => 'Could not read file because the provided path is a directory, not a file.',
  BINARY: about((path) => `Cannot display content of binary file: ${path}`),
}

const replacing: OwnWording = {
  ...outside,
  NOT_FOUND: about((path) => `File not found: ${path}`),
  NO_MATCH: about(
    (path) =>
      `Could not find an exact match for 'old_string' in '${path}'. If previous edits modified the file or you are modifying lines outside your recent read window, please use read_file to inspect the target lines before retrying with an exact 'old_string'.`,
  ),
  AMBIGUOUS_MATCH: ({ path, count }) =>
    `Failed to edit, Expected 1 occurrence but found ${count} for old_string in file: ${path}. If you intended to replace multiple occurrences, set 'allow_multiple' to true.`,
  NO_CHANGE: about((path) => `No changes to apply. The old_string and new_string are identical in file: ${path}`),
}
