/** Python for the emulated shell in Node: its engine from the optional package, in threads, and its image kept between processes. */
import { createHash } from 'node:crypto'
import { mkdir, open, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { packedImage, unpackedImage } from '../../bash/programs/python/host/packed-image.js'
import { type PythonThread, type PythonThreads, pythonThreads } from '../../bash/programs/python/host/python-threads.js'
import { librarySource } from '../../bash/programs/python/library.js'
import type { PythonImage, PythonThreadGiven } from '../../bash/programs/python/wire.js'
import { fileIfInstalled, fileOfPackage } from './optional-package.js'

const pyodide = { name: 'pyodide', version: '314.0.7' }
const engineFiles = ['pyodide.asm.wasm', 'python_stdlib.zip']
/** In the build, from a chunk of the thread that runs commands. */
const workerFile = new URL('../python-worker.js', import.meta.url)
/** Of the thread, beside what Python holds: Python calls itself through the engine's stack. */
const stackMegabytes = 64

export function threadsOfNode(): PythonThreads {
  let name: string | undefined

  async function load(): Promise<PythonThreadGiven> {
    const [code, library] = await Promise.all(engineFiles.map((file) => fileOfPackage(pyodide, file)))
    name = imageName(code as Buffer)
    return { module: new WebAssembly.Module(new Uint8Array(code as Buffer)), library: shared(library as Buffer) }
  }

  return pythonThreads({
    load,
    startThread,
    keptImage: async () => (name === undefined ? undefined : readImage(name)),
    keepImage: async (_given, image) => {
      if (name !== undefined) await writeImage(name, image)
    },
  })
}

/** For a page: what its `python` directory has of the package. Undefined for all other names, and where it is not installed. */
export async function engineFile(name: string): Promise<Uint8Array | undefined> {
  return engineFiles.includes(name) ? fileIfInstalled(pyodide, name) : undefined
}

function shared(bytes: Uint8Array): Uint8Array<SharedArrayBuffer> {
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.length))
  copy.set(bytes)
  return copy
}

function startThread(given: PythonThreadGiven): PythonThread {
  const thread = new Worker(workerFile, {
    env: {},
    argv: [],
    execArgv: [],
    workerData: given,
    resourceLimits: { stackSizeMb: stackMegabytes },
  })
  // It must not keep the process alive when nothing runs in it.
  thread.unref()
  let onMessage: Parameters<PythonThread['onMessage']>[0] = () => {}
  let onLost: Parameters<PythonThread['onLost']>[0] = () => {}
  thread.on('message', (message) => onMessage(message))
  thread.on('error', (error) => onLost(error.message))
  thread.on('exit', () => onLost('the thread of Python ended'))
  return {
    sharesMemory: true,
    post(message) {
      thread.ref()
      thread.postMessage(message)
    },
    onMessage(listener) {
      onMessage = listener
    },
    onLost(listener) {
      onLost = listener
    },
    end() {
      onLost = () => {}
      void thread.terminate()
    },
  }
}

/** Of what an image depends on. */
function imageName(code: Uint8Array): string {
  return createHash('sha256').update(code).update(librarySource).update(process.version).digest('hex').slice(0, 32)
}

/** Only the user may change what is run for them. */
function imageFolder(): string {
  const { uid } = userInfo()
  return join(tmpdir(), `polyfs-python-${uid}`)
}

const digestBytes = 32

/** A digest of all that follows comes first. */
async function readImage(name: string): Promise<PythonImage | undefined> {
  let bytes: Buffer
  try {
    const file = await open(join(imageFolder(), name))
    try {
      const { uid, mode } = await file.stat()
      if (uid !== userInfo().uid || (mode & 0o022) !== 0) return undefined
      bytes = await file.readFile()
    } finally {
      await file.close()
    }
  } catch {
    return undefined
  }
  const content = bytes.subarray(digestBytes)
  if (!digestOf(content).equals(bytes.subarray(0, digestBytes))) return undefined
  return unpackedImage(content, (size) => new SharedArrayBuffer(size))
}

function digestOf(content: Uint8Array): Buffer {
  return createHash('sha256').update(content).digest()
}

/** A failure costs time, nothing else. */
async function writeImage(name: string, image: PythonImage): Promise<void> {
  const content = packedImage(image)
  const folder = imageFolder()
  const unfinished = join(folder, `${name}.${process.pid}.${performance.now()}`)
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await writeFile(unfinished, Buffer.concat([digestOf(content), content]), { mode: 0o600, flag: 'wx' })
    await rename(unfinished, join(folder, name))
    for (const other of await readdir(folder))
      if (/^[0-9a-f]{32}$/.test(other) && other !== name) await rm(join(folder, other), { force: true })
  } catch {
    await rm(unfinished, { force: true }).catch(() => {})
  }
}
