import { type FsError, relocate } from '../../../errors.js'
import { isWithin } from '../../../fs/path.js'
import type { Dialect, FailedCall, Failure } from '../../../tools/dialect.js'
import { text } from '../../../tools/make-tool.js'
import type { Workspace } from '../../../workspace/workspace.js'
import { about, argumentsOf, asGiven, type OwnWording, say } from '../wording.js'
import { bash } from './bash.js'
import { editor } from './editor.js'
import { directoryOf, memories, memory } from './memory.js'

/** The tools that Anthropic's models are trained on, with the names, parameters and texts of their documentation. */
export const anthropic: Dialect = {
  name: 'anthropic',
  tools: [editor, bash, memory],
  fail: (error, workspace, call) => ({ result: text(`Error: ${reason(error, workspace, call)}`) }) satisfies Failure,
}

/** The message without the word `Error`, which the SDK puts in front. */
export function reason(error: FsError, workspace: Workspace, call: FailedCall): string {
  const args = argumentsOf(call)
  if (call.tool !== memory.name) return say(editorWording, asGiven(error, workspace, [args.path]), workspace)
  return say(memoryWording(args), inMemories(error, workspace), workspace)
}

const editorWording: OwnWording = {
  NOT_FOUND: () => 'File not found',
  NO_MATCH: () => 'No match found for replacement. Please check your text and try again.',
  AMBIGUOUS_MATCH: ({ count, lines }) =>
    `Found ${count} matches for replacement text. Please provide more context to make a unique match.\nThey are at lines ${lines.slice(0, 20).join(', ')}.`,
  DENIED: () => 'Permission denied. Cannot write to file.',
  EXISTS: about((path) => `File already exists at: ${path}. Cannot overwrite files using command \`create\`.`),
  IS_A_DIRECTORY: about(
    (path) => `The path ${path} is a directory and only the \`view\` command can be used on directories`,
  ),
}

function memoryWording({ command, old_str }: Record<string, unknown>): OwnWording {
  const isGone = command === 'delete' || command === 'rename'
  return {
    NOT_FOUND: about((path) => `The path ${path} does not exist${isGone ? '' : '. Please provide a valid path.'}`),
    EXISTS: about((path) => `File ${path} already exists`),
    IS_A_DIRECTORY: about((path) => `The path ${path} is not a file.`),
    NO_MATCH: about(
      (path) => `No replacement was performed, old_str \`${old_str}\` did not appear verbatim in ${path}.`,
    ),
    AMBIGUOUS_MATCH: ({ lines }) =>
      `No replacement was performed. Multiple occurrences of old_str \`${old_str}\` in lines: ${[...new Set(lines)].join(', ')}. Please ensure it is unique`,
    OUTSIDE: about((path) => `Path ${path} would escape /memories directory`),
  }
}

/** With the paths as the model knows them. */
function inMemories(error: FsError, workspace: Workspace): FsError {
  const directory = directoryOf(workspace)
  return relocate(error, (path) =>
    isWithin(directory, path) ? memories + path.slice(directory.length) : workspace.fs.show(path),
  ) as FsError
}
