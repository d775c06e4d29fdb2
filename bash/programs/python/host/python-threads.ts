/** Threads that run Python, and what all of them share: the compiled engine, the library and the image of a started interpreter. */
import type { ProgramThread, ProgramThreads } from '../../threads/program-thread.js'
import type { FromPython, PythonImage, ToPython } from '../wire.js'

/** A thread of the platform. */
export type PythonThread = ProgramThread<ToPython, FromPython>

/** What the platform gives. `Given`: what its threads begin with. */
export interface PythonPlatform<Thread extends PythonThread, Given> {
  /** The engine and its library. Fails with a `ProgramError` that says how to get them. */
  load(): Promise<Given>
  startThread(given: Given): Thread
  /** An image that was kept, if the platform keeps them. */
  keptImage(given: Given): Promise<PythonImage | undefined>
  keepImage(given: Given, image: PythonImage): Promise<void>
}

export interface PythonThreads<Thread extends PythonThread = PythonThread, Image = PythonImage | 'own'>
  extends ProgramThreads<Thread> {
  /** What a program begins with: `own` is what the thread has. */
  image(): Promise<Image>
}

/** More would hold memory for nothing: most programs run one after the other. */
const maxIdle = 1

export function pythonThreads<Thread extends PythonThread, Given>(
  platform: PythonPlatform<Thread, Given>,
): PythonThreads<Thread, PythonImage> {
  let loaded: Promise<Given> | undefined
  let image: Promise<PythonImage> | undefined
  const idle: Thread[] = []

  function load(): Promise<Given> {
    loaded ??= platform.load().catch((error) => {
      loaded = undefined
      throw error
    })
    return loaded
  }

  async function makeImage(): Promise<PythonImage> {
    const given = await load()
    const kept = await platform.keptImage(given)
    if (kept !== undefined) return kept
    const thread = platform.startThread(given)
    const made = await new Promise<PythonImage>((resolve, reject) => {
      thread.onMessage((message) => {
        if (message.kind === 'image') resolve(message.image)
        else if (message.kind === 'failed') reject(new Error(message.message))
      })
      thread.onLost((reason) => reject(new Error(reason)))
      thread.post({ kind: 'make image' })
    }).finally(() => thread.end())
    await platform.keepImage(given, made)
    return made
  }

  return {
    async take() {
      return idle.pop() ?? platform.startThread(await load())
    },
    image() {
      image ??= makeImage().catch((error) => {
        image = undefined
        throw error
      })
      return image
    },
    giveBack(thread) {
      if (idle.length < maxIdle) idle.push(thread)
      else thread.end()
    },
  }
}
