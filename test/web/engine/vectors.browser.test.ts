/** Every dialect in a real browser: the conformance cases through the in-page endpoint, on memory and on OPFS. */
import { storedJournal } from '../../../src/change/journal/journal.js'
import { nestedLocks, processLocks } from '../../../src/change/locks/locks.js'
import type { Served } from '../../../src/mcp/server/served.js'
import type { Shell } from '../../../src/shell/types.js'
import type { Dialect } from '../../../src/tools/dialect.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'
import type { Workspace } from '../../../src/workspace/workspace.js'
import { serveFiles } from '../../../web/endpoint/endpoint.js'
import { emulatedShell } from '../../../web/engine/emulated-shell.js'
import { opfs } from '../../../web/opfs/opfs.js'
import { webLocks } from '../../../web/opfs/web-locks.js'
import { placesIn } from '../../dialects/vectors/places.js'
import { createRpc, initialize } from '../../dialects/vectors/rpc.js'
import type { Stage, Vector } from '../../dialects/vectors/stage.js'
import { describeVectors } from '../../dialects/vectors/suite.js'
import {
  type Connection,
  type Connector,
  memoryStage,
  optionsOf,
  rootsOf,
  workspaceStage,
} from '../../dialects/vectors/workspace-stage.js'

const inPage: Connector = { speaks: 'messages', connect }

const makeShell = emulatedShell()

/** Cases share workers, and none of them ends one. */
const shell = (workspace: Workspace): Shell => ({ ...makeShell(workspace), close: async () => {} })

describeVectors({
  name: 'memory in a page',
  isSampled: true,
  openStage: (vector) => memoryStage(vector, inPage, shell),
})
describeVectors({
  name: 'OPFS in a page',
  // Every call of this file system is slow.
  concurrent: true,
  isSampled: true,
  openStage: opfsStage,
  unfit: { 'fs/list_files: default page is 500': 'planting so many files takes seconds on this backend' },
})

async function connect(workspace: Workspace, dialect: Dialect): Promise<Connection> {
  const served: Served = { workspace, dialect, onFault: console.error }
  const endpoint = await serveFiles(served)
  const port = endpoint.port()
  const rpc = createRpc((message) => port.postMessage(message))
  port.onmessage = ({ data }) => rpc.receive(data)
  await initialize(rpc, (message) => port.postMessage(message))
  return {
    request: rpc.request,
    async close() {
      await endpoint.close()
      port.close()
    },
  }
}

async function opfsStage(vector: Vector): Promise<Stage> {
  const name = `vectors-${crypto.randomUUID()}`
  const fs = await opfs(name)
  const places = placesIn('/base')
  for (const directory of [places.BASE, places.ROOT, places.OUTSIDE]) await fs.makeDir(directory)
  return workspaceStage(vector, inPage, {
    places,
    raw: fs,
    openWorkspace: async () =>
      createWorkspace({
        fs,
        roots: rootsOf(vector, places),
        ...optionsOf(vector),
        journal: await storedJournal(await opfs(`${name}-journal`)),
        locks: nestedLocks(processLocks(), webLocks(name)),
        shell,
      }),
    async close() {
      const top = await navigator.storage.getDirectory()
      await top.removeEntry(name, { recursive: true })
      // Cases that start no server have no journal.
      await top.removeEntry(`${name}-journal`, { recursive: true }).catch(() => {})
    },
  })
}
