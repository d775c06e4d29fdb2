/**
 * A stand-in for the page that the runtime is hosted on, so that the real client library can be tested without it: it speaks the
 * client's protocol, over a tree in memory and a shell that is not the runtime's. It is not an evidence about the real runtime.
 */
import * as Comlink from 'comlink'
import { memory } from '../../../../src/fs/backends/memory.js'
import { mount } from '../../../../src/fs/backends/mount.js'
import { hostFs, loadTree, serializeTree } from './host-fs.js'
import { type Emit, type ProcessRequest, runProcess } from './host-process.js'

const workdir = '/home/project'

/** The client's requests once it has its port. */
const server = {
  async build({ version }: { version: string }) {
    if (!/^\d/.test(version)) throw new Error('no version')
    return Comlink.proxy(createInstance())
  },
}

function createInstance() {
  const tree = memory()
  // The tree that programs see: the client's files are in the working directory.
  const machine = mount({ '/': memory({ '/tmp/': '' }), [workdir]: tree })
  const listeners = new Map<string, Set<(...given: unknown[]) => void>>()
  const emit: Emit = (event, ...given) => {
    for (const listener of listeners.get(event) ?? []) listener(...given)
  }

  return {
    fs: () => Comlink.proxy(hostFs(tree)),
    previewScript: () => Comlink.proxy({}),
    runtimeInfo: () => ({ path: '/bin:/usr/bin', cwd: workdir }),
    run: (
      request: ProcessRequest,
      _stdout: undefined,
      _stderr: undefined,
      output: ((data: Uint8Array | null) => void) | undefined,
    ) => Comlink.proxy(runProcess(machine, workdir, request, (data) => void output?.(data), emit)),
    serialize: (path: string, { format }: { format: string }) => {
      if (format !== 'json') throw new Error(`the stand-in has no format ${format}`)
      return serializeTree(tree, path)
    },
    loadFiles: (payload: Uint8Array, { mountPoints }: { mountPoints?: string }) =>
      loadTree(tree, payload, mountPoints ?? '/'),
    on(event: string, listener: (...given: unknown[]) => void) {
      const known = listeners.get(event) ?? new Set()
      listeners.set(event, known.add(listener))
      return Comlink.proxy(() => void known.delete(listener))
    },
    setPreviewScript: () => {},
    setCredentials: () => {},
    teardown: () => listeners.clear(),
  }
}

const { port1, port2 } = new MessageChannel()
Comlink.expose(server, port1)
parent.postMessage({ type: 'init' }, '*', [port2])
