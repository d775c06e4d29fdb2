/** Runs a script in a thread with the browser's own engine, and answers it. */
import type { Bytes } from '../../../../src/fs/types.js'
import type { ProgramIo } from '../../../io/program.js'
import { ProgramError } from '../../program-error.js'
import { messageQueue, whileRunning } from '../../threads/message-queue.js'
import { HostFailure, type Value } from '../engine/machine.js'
import { beginning, likelyFiles, type NodeStart } from '../start.js'
import { type FromRunner, type LibraryNames, type NodeThread, type NodeThreads, type Query, queried } from '../wire.js'
import { answering } from './answering.js'
import { operations } from './operations.js'

/** What a thread holds, about, before a script holds anything. */
const threadBytes = 32 << 20
const accountedAtOnce = 8 << 20

/** `no threads`: the page has none. `other engine`: the script needs what only that has, and has done nothing yet. */
export async function runOnThread(
  io: ProgramIo,
  threads: NodeThreads,
  start: NodeStart,
): Promise<number | 'no threads' | 'other engine'> {
  let thread: NodeThread
  try {
    thread = await threads.take()
  } catch (error) {
    if (error instanceof ProgramError) return 'no threads'
    throw error
  }
  for (let left = threadBytes; left > 0; left -= accountedAtOnce) io.account(Math.min(left, accountedAtOnce))
  let isReusable = false
  try {
    const status = await serve(io, thread, start)
    isReusable = true
    return status
  } catch (error) {
    if (error instanceof OtherEngine) return 'other engine'
    throw error
  } finally {
    io.account(-threadBytes)
    if (isReusable) threads.giveBack(thread)
    else thread.end()
  }
}

class OtherEngine extends Error {}

/** What can be seen outside, beside what is written. */
const acts: ReadonlySet<string> = new Set(['run', 'run later', 'stdin'])

/** What only the engine knows, and was not told yet. */
class Unknown extends Error {
  constructor(readonly query: Query['$query']) {
    super('unknown')
  }
}

async function serve(io: ProgramIo, thread: NodeThread, start: NodeStart): Promise<number> {
  const answers = answering(() => system.files.forget())
  const told = new Map<string, Value>()
  const know = (key: string, query: Query['$query']) => {
    const known = told.get(key)
    if (known === undefined) throw new Unknown(query)
    return known
  }
  let exported: LibraryNames = {}
  let hasActed = false
  const system = operations(io, {
    speculated: answers,
    builtins: {
      has: (name) => Object.hasOwn(exported, name),
      names: (name) => exported[name] ?? (know(`names ${name}`, { namesOf: name }) as string[]),
    },
    code: start.code ?? '',
    conditions: start.conditions,
    isModuleText: (text) => know(`text ${text}`, { isModuleText: text }) as boolean,
  })
  const messages = messageQueue<FromRunner>(thread)
  const look = () => io.step()
  const next = () => whileRunning(messages.next(), look)
  const [ready] = await Promise.all([next(), system.files.fetchAll(likelyFiles(io, start))])
  if (ready.kind !== 'ready') throw new ProgramError('the thread does not start', 127)
  exported = ready.names
  thread.post({ kind: 'run', begun: beginning(io, start) })

  /** The first of what was asked, until it has its answer. */
  async function answer(name: string, given: Value[]): Promise<Value> {
    if (name !== queried) return answers.settled(() => called(name, given))
    const [key, value, again, ...rest] = given
    told.set(String(key), value)
    return answer(String(again), rest)
  }

  function called(name: string, given: Value[]): Value {
    const [first, second] = given
    if (name === 'import from') return system.normalizeModule(String(first), String(second))
    if (name === 'load') return system.loadModule(String(first))
    return system.call(name, given)
  }

  for (;;) {
    const message = await next()
    look()
    if (message.kind === 'out') {
      hasActed = true
      await print(io, message.descriptor, message.data)
    } else if (message.kind === 'done') return message.status & 0xff
    else if (message.kind === 'failed') return reportFailure(io, message.message)
    else if (message.kind === 'ask') {
      const { name, given } = checked(message)
      thread.post({ kind: 'answer', answer: await answerTo(name, given) })
    }
  }

  async function answerTo(name: string, given: Value[]): Promise<Value> {
    try {
      if (name === 'drain') return null
      if (name === 'other engine') {
        if (!hasActed && !answers.hasChanged) throw new OtherEngine()
        return null
      }
      hasActed ||= acts.has(name) || given[0] === '/dev/stdin'
      if (name === 'run later') return await system.runLaterWith(String(given[0]), given[1] as Bytes | null)
      return await answer(name, given)
    } catch (error) {
      if (error instanceof Unknown) return { $query: error.query } as unknown as Value
      if (error instanceof HostFailure) return error.given
      throw error
    }
  }
}

/** What a thread tells may be anything: a script could have got hold of its engine. */
function checked({ name, given }: Extract<FromRunner, { kind: 'ask' }>): { name: string; given: Value[] } {
  const isPlain = (each: Value) => each === null || typeof each !== 'object' || each instanceof Uint8Array
  const isRight = typeof name === 'string' && Array.isArray(given) && (name === queried || given.every(isPlain))
  if (!isRight) throw new ProgramError('the thread asked for something that it can not ask', 1)
  return { name, given }
}

async function print(io: ProgramIo, descriptor: number, data: string | Uint8Array): Promise<void> {
  const output = descriptor === 2 ? io.stderr : io.stdout
  await output.write(typeof data === 'string' ? data : (data as Bytes))
  if (descriptor === 2) return
  await output.flush()
}

async function reportFailure(io: ProgramIo, message: string): Promise<number> {
  await io.stderr.write(`${message}\n\nNode.js v20.20.2\n`)
  return 7
}
