import type { Dialect } from '../../tools/dialect.js'
import { fail } from './failure.js'
import { prompts, resources } from './resources.js'
import { patch } from './tools/apply-patch.js'
import { archive } from './tools/archive.js'
import { bash } from './tools/bash.js'
import { editFile } from './tools/edit.js'
import { git } from './tools/git.js'
import { grep } from './tools/grep.js'
import { history } from './tools/history.js'
import { glob, listDir } from './tools/list-and-glob.js'
import { copy, deletePath, makeDir, move } from './tools/move-copy-delete.js'
import { fileInfo, readFile } from './tools/read.js'
import { workspaceTool } from './tools/workspace.js'
import { writeFile } from './tools/write.js'

/** Our own dialect: every result fits a budget, every failure says what to do next. */
export const polyfs: Dialect = {
  name: 'polyfs',
  instructions:
    'File tools that work alike on disk, in memory and in the browser. Paths count from the workspace root. A result that is cut gives a cursor: repeat the same call with it to go on. max_tokens bounds a result. Changes can be undone with history; an answer says when one can not.',
  tools: [
    readFile,
    listDir,
    glob,
    grep,
    fileInfo,
    writeFile,
    editFile,
    patch,
    move,
    copy,
    deletePath,
    makeDir,
    bash,
    history,
    git,
    archive,
    workspaceTool,
  ],
  resources,
  prompts,
  fail,
}
