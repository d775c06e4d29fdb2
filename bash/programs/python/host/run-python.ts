/** Runs one program in a thread and answers it, until it ends or the command has to stop. */
import type { ProgramIo } from '../../../io/program.js'
import { answerMemory } from '../../threads/answer-memory.js'
import { messageQueue, whileRunning } from '../../threads/message-queue.js'
import { enginePageBytes, type FromPython, type PythonImage, type PythonStart } from '../wire.js'
import { answerMessages } from './answer-messages.js'
import type { PythonThread, PythonThreads } from './python-threads.js'
import { shellAnswers } from './shell-answers.js'

const accountedAtOnce = 8 << 20

export async function runPython(io: ProgramIo, threads: PythonThreads, start: PythonStart): Promise<number> {
  const needsImage = Object.keys(start.flags.config).length === 0
  const [thread, image] = await io.clock.outside(
    Promise.all([threads.take(), needsImage ? threads.image() : undefined]),
  )
  let isReusable = false
  try {
    const ended = await serve(io, thread, start, image)
    isReusable = true
    if (ended.kind === 'done') return ended.status
    return await reportFailure(io, ended.message)
  } finally {
    if (isReusable) threads.giveBack(thread)
    else thread.end()
  }
}

type Ended = Extract<FromPython, { kind: 'done' | 'failed' }>

async function serve(
  io: ProgramIo,
  thread: PythonThread,
  start: PythonStart,
  image: PythonImage | 'own' | undefined,
): Promise<Ended> {
  const given = thread.sharesMemory ? answerMemory() : answerMessages(thread.post)
  const { shared } = given
  const answers = shellAnswers(io)
  const messages = messageQueue(thread)
  let counted = 0
  let engineBytes = 0
  thread.post({ kind: 'run', start, ...(shared && { shared }), ...(image && { image }) })

  /** In pieces, because one large piece is refused. */
  function look(steps?: number): void {
    for (let left = engineBytes - counted; left > 0; left -= accountedAtOnce) {
      const piece = Math.min(left, accountedAtOnce)
      counted += piece
      io.account(piece)
    }
    io.step(steps)
  }

  try {
    for (;;) {
      const message = await untilMessage(io, messages.next, look)
      if (message.kind === 'memory') engineBytes = message.pages * enginePageBytes
      look()
      if (message.kind === 'memory') continue
      if (message.kind === 'more') given.more()
      else if (message.kind !== 'ask') return message as Ended
      else await answer(message)
    }
  } finally {
    await answers.end()
  }

  async function answer({ name, given: args }: Extract<FromPython, { kind: 'ask' }>): Promise<void> {
    const call = answers.calls[name] as (...given: unknown[]) => Promise<unknown>
    let result: unknown
    try {
      result = await call(...args)
    } catch (error) {
      given.fail(await answers.nameOf(error, args))
      return
    }
    given.give(result)
  }
}

/** Python computes without the shell, so on a clock of its own it takes no time; what it asks for does. */
async function untilMessage(
  io: ProgramIo,
  next: () => Promise<FromPython>,
  look: (steps?: number) => void,
): Promise<FromPython> {
  const message = next()
  if (io.clock.isVirtual) {
    return io.clock.outside(whileRunning(message, () => look(0)))
  }
  return whileRunning(message, look)
}

async function reportFailure(io: ProgramIo, message: string): Promise<number> {
  const isStack = /call stack|stack overflow/i.test(message)
  await io.stderr.write(isStack ? 'Fatal Python error: Stack overflow\n' : `Fatal Python error: ${message}\n`)
  return 134
}
