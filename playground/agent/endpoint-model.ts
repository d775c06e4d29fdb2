/** The page's side of the worker that talks to a model's endpoint. */
import { type Model, ModelError, type ModelPart } from '../../models/model.js'
import { originOf, workerFor } from '../page/other-origin.js'
import type { EndpointSettings, FromWorker, ToWorker } from './model-messages.js'
import workerAddress from './model-worker.ts?worker&url'

export interface EndpointModel extends Model {
  close(): void
}

export function endpointModel(settings: EndpointSettings): EndpointModel {
  const origin = originOf(settings.baseUrl)
  if (origin === undefined) throw new Error(`${settings.baseUrl} is not the address of an endpoint`)
  const worker = workerFor(origin, workerAddress, 'model')
  const listeners = new Map<number, (message: FromWorker) => void>()
  let last = 0
  worker.addEventListener('message', ({ data }: MessageEvent<FromWorker>) => listeners.get(data.id)?.(data))
  worker.addEventListener('error', (event) => {
    event.preventDefault()
    const failure = { message: 'The part of this page that talks to models could not be loaded', retryable: false }
    for (const [id, listen] of listeners) listen({ id, failure })
  })
  const send = (message: ToWorker) => worker.postMessage(message)

  return {
    name: settings.model,
    async *stream({ signal, ...request }): AsyncGenerator<ModelPart> {
      last += 1
      const id = last
      const messages = queue<FromWorker>()
      listeners.set(id, messages.push)
      const abort = () => {
        send({ abort: id })
        messages.push({ id, end: true })
      }
      signal.addEventListener('abort', abort, { once: true })
      try {
        send({ begin: id, settings, ...request })
        for (;;) {
          const message = await messages.next()
          if ('failure' in message) throw new ModelError(explained(message.failure.message, origin), message.failure)
          if ('end' in message) return
          yield message.part
        }
      } finally {
        listeners.delete(id)
        signal.removeEventListener('abort', abort)
      }
    },
    close: () => worker.terminate(),
  }
}

/** A browser does not tell a page why a request could not be made. */
function explained(message: string, origin: string): string {
  if (!/failed to fetch|cannot connect|networkerror|load failed/i.test(message)) return message
  return `${origin} can’t be reached. Is it running, and does it allow requests from ${location.origin} (CORS)?`
}

function queue<Item>() {
  const items: Item[] = []
  let wake = () => {}
  return {
    push(item: Item): void {
      items.push(item)
      wake()
    },
    async next(): Promise<Item> {
      for (;;) {
        const item = items.shift()
        if (item !== undefined) return item
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    },
  }
}
