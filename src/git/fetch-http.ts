import type { Bytes } from '../fs/types.js'
import { joinBytes } from '../text/join-bytes.js'
import type { GitHttp, HttpRequest, HttpResponse } from '../workspace/git-settings.js'

/**
 * Lets git clone through the platform's `fetch`: in Node from anywhere, in a page from servers that allow its origin,
 * and from others through `corsProxy`. No credentials are sent but those in the address of a clone.
 */
export function fetchHttp(options: Omit<GitHttp, 'client'> = {}): GitHttp {
  return { client: { request }, ...options }
}

async function request({ url, method = 'GET', headers = {}, body, signal }: HttpRequest): Promise<HttpResponse> {
  const response = await fetch(url, {
    method,
    headers,
    credentials: 'omit',
    ...(body && { body: await collect(body) }),
    ...(signal && { signal }),
  })
  const responseHeaders: Record<string, string> = {}
  response.headers.forEach((value, name) => {
    responseHeaders[name] = value
  })
  return {
    url: response.url,
    method,
    headers: responseHeaders,
    statusCode: response.status,
    statusMessage: response.statusText,
    ...(response.body && { body: pieces(response.body.getReader()) }),
  }
}

async function collect(body: AsyncIterableIterator<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const all: Bytes[] = []
  for await (const piece of body) all.push(piece)
  return joinBytes(all)
}

interface Reader {
  read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>
  cancel(): Promise<void>
}

async function* pieces(reader: Reader) {
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done || value === undefined) return
      yield value
    }
  } finally {
    // Also when nobody wants the rest, so that the connection ends.
    await reader.cancel().catch(() => {})
  }
}
