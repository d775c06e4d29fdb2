/** The frame that confines Python, with its engine and its library. */
import type { PythonImage } from '../../bash/programs/python/wire.js'
import { openFrame as openRoom, type RoomFrame } from '../room/frame.js'
import { missingFile, siteFile } from '../room/site-files.js'

export interface PythonFrame extends RoomFrame {
  /** Of what its images depend on; undefined where the page can't compute it. */
  readonly name: string | undefined
  /** What all threads begin with. */
  giveImage(image: PythonImage): void
}

const advice =
  "Python's files are not where this page has them: {}; the page must be served with the engine and the library of the npm package pyodide@314.0.7"

export async function openFrame(address: string): Promise<PythonFrame> {
  const [source, code, library] = (await Promise.all(
    ['thread.js', 'pyodide.asm.wasm', 'python_stdlib.zip'].map((name) => siteFile(new URL(name, address), advice)),
  )) as [ArrayBuffer, ArrayBuffer, ArrayBuffer]
  requireEngine(code, new URL('pyodide.asm.wasm', address))
  const name = await nameOf([code, source])
  const frame = await openRoom({
    title: 'Python',
    address: new URL('frame.html', address),
    source,
    code,
    given: { library: new Uint8Array(library) },
  })
  return { ...frame, name, giveImage: (image) => frame.give({ image }) }
}

/** A server may answer with a page of its own where a file is missing. */
function requireEngine(code: ArrayBuffer, address: URL): void {
  const isWebAssembly = new TextDecoder().decode(code.slice(0, 4)) === '\0asm'
  if (!isWebAssembly) throw missingFile(address, 'which is no WebAssembly', advice)
}

async function nameOf(parts: ArrayBuffer[]): Promise<string | undefined> {
  if (globalThis.crypto?.subtle === undefined) return undefined
  const digests = await Promise.all(parts.map((part) => crypto.subtle.digest('SHA-256', part)))
  return digests
    .map((digest) => [...new Uint8Array(digest, 0, 8)].map((byte) => byte.toString(16).padStart(2, '0')).join(''))
    .join('')
}
