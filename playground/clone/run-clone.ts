/** The page's side of the worker that clones. */
import { asError } from '../../src/engine/remote-calls.js'
import type { CloneStep } from '../../src/git/commands/fetch-origin.js'
import { originOf, workerFor } from '../page/other-origin.js'
import type { Cloned, CloneRequest, FromCloneWorker } from './clone-messages.js'
import workerAddress from './clone-worker.ts?worker&url'

/** The site that serves the page does not let it connect there. */
export class BlockedByPolicy extends Error {}

/** Fails as `cloneRepository` does, with `BlockedByPolicy`, or with the reason of the signal. */
export function runClone(
  request: CloneRequest,
  { signal, onStep }: { signal: AbortSignal; onStep: (step: CloneStep) => void },
): Promise<Cloned> {
  const origin = originOf(request.corsProxy ?? request.url)
  if (origin === undefined) throw new Error('Not the address of a server')
  const worker = workerFor(origin, workerAddress, 'clone')
  return new Promise<Cloned>((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    worker.addEventListener('error', (event) => {
      event.preventDefault()
      reject(new Error(`The part of this page that clones has failed: ${event.message || 'it could not be loaded'}`))
    })
    worker.addEventListener('message', ({ data }: MessageEvent<FromCloneWorker>) => {
      if ('step' in data) onStep(data.step)
      else if ('cloned' in data) resolve(data.cloned)
      else reject(data.isBlocked ? new BlockedByPolicy() : asError(data.fault))
    })
    worker.postMessage(request)
  }).finally(() => worker.terminate())
}
