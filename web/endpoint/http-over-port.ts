/** HTTP requests over a `MessagePort`: a service worker passes intercepted requests to the engine of a page. */

export type Fetch = (request: Request) => Promise<Response>

type FromClient =
  | { request: number; url: string; method: string; headers: [string, string][]; body?: ArrayBuffer }
  | { cancel: number }

type FromServer =
  | { response: number; status: number; headers: [string, string][] }
  | { chunk: number; bytes: Uint8Array<ArrayBuffer> }
  | { end: number; fault?: string }

/** Answers requests until the returned function is called. Bodies are streamed. */
export function serveHttpRequests(port: MessagePort, fetch: Fetch): () => void {
  const underWay = new Map<number, AbortController>()

  async function answer({ request, url, method, headers, body }: Extract<FromClient, { request: number }>) {
    const controller = new AbortController()
    underWay.set(request, controller)
    const send = (message: FromServer) => port.postMessage(message)
    try {
      const { signal } = controller
      const response = await fetch(new Request(url, { method, headers, signal, ...(body && { body }) }))
      send({ response: request, status: response.status, headers: [...response.headers] })
      const reader = response.body?.getReader()
      signal.addEventListener('abort', () => void reader?.cancel().catch(() => {}))
      for (let read = await reader?.read(); read !== undefined && !read.done; read = await reader?.read()) {
        send({ chunk: request, bytes: read.value })
      }
      send({ end: request })
    } catch (error) {
      send({ end: request, fault: error instanceof Error ? error.message : String(error) })
    } finally {
      underWay.delete(request)
    }
  }

  function receive({ data }: MessageEvent<FromClient>): void {
    if ('cancel' in data) underWay.get(data.cancel)?.abort()
    else void answer(data)
  }
  port.addEventListener('message', receive)
  port.start()
  return () => {
    port.removeEventListener('message', receive)
    for (const controller of underWay.values()) controller.abort()
    port.close()
  }
}

/** A `fetch` whose requests the other end of the port answers; `onClose` is called when that end is closed. */
export function fetchThroughPort(port: MessagePort, onClose: () => void): Fetch {
  const underWay = new Map<number, Answer>()
  let count = 0

  port.addEventListener('close', () => {
    for (const answer of underWay.values()) answer.finish('The page that served the files is gone')
    underWay.clear()
    onClose()
  })

  port.addEventListener('message', ({ data }: MessageEvent<FromServer>) => {
    if ('response' in data) underWay.get(data.response)?.begin(data.status, data.headers)
    else if ('chunk' in data) underWay.get(data.chunk)?.add(data.bytes)
    else {
      underWay.get(data.end)?.finish(data.fault)
      underWay.delete(data.end)
    }
  })
  port.start()

  return async (request) => {
    count += 1
    const number = count
    const body = request.method === 'GET' || request.method === 'HEAD' ? undefined : await request.arrayBuffer()
    const cancel = () => {
      underWay.delete(number)
      port.postMessage({ cancel: number } satisfies FromClient)
    }
    request.signal.addEventListener('abort', cancel)
    const answer = new Promise<Response>((resolve, reject) => {
      underWay.set(number, answerTo(resolve, reject, cancel))
    })
    const { url, method, headers } = request
    port.postMessage({
      request: number,
      url,
      method,
      headers: [...headers],
      ...(body && { body }),
    } satisfies FromClient)
    return answer
  }
}

interface Answer {
  begin(status: number, headers: [string, string][]): void
  add(bytes: Uint8Array<ArrayBuffer>): void
  finish(fault?: string): void
}

function answerTo(resolve: (response: Response) => void, reject: (error: Error) => void, cancel: () => void): Answer {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  return {
    begin(status, headers) {
      const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
        start(given) {
          controller = given
        },
        cancel,
      })
      // `Response` rejects a body with these statuses.
      resolve(new Response([204, 205, 304].includes(status) ? null : body, { status, headers }))
    },
    add: (bytes) => controller?.enqueue(bytes),
    finish(fault) {
      if (fault === undefined) controller?.close()
      else if (controller === undefined) reject(new Error(fault))
      else controller.error(new Error(fault))
    },
  }
}
