/** The frame that confines Python, and what it gets: it can load nothing by itself. */
import { ProgramError } from '../../bash/programs/program-error.js'
import type { PythonImage } from '../../bash/programs/python/wire.js'
import type { FromFrame, ToFrame } from './messages.js'

export interface PythonFrame {
  /** Of what its images depend on; undefined where the page can't compute it. */
  readonly name: string | undefined
  /** Returns the number of a thread. */
  start(): number
  connect(id: number, port: MessagePort): void
  end(id: number): void
  onLost(id: number, listener: (reason: string) => void): void
  /** What all threads begin with. */
  giveImage(image: PythonImage): void
}

const commandMissing = 127
const readyMs = 30_000

export async function openFrame(address: string): Promise<PythonFrame> {
  const [source, code, library] = await Promise.all(
    ['thread.js', 'pyodide.asm.wasm', 'python_stdlib.zip'].map((name) => fileAt(new URL(name, address))),
  )
  requireEngine(code as ArrayBuffer, new URL('pyodide.asm.wasm', address))
  const name = await nameOf([code as ArrayBuffer, source as ArrayBuffer])
  const port = await frameAt(new URL('frame.html', address))
  const lost = new Map<number, (reason: string) => void>()
  let last = 0
  const tell = (message: ToFrame, moved: Transferable[] = []) => port.postMessage(message, moved)

  await new Promise<void>((resolve, reject) => {
    port.onmessage = ({ data }: MessageEvent<FromFrame>) => {
      if (data.kind === 'loaded') resolve()
      else if (data.kind === 'failed')
        reject(new ProgramError(`the engine of Python can't be used: ${data.message}`, commandMissing))
      else lost.get(data.id)?.(data.reason)
    }
    const script = new TextDecoder().decode(source)
    tell({ kind: 'load', source: script, code: code as ArrayBuffer, library: new Uint8Array(library as ArrayBuffer) }, [
      code as ArrayBuffer,
      library as ArrayBuffer,
    ])
  })

  return {
    name,
    start() {
      last += 1
      tell({ kind: 'start', id: last })
      return last
    },
    connect: (id, port) => tell({ kind: 'connect', id, port }, [port]),
    end(id) {
      lost.delete(id)
      tell({ kind: 'end', id })
    },
    onLost: (id, listener) => void lost.set(id, listener),
    giveImage: (image) => tell({ kind: 'image', image }),
  }
}

async function fileAt(address: URL): Promise<ArrayBuffer> {
  const response = await fetch(address).catch((error) => ({ ok: false as const, statusText: String(error), status: 0 }))
  if (response.ok) return response.arrayBuffer()
  throw missing(address, `${response.status || response.statusText}`)
}

/** A server may answer with a page of its own where a file is missing. */
function requireEngine(code: ArrayBuffer, address: URL): void {
  const isWebAssembly = new TextDecoder().decode(code.slice(0, 4)) === '\0asm'
  if (!isWebAssembly) throw missing(address, 'which is no WebAssembly')
}

function missing({ href }: URL, why: string): ProgramError {
  return new ProgramError(
    `Python's files are not where this page has them: ${href} (${why}); the page must be served with the engine and the library of the npm package pyodide@314.0.7`,
    commandMissing,
  )
}

/** A frame with an origin of its own. */
function frameAt(address: URL): Promise<MessagePort> {
  const frame = document.createElement('iframe')
  frame.setAttribute('sandbox', 'allow-scripts')
  frame.hidden = true
  frame.title = 'Python'
  frame.src = address.href
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => done(() => reject(notReady(address))), readyMs)
    function done(settle: () => void): void {
      clearTimeout(timer)
      removeEventListener('message', listen)
      settle()
    }
    function listen({ source, data, ports: [port] }: MessageEvent): void {
      if (source === frame.contentWindow && data === 'polyfs python' && port !== undefined) done(() => resolve(port))
    }
    addEventListener('message', listen)
    document.body.append(frame)
  })
}

function notReady(address: URL): ProgramError {
  return new ProgramError(`the frame of Python, ${address.href}, does not start`, commandMissing)
}

async function nameOf(parts: ArrayBuffer[]): Promise<string | undefined> {
  if (globalThis.crypto?.subtle === undefined) return undefined
  const digests = await Promise.all(parts.map((part) => crypto.subtle.digest('SHA-256', part)))
  return digests
    .map((digest) => [...new Uint8Array(digest, 0, 8)].map((byte) => byte.toString(16).padStart(2, '0')).join(''))
    .join('')
}
