import type { Dialect } from '../../tools/dialect.js'
import { fail } from './failure.js'
import { prompts, resources } from './resources.js'
import { patch } from './tools/apply-patch.js'
import { archive } from './tools/archive.js'
import { bash } from './tools/bash.js'
import { editFile } from './tools/edit/edit.js'
import { git } from './tools/git/git.js'
import { grep } from './tools/grep.js'
import { history } from './tools/history.js'
import { glob, listDir } from './tools/list-and-glob.js'
import { copy, deletePath, makeDir, move } from './tools/move-copy-delete.js'
import { fileInfo, readFile } from './tools/read/read.js'
import { workspaceTool } from './tools/workspace.js'
import { writeFile } from './tools/write.js'

/** Our own dialect: every result fits a budget, every failure says what to do next. */
export const polyfs: Dialect = {
  name: 'polyfs',
  instructions: [
    'Paths count from the workspace root. Notes in [brackets] below an answer say what was cut, assumed or not searched; a cut answer gives a cursor: repeat the same call with it to go on.',
    'One call can do much: read several files or ranges, search several paths, edit every file that a glob names, move several.',
    'Find things with grep (output "files" or "count", exclude), and read the parts you need rather than whole files.',
    'Change files with edit_file, which keeps their encoding, line endings and every byte it does not name; try dry_run before changing many places.',
    'If a failure says what to send instead, send that.',
    'Every change, also one of bash, can be undone with history: an answer names it, as [change 3-…], and says when it can not.',
  ].join(' '),
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
