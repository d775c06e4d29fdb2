/** What the engine's worker answers to the page. */
import './no-eval.js'
import { expose, faultOf } from '../../src/engine/remote-calls.js'
import { passRoomsOn } from '../room/link.js'
import type { Engine, EngineOptions } from './engine.js'
import { ports } from './ports.js'

/** The functions the page can call. */
const methods = {
  /** Sends the events of `EngineEvents` to the `events` port. */
  async open(options: EngineOptions, events: MessagePort): Promise<void> {
    // Loaded after `no-eval.js` has run, whatever order the bundler gives the modules.
    const { openEngine } = await import('./engine.js')
    let last = 0
    passRoomsOn((name, control, address) => {
      last += 1
      const id = last
      events.postMessage({ room: { id, of: { name, control, address } } }, [control])
      return () => events.postMessage({ room: { id } })
    })
    opened = openEngine(options, {
      onChanged: (changed) => events.postMessage({ changed }),
      onProgress: (progress) => events.postMessage({ progress }),
      onFault: (fault) => events.postMessage({ fault: faultOf(fault) }),
      onTerminalOutput: (output) => events.postMessage({ output }),
      onStored: () => events.postMessage({ stored: true }),
    })
    await opened
  },
  serve: async (...given: Parameters<Engine['serve']>) => (await engine()).serve(...given),
  serveHttp: async (...given: Parameters<Engine['serveHttp']>) => (await engine()).serveHttp(...given),
  listTools: async (...given: Parameters<Engine['listTools']>) => (await engine()).listTools(...given),
  callTool: async (...given: Parameters<Engine['callTool']>) => (await engine()).callTool(...given),
  cancelCall: async (...given: Parameters<Engine['cancelCall']>) => (await engine()).cancelCall(...given),
  run: async (...given: Parameters<Engine['run']>) => (await engine()).run(...given),
  about: async () => (await engine()).about(),
  terminal: async (...given: Parameters<Engine['terminal']>) => (await engine()).terminal(...given),
  interrupt: async () => (await engine()).interrupt(),
  exportZip: async () => (await engine()).exportZip(),
  exportPatch: async () => (await engine()).exportPatch(),
  mode: async () => (await engine()).mode(),
  flush: async () => (await engine()).flush(),
  close: async () => (await engine()).close(),
}

export type EngineWorkerMethods = typeof methods

let opened: Promise<Engine> | undefined

async function engine(): Promise<Engine> {
  if (opened === undefined) throw new Error('No engine has been opened')
  return opened
}

/** Answers the calls of the page that started this worker. */
export function start(): void {
  expose(self as never, methods, ports)
}
