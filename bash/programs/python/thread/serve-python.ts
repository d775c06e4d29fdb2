/** The thread's side: one program at a time, until the shell ends the thread. */
import {
  dataAt,
  type FromPython,
  type PythonImage,
  type PythonStart,
  type PythonThreadGiven,
  type ToPython,
  word,
} from '../wire.js'
import { type Ask, shellBehind } from './ask.js'
import { SystemFailure } from './errno.js'
import { type Machine, machine } from './machine.js'

type RunGiven = Extract<ToPython, { kind: 'run' }>

/** Returns the handler for messages from the shell. */
export function servePython(
  { module, library }: PythonThreadGiven,
  post: (message: FromPython) => void,
): (message: ToPython) => void {
  function imageMade(): PythonImage {
    const clock = { now: () => 0, elapsed: () => 0 }
    const printed: string[] = []
    const made = machine({ module, library, ask: nobody(printed), start: imageStart, clock })
    try {
      made.begin()
    } catch (error) {
      throw new Error(`${String(error)}: ${printed.join('')}`)
    }
    return made.image()
  }

  function run({ start, shared, image }: RunGiven): number {
    const ask = shellBehind(shared, post)
    const now = start.isVirtual ? () => ask('now') : () => Date.now()
    const clock = { now, elapsed: start.isVirtual ? now : () => performance.now() }
    const words = new Int32Array(shared, 0, dataAt / 4)
    const grown = (pages: number) => Atomics.store(words, word.memory, pages)
    const made: Machine = machine({ module, library, ask, start, clock, grown })
    if (image === undefined) made.begin()
    else made.restore(image)
    return made.run()
  }

  return (message) => {
    try {
      if (message.kind === 'run') post({ kind: 'done', status: run(message) })
      else post({ kind: 'image', image: imageMade() })
    } catch (error) {
      post({ kind: 'failed', message: error instanceof Error ? `${error.name}: ${error.message}` : String(error) })
    }
  }
}

/** An image knows no files. What is written says why it can't be made. */
function nobody(printed: string[]): Ask {
  return (name, ...given) => {
    if (name !== 'write') throw new SystemFailure('ENOENT')
    printed.push(new TextDecoder().decode(given[1] as Uint8Array))
    return undefined as never
  }
}

const imageStart: PythonStart = {
  target: { kind: 'stdin' },
  flags: { config: {}, warnings: [], x: [], unbuffered: false, forgets: true, isolated: true },
  args: [],
  called: [],
  env: {},
  cwd: '/',
  umask: 0o22,
  maxMemoryBytes: 2 ** 30,
  seed: [0],
  isVirtual: false,
}
