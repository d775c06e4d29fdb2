/** WebSocket connections, of pages and of other servers. The only file that imports the library. */
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocket, WebSocketServer } from 'ws'
import { uiClose, uiProtocol } from '../../src/engine/ui-protocol.js'

export interface Socket {
  send(data: Uint8Array | string): void
  close(code?: number): void
  /** Called for every message, also those that came before; a rejected promise or an exception ends the connection. */
  onMessage(receive: (data: Uint8Array, isText: boolean) => void | Promise<void>): void
  onClose(run: () => void): void
}

export interface SocketServer {
  /** Completes the handshake of a request that was admitted. */
  accept(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<Socket>
  close(): void
}

/** A longer message ends the connection: what is large is sent by HTTP. */
const maxMessageBytes = 8 * 1024 * 1024

/** What waits for a side that does not read; with more its connection is ended. */
const maxUnreadBytes = 64 * 1024 * 1024

/** How often a silent connection is tested; one that does not answer until the next test has ended. */
const testEveryMs = 20_000

export function socketServer(): SocketServer {
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: maxMessageBytes,
    perMessageDeflate: false,
    handleProtocols: () => uiProtocol.name,
  })
  const answering = new WeakSet<WebSocket>()
  const testing = setInterval(() => {
    for (const socket of server.clients) {
      if (!answering.has(socket)) {
        socket.terminate()
        continue
      }
      answering.delete(socket)
      socket.ping()
    }
  }, testEveryMs).unref()
  return {
    accept: (request, socket, head) =>
      new Promise((resolve) => {
        server.handleUpgrade(request, socket, head, (opened) => {
          answering.add(opened)
          opened.on('pong', () => answering.add(opened))
          resolve(wrapped(opened))
        })
      }),
    close() {
      clearInterval(testing)
      for (const socket of server.clients) socket.terminate()
      server.close()
    },
  }
}

/** Connects to the page's server of another process. Fails with a `Refused` when that has answered something else. */
export function connectSocket(url: string, key: string, timeoutMs: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url, [uiProtocol.name, `${uiProtocol.key}${key}`], {
      perMessageDeflate: false,
      handshakeTimeout: timeoutMs,
    })
    socket.once('error', reject)
    socket.once('unexpected-response', (request, { statusCode = 0 }) => {
      reject(new Refused(statusCode))
      request.destroy()
    })
    const opened = wrapped(socket)
    socket.once('open', () => resolve(opened))
  })
}

/** The handshake was answered with this status. */
export class Refused extends Error {
  constructor(readonly status: number) {
    super(`The page's server answered with the status ${status}`)
  }
}

/** The other side may send at once, before whoever waits for the connection has it: such messages wait. */
function wrapped(socket: WebSocket): Socket {
  type Message = Parameters<Parameters<Socket['onMessage']>[0]>
  const early: Message[] = []
  let receive: Parameters<Socket['onMessage']>[0] | undefined

  async function pass(...message: Message): Promise<void> {
    if (receive === undefined) return void early.push(message)
    try {
      await receive(...message)
    } catch {
      socket.close(uiClose.malformed)
    }
  }

  // A connection that breaks is closed too.
  socket.on('error', () => {})
  socket.on('message', (data, isBinary) => void pass(asBytes(data), !isBinary))
  return {
    send(data) {
      if (socket.readyState !== WebSocket.OPEN) return
      socket.send(data)
      if (socket.bufferedAmount > maxUnreadBytes) socket.terminate()
    },
    close: (code) => socket.close(code),
    onMessage(listener) {
      receive = listener
      for (const message of early.splice(0)) void pass(...message)
    },
    onClose(run) {
      if (socket.readyState >= WebSocket.CLOSING) run()
      else socket.once('close', run)
    },
  }
}

function asBytes(data: Buffer | ArrayBuffer | Buffer[]): Uint8Array {
  if (Array.isArray(data)) return Buffer.concat(data)
  return data instanceof ArrayBuffer ? new Uint8Array(data) : data
}
