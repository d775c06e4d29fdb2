import type { Dialect, Tool } from '../../../tools/dialect.js'
import { overrideTool } from '../../../tools/make-tool.js'
import { onBehalfOf } from '../../../workspace/on-behalf-of.js'
import { forkTool } from './fork-tool.js'
import { currentFork, invalid, noteUse, placeFor, usesForks } from './open-forks.js'

/**
 * Our own dialect with a tool by which agents work in forks of the workspace, and merge or discard them. All its other tools then work in
 * the fork that the agent is in. Resources are always those of the workspace.
 */
export function withForks(dialect: Dialect): Dialect {
  if (dialect.name !== 'polyfs') throw new Error(`the dialect ${dialect.name} has no tool for forks; polyfs has one`)
  return { ...dialect, tools: [...dialect.tools.map(inForks), inTurn(forkTool)] }
}

/** The tool that moves a connection from one fork to another: what the connection calls meanwhile waits. */
function inTurn(tool: Tool): Tool {
  const { structured } = tool
  return overrideTool(tool, {
    call(args, workspace, context) {
      noteUse(workspace)
      const place = placeFor(workspace, context)
      const call = Promise.resolve(place.moving).then(() => tool.call(args, workspace, context))
      const moving = call.then(
        () => {},
        () => {},
      )
      place.moving = moving
      return call.finally(() => {
        if (place.moving === moving) delete place.moving
      })
    },
    ...(structured && { structured: () => inTurn(structured()) }),
  })
}

/** The tool in the fork in which the caller works. */
function inForks(tool: Tool): Tool {
  const { callSync, structured } = tool
  return overrideTool(tool, {
    async call(args, workspace, context) {
      const place = placeFor(workspace, context)
      if (place.moving !== undefined) await place.moving
      let found = currentFork(workspace, context)
      while (found?.ending !== undefined) {
        await found.ending
        found = currentFork(workspace, context)
      }
      if (found === undefined) return tool.call(args, workspace, context)
      if (tool.needs === 'shell' && found.fork.shell === undefined) throw noCommands()
      const call = tool.call(args, context.client ? onBehalfOf(found.fork, context.client) : found.fork, context)
      found.running.add(call)
      return call.finally(() => found.running.delete(call))
    },
    // A call without a promise does not say who calls.
    ...(callSync && {
      callSync: (args: unknown, workspace) => (usesForks(workspace) ? undefined : callSync(args, workspace)),
    }),
    ...(structured && { structured: () => inForks(structured()) }),
  })
}

/** A shell of the machine works on the files of the machine. */
function noCommands() {
  return invalid(
    'command',
    'no commands in a fork here: they would run on the files of the workspace; merge first, or switch to it',
  )
}
