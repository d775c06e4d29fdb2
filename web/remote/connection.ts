/** The connection of a page to the server that has its files. It is made again when it breaks, and loses no message. */
import { type ResumableChannel, resumableChannel } from '../../src/engine/resumable-channel.js'
import { uiPaths, uiProtocol } from '../../src/engine/ui-protocol.js'
import { decodeMessage, encodeMessage, type LargeValue, storedIn } from '../../src/engine/wire.js'

export interface ConnectionEnds {
  /** The server is reached, or not for the moment. */
  onState(isConnected: boolean): void
  /** The connection can't be continued: the server does not know the page any more, or does not admit it. */
  onLost(reason: Error): void
}

export interface ServerPlace {
  /** Such as `http://127.0.0.1:4100`. */
  server: string
  /** From `enterServer`. */
  key: string
  /** Opens a WebSocket, where the platform has none of its own. */
  openSocket?: (url: string, protocols: string[]) => WebSocket
}

export interface Connection {
  readonly channel: ResumableChannel
  /** Fulfilled when the server was reached for the first time. */
  readonly opened: Promise<void>
  close(): void
}

/** The server no longer admits the page. */
export class NotAdmitted extends Error {
  override readonly name = 'NotAdmitted'
}

const firstPauseMs = 250
const longestPauseMs = 5000
const maxHeldBytes = 64 * 1024 * 1024

/** Exchanges the token of an address for a key. Fails with `NotAdmitted` when it was used before. */
export async function enterServer(server: string, token: string): Promise<string> {
  const response = await fetch(`${server}${uiPaths.enter}`, {
    method: 'POST',
    body: token,
    credentials: 'omit',
    redirect: 'error',
  })
  if (!response.ok) throw new NotAdmitted('This address was used already: each one works once')
  const { key } = (await response.json()) as { key: string }
  return key
}

export function connectServer(place: ServerPlace, { onState, onLost }: ConnectionEnds): Connection {
  const { server, key } = place
  const openSocket = place.openSocket ?? ((url, protocols) => new WebSocket(url, protocols))
  const headers = { authorization: `Bearer ${key}` }
  let session: string | undefined
  let socket: WebSocket | undefined
  let pauseMs = firstPauseMs
  let retry: ReturnType<typeof setTimeout> | undefined
  let isOver = false
  let settle: { resolve(): void; reject(reason: Error): void } | undefined
  const opened = new Promise<void>((resolve, reject) => {
    settle = { resolve, reject }
  })
  // Those who wait for it get the failure.
  opened.catch(() => {})

  const channel = resumableChannel({ encode, decode, onLost: lose, maxHeldBytes })

  async function encode(message: unknown): Promise<Uint8Array<ArrayBuffer>> {
    const large: LargeValue[] = []
    const bytes = encodeMessage(message, (value) => String(large.push(value)))
    if (large.length === 0) return bytes
    const names: string[] = []
    for (const value of large) names.push(await upload(value))
    return encodeMessage(message, () => names.shift() ?? '')
  }

  async function upload(value: LargeValue): Promise<string> {
    await opened
    const response = await again(`${uiPaths.values}?session=${session}`, { method: 'POST', body: value, headers })
    return ((await response.json()) as { name: string }).name
  }

  async function decode(bytes: Uint8Array): Promise<unknown> {
    const fetched = new Map<string, Uint8Array>()
    for (const name of storedIn(bytes)) {
      const response = await again(`${uiPaths.values}/${name}`, { headers })
      fetched.set(name, new Uint8Array(await response.arrayBuffer()))
    }
    return decodeMessage(bytes, fetched)
  }

  /** Asks until the server answers. */
  async function again(path: string, options: RequestInit): Promise<Response> {
    for (;;) {
      const response = await fetch(`${server}${path}`, { ...options, redirect: 'error' }).catch(() => undefined)
      if (response?.ok) return response
      if (isOver || (response !== undefined && response.status !== 503)) throw new Error('The server does not have it')
      await new Promise((resolve) => setTimeout(resolve, longestPauseMs / 5))
    }
  }

  function connect(): void {
    const query = session === undefined ? '' : `?session=${session}&received=${channel.received}`
    const url = `${server.replace(/^http/, 'ws')}${uiPaths.socket}${query}`
    const next = openSocket(url, [uiProtocol.name, `${uiProtocol.key}${key}`])
    next.binaryType = 'arraybuffer'
    socket = next
    const link = {
      send: (frame: Uint8Array<ArrayBuffer>) => {
        if (next.readyState === 1) next.send(frame)
      },
      close: () => next.close(),
    }
    next.addEventListener('message', ({ data }) => {
      if (isOver || socket !== next) return
      if (typeof data === 'string') greet(JSON.parse(data), link)
      else void channel.receive(new Uint8Array(data as ArrayBuffer)).catch(lose)
    })
    next.addEventListener('error', () => {})
    next.addEventListener('close', () => {
      channel.detach(link)
      if (isOver || socket !== next) return
      socket = undefined
      onState(false)
      retry = setTimeout(() => void connectAgain(), pauseMs)
      pauseMs = Math.min(2 * pauseMs, longestPauseMs)
    })
  }

  function greet(
    greeting: { session: string; received: number; isNew: boolean },
    link: Parameters<ResumableChannel['attach']>[0],
  ) {
    if (session !== undefined && greeting.isNew) return lose(new Error('The server has forgotten this page'))
    session = greeting.session
    try {
      channel.attach(link, greeting.received)
    } catch (error) {
      return lose(error as Error)
    }
    pauseMs = firstPauseMs
    settle?.resolve()
    onState(true)
  }

  /** A WebSocket does not say why it was refused, so the key is tried first. */
  async function connectAgain(): Promise<void> {
    const response = await fetch(`${server}${uiPaths.key}`, { headers, credentials: 'omit', redirect: 'error' }).catch(
      () => undefined,
    )
    if (isOver) return
    if (response?.status === 401)
      return lose(new NotAdmitted('The server was started again and does not know this page'))
    connect()
  }

  function lose(reason: Error): void {
    if (isOver) return
    end()
    settle?.reject(reason)
    onLost(reason)
  }

  function end(): void {
    isOver = true
    clearTimeout(retry)
    socket?.close()
  }

  void connectAgain()
  return { channel, opened, close: end }
}
