import { asError, connectRemote, type Remote } from '../../src/engine/remote-calls.js'
import { connectRoom } from '../room/link.js'
import type { RoomName } from '../room/messages.js'
import type { EngineEvents, EngineOptions } from './engine.js'
import type { EngineWorkerMethods } from './engine-methods.js'
import { ports } from './ports.js'

/** The engine as the page sees it: every call is a message to the worker and back. */
export type RemoteEngine = Omit<Remote<EngineWorkerMethods>, 'open'> & {
  /** Fulfilled when the worker has ended; with the reason, unless the page closed it. */
  readonly ended: Promise<Error | undefined>
}

/** Starts a worker and opens an engine in it. */
export async function openRemoteEngine(
  options: EngineOptions,
  { onProgress, onFault, onStored, onChanged, onTerminalOutput, onPython: onPhase }: EngineEvents,
  start: () => Worker = startWorker,
): Promise<RemoteEngine> {
  const worker = start()
  const { remote, end } = connectRemote<EngineWorkerMethods>(worker, ports)
  let settleEnded = (_reason: Error | undefined) => {}
  const ended = new Promise<Error | undefined>((resolve) => {
    settleEnded = resolve
  })
  worker.addEventListener('error', (event) => {
    event.preventDefault()
    stop(new Error(`The worker with the files has failed: ${event.message || 'it could not be started'}`))
  })

  function stop(reason?: Error): void {
    worker.terminate()
    for (const leave of rooms.values()) leave()
    end(reason ?? new Error('The endpoint is closed'))
    settleEnded(reason)
  }

  /** A worker has no frame to run programs in. */
  const rooms = new Map<number, () => void>()
  function onRoom({ id, of }: { id: number; of?: { name: RoomName; control: MessagePort; address?: string } }): void {
    if (of !== undefined) {
      const phases = of.name === 'python' ? onPhase : undefined
      return void rooms.set(id, connectRoom(of.name, of.control, of.address, phases))
    }
    rooms.get(id)?.()
    rooms.delete(id)
  }

  const { port1, port2 } = new MessageChannel()
  port1.onmessage = ({ data }) => {
    if ('progress' in data) onProgress?.(data.progress)
    else if ('changed' in data) onChanged?.(data.changed)
    else if ('output' in data) onTerminalOutput?.(data.output)
    else if ('room' in data) onRoom(data.room)
    else if ('stored' in data) onStored?.()
    else onFault?.(asError(data.fault))
  }
  try {
    await remote.open(options, port2)
  } catch (error) {
    stop()
    throw error
  }

  async function close(): Promise<void> {
    try {
      await remote.close()
    } finally {
      port1.close()
      stop()
    }
  }

  return new Proxy(remote as unknown as RemoteEngine, {
    get: (target, name) => (name === 'ended' ? ended : name === 'close' ? close : Reflect.get(target, name)),
  })
}

function startWorker(): Worker {
  return new Worker(new URL('./engine-worker.ts', import.meta.url), { type: 'module', name: 'polyfs' })
}
