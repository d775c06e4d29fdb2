import { attributed } from '../change/changes.js'
import { createHistory } from '../change/history/history.js'
import type { ClientInfo } from '../change/journal/record.js'
import type { Workspace } from './workspace.js'

/** The same workspace; the history records who makes the changes. */
export function onBehalfOf(workspace: Workspace, by: ClientInfo): Workspace {
  const { changes: all, internals } = workspace
  const { commandWatcher } = internals
  const changes = attributed(all, by)
  return {
    ...workspace,
    changes,
    history: createHistory(workspace.fs, changes),
    ...(commandWatcher && {
      internals: {
        ...internals,
        commandWatcher: { ...commandWatcher, watch: (label, run) => commandWatcher.watch(label, run, by) },
      },
    }),
    openWorkspace: async (directory) => onBehalfOf(await workspace.openWorkspace(directory), by),
    narrow: async (directories) => onBehalfOf(await workspace.narrow(directories), by),
  }
}
