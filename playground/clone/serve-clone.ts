import '../../web/engine/no-eval.js'
import { faultOf } from '../../src/engine/remote-calls.js'
import { memory } from '../../src/fs/backends/memory.js'
import { allChildren } from '../../src/fs/backends/memory-children.js'
import type { MemoryNode } from '../../src/fs/backends/memory-nodes.js'
import { cloneRepository, repositoryName } from '../../src/git/commands/clone.js'
import type { CloneStep } from '../../src/git/commands/fetch-origin.js'
import { fetchHttp } from '../../src/git/fetch-http.js'
import { createWorkspace } from '../../src/workspace/create-workspace.js'
import type { Cloned, CloneRequest, FromCloneWorker } from './clone-messages.js'

/** Everything is in memory, in this worker and then in the page and in the worker with the files. */
const maxFetchedBytes = 256 * 1024 * 1024
const maxCheckedOutBytes = 512 * 1024 * 1024

const violationsWithinMs = 50

/** Steps of one phase are reported this often. */
const reportedEveryMs = 100

/** Answers the page that started this worker. */
export function start(): void {
  let isBlocked = false
  self.addEventListener('securitypolicyviolation', ({ effectiveDirective }) => {
    if (effectiveDirective === 'connect-src') isBlocked = true
  })
  self.addEventListener('message', ({ data }: MessageEvent<CloneRequest>) => {
    clone(data).then(
      (cloned) => post({ cloned }, buffersOf(cloned.tree)),
      async (error) => {
        // A request that a policy blocks fails before the event that says so.
        await new Promise((resume) => setTimeout(resume, violationsWithinMs))
        post({ fault: faultOf(error), isBlocked })
      },
    )
  })
}

function post(message: FromCloneWorker, transferred: Transferable[] = []): void {
  self.postMessage(message, transferred as never)
}

async function clone({ url, corsProxy, ...options }: CloneRequest): Promise<Cloned> {
  const fs = memory()
  const http = fetchHttp({ fromPage: true, ...(corsProxy !== undefined && { corsProxy }) })
  const limits = { maxFetchedBytes, maxCheckedOutBytes, onStep: reporter() }
  const workspace = createWorkspace({ fs, git: { http } })
  const { branch, files } = await cloneRepository(workspace, { url, directory: '/', ...options, ...limits }, {})
  return { name: repositoryName(url), tree: fs.snapshot(), files, ...(branch !== undefined && { branch }) }
}

function reporter(): (step: CloneStep) => void {
  let last: { phase?: CloneStep['phase']; atMs: number } = { atMs: 0 }
  return (step) => {
    const atMs = Date.now()
    if (step.phase === last.phase && atMs - last.atMs < reportedEveryMs) return
    last = { phase: step.phase, atMs }
    post({ step })
  }
}

/** The memory of all files, which goes to the page without a copy. Several files may share a part of it. */
function buffersOf(root: MemoryNode): Transferable[] {
  const buffers = new Set<ArrayBuffer>()
  const add = (node: MemoryNode) => {
    if (node.kind === 'file') buffers.add(node.bytes.buffer as ArrayBuffer)
    else if (node.kind === 'directory') for (const [, child] of allChildren(node.children)) add(child)
  }
  add(root)
  return [...buffers]
}
