/** The tasks, for scripts and for models. */
import { pageBug, periodBug } from './bugs.mjs'
import { addCommand, release, removeFeature } from './features.mjs'
import { legacy } from './legacy.mjs'
import { log } from './log.mjs'
import { movePages } from './move-pages.mjs'
import { rename } from './rename.mjs'
import { environment, table, timeouts } from './settings.mjs'

/** What an agent knows before its task. */
export const introduction =
  'You work on a repository with file tools; paths are relative to its root. It has the folders src, test, docs, services, data, legacy and ' +
  'logs, and at the top README.md, CHANGELOG.md and package.json. The task is done when the files are right and, where an answer is asked ' +
  'for, your last message gives it. Nobody can answer questions: do the whole task with the tools, then say briefly what you did.'

/** @type {import('./task.mjs').Task[]} */
export const tasks = [
  rename,
  pageBug,
  periodBug,
  legacy,
  log,
  movePages,
  timeouts,
  environment,
  table,
  addCommand,
  release,
  removeFeature,
]
