/** Stages for what runs in the same process: a workspace over some file system, and a way to talk to the dialect on it. */

import { memory } from '../../../src/fs/backends/memory.js'
import type { Root } from '../../../src/fs/gate/confine.js'
import type { Dialect } from '../../../src/tools/dialect.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'
import type { Workspace } from '../../../src/workspace/workspace.js'
import type { WorkspaceOptions } from '../../../src/workspace/workspace-options.js'
import { dialects } from '../all.js'
import { fill, type Places, placesIn } from './places.js'
import type { Session, Stage, Vector } from './stage.js'

/** How the dialect on a workspace is reached. */
export interface Connector {
  readonly speaks: Stage['speaks']
  connect(workspace: Workspace, dialect: Dialect): Promise<Connection>
}

export type Connection = Session & { close(): Promise<void> }

type Ground = Pick<Stage, 'places' | 'raw' | 'close'> & { openWorkspace(): Promise<Workspace> }

export function workspaceStage({ dialect }: Vector, { speaks, connect }: Connector, ground: Ground): Stage {
  const { openWorkspace, close, ...rest } = ground
  let connection: Connection | undefined
  return {
    ...rest,
    speaks,
    async start() {
      const spoken = dialects[dialect]
      if (spoken === undefined) throw new Error(`dialect ${dialect} is not registered`)
      connection = await connect(await openWorkspace(), spoken)
      return connection
    },
    async close() {
      await connection?.close()
      await close()
    },
  }
}

/** One tree, of which the workspace is a directory, so that there is an outside. */
export async function memoryStage(
  vector: Vector,
  connector: Connector,
  shell: WorkspaceOptions['shell'] & {},
): Promise<Stage> {
  const places = placesIn('/base')
  const fs = memory({ [`${places.ROOT}/`]: '', [`${places.OUTSIDE}/`]: '' })
  return workspaceStage(vector, connector, {
    places,
    raw: fs,
    openWorkspace: async () => createWorkspace({ fs, roots: rootsOf(vector, places), ...optionsOf(vector), shell }),
    close: async () => {},
  })
}

/** What the case's flags let a server reach, the workspace first. */
export function rootsOf({ flags = {} }: Vector, places: Places): [Root, ...Root[]] {
  const { allowRead = [], allowWrite = [] } = flags
  return [
    { path: places.ROOT, access: 'read-write' },
    ...allowRead.map((path): Root => ({ path: fill(path, places), access: 'read-only' })),
    ...allowWrite.map((path): Root => ({ path: fill(path, places), access: 'read-write' })),
  ]
}

/** The rest of what the command line would say. */
export function optionsOf({ flags = {} }: Vector): Pick<WorkspaceOptions, 'readOnly' | 'protect'> {
  return { readOnly: flags.readOnly ?? false, protect: { git: true, config: false } }
}
