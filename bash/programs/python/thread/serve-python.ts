/** The thread's side: one program at a time, until the shell ends the thread. */
import {
  type FromPython,
  type PythonImage,
  type PythonStart,
  type PythonThreadGiven,
  type ToPython,
  usualFlags,
} from '../wire.js'
import { ask, type Question } from './ask.js'
import { SystemFailure } from './errno.js'
import type { Room } from './image.js'
import { machine } from './machine.js'
import type { Waiting } from './waiting.js'

/** How the thread of a platform gets its answers. */
export interface PythonThreadWay {
  /** For one program. */
  waiting(run: Extract<ToPython, { kind: 'run' }>, post: (message: FromPython) => void): Waiting
  /** Used to make an image: what is asked has its answer. */
  alone(answer: (question: Question) => unknown): Waiting
  room: Room
}

/** Returns the handler for messages from the shell. */
export function servePython(
  given: PythonThreadGiven,
  post: (message: FromPython) => void,
  { waiting, alone, room }: PythonThreadWay,
): (message: ToPython) => void {
  const { module, library } = given

  async function imageMade(): Promise<PythonImage> {
    const clock = { now: () => 0, elapsed: () => 0 }
    const printed: string[] = []
    const made = machine({ module, library, waiting: alone(nobody(printed)), start: imageStart, clock })
    try {
      await made.begin()
    } catch (error) {
      throw new Error(`${String(error)}: ${printed.join('')}`)
    }
    return made.image(room)
  }

  async function run(message: Extract<ToPython, { kind: 'run' }>): Promise<number> {
    const { start } = message
    const image = message.image === 'own' ? given.image : message.image
    const now = start.isVirtual ? () => ask('now') : () => Date.now()
    const clock = { now, elapsed: start.isVirtual ? now : () => performance.now() }
    const grown = (pages: number) => post({ kind: 'memory', pages })
    const made = machine({ module, library, waiting: waiting(message, post), start, clock, grown })
    if (image === undefined) await made.begin()
    else await made.restore(image)
    return await made.run()
  }

  async function handle(message: ToPython): Promise<void> {
    try {
      if (message.kind === 'run') post({ kind: 'done', status: await run(message) })
      else if (message.kind === 'make image') post({ kind: 'image', image: await imageMade() })
    } catch (error) {
      post({ kind: 'failed', message: error instanceof Error ? `${error.name}: ${error.message}` : String(error) })
    }
  }

  return (message) => void handle(message)
}

/** An image knows no files. What is written says why it can't be made. */
function nobody(printed: string[]): (question: Question) => undefined {
  return ({ name, given }) => {
    if (name !== 'write') throw new SystemFailure('ENOENT')
    printed.push(new TextDecoder().decode(given[1] as Uint8Array))
    return undefined
  }
}

const imageStart: PythonStart = {
  target: { kind: 'stdin' },
  flags: { ...usualFlags, forgets: true, isolated: true },
  args: [],
  called: [],
  env: {},
  cwd: '/',
  umask: 0o22,
  maxMemoryBytes: 2 ** 30,
  seed: [0],
  isVirtual: false,
}
