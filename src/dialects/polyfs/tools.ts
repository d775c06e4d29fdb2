import type { Dialect } from '../dialect.js'
import { archive } from './archive.js'
import { copy, deletePath, makeDir, move } from './arrange.js'
import { bash } from './bash.js'
import { editFile, patch } from './edit.js'
import { fail } from './failure.js'
import { glob, listDir } from './find.js'
import { git } from './git.js'
import { grep } from './grep.js'
import { history } from './history.js'
import { fileInfo, readFile } from './read.js'
import { prompts, resources } from './resources.js'
import { workspaceTool } from './workspace.js'
import { writeFile } from './write.js'

/** Our own tools: every result within a budget, every failure with what to do next. */
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
