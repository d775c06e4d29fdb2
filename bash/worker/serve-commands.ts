/** The worker side: runs one command at a time; the host holds the files. */
import { isFsError } from '../../src/errors.js'
import { isWithin } from '../../src/fs/path.js'
import type { NetworkOutcome, NetworkRequest } from '../../src/network/types.js'
import type { ShellState } from '../../src/shell/types.js'
import { seededRandom } from '../../src/text/seeded-random.js'
import { encodeText } from '../io/byte-text.js'
import { machineClock } from '../io/command-clock.js'
import { commandTree } from '../io/command-tree.js'
import { describeError } from '../io/describe-error.js'
import { namedPipes } from '../io/named-pipes.js'
import type { ShellNetwork } from '../io/program.js'
import { recentLooks } from '../io/recent-looks.js'
import { callThroughScratch, shownPath } from '../io/scratch-names.js'
import { readerOf } from '../io/streams.js'
import { runScript } from '../language/run/run-script.js'
import { shellPrograms } from '../programs/index.js'
import { layered, type ProgramTable } from '../programs/program-table.js'
import { callQueue } from './call-queue.js'
import { type CalledPrograms, calledPrograms } from './called-programs.js'
import { type Limits, type LimitsGiven, limits, OutOfMemory, Stopped } from './command-limits.js'
import type { CommandToRun, FileAnswer, FromWorker, Send, ToWorker } from './messages.js'
import { outputQueue } from './output-queue.js'
import { unpacked } from './packed-answers.js'
import { type Ask, fromWire, remoteFiles } from './remote-files.js'
import { unknownCommandHint } from './unknown-command.js'
import { type Expected, type Tasks, threadTasks, type VirtualClock, virtualClock } from './virtual-clock.js'

/** The exit code a shell reports for a program killed for lack of memory. */
const killedExitCode = 137

/** More than a worker holds that has run ordinary commands, garbage included. */
const maxIdleBytes = 128 << 20

/** What the platform reports about a thread. */
export interface ThreadGiven extends Pick<LimitsGiven, 'heapBytes'> {
  /** All that the thread holds for its scripts: its heap, garbage included, and what lies beside it. */
  heldBytes?: (() => number) | undefined
  /** Programs that need something of the platform. */
  programs?: ProgramTable
}

/** A command that runs, with what only it may use. */
interface Running {
  limits: Limits
  called: CalledPrograms
  isVirtual: boolean
  /** What else has to be ended when it is stopped. */
  onStop: () => void
  answers: Map<number, Pick<Expected<unknown>, 'resolve' | 'reject'>>
}

/** Returns the handler for messages from the host. */
export function serveCommands(
  post: Send,
  { heapBytes, heldBytes = () => 0, programs = new Map() }: ThreadGiven = {},
): (message: ToWorker) => void {
  const ownPrograms = layered(shellPrograms, programs)
  /** Of all commands, so that a late answer is taken for no other call. */
  let calls = 0
  /** Made for the first command with a clock of its own. */
  let tasks: Tasks | undefined
  let running: Running | undefined

  function clockOf({ nowMs, timeoutMs }: CommandToRun): VirtualClock | undefined {
    if (nowMs === undefined) return undefined
    tasks ??= threadTasks()
    return virtualClock({ startMs: nowMs, endMs: nowMs + timeoutMs, outOfTime: () => new Stopped('timeout'), tasks })
  }

  async function run(given: CommandToRun): Promise<void> {
    const clock = clockOf(given)
    const own = limits({ ...given, heapBytes, ...(clock && { clock }) })
    const time = () => (clock === undefined ? {} : { nowMs: clock.currentMs })
    const queue = callQueue(post)
    const answers: Running['answers'] = new Map()

    function request(made: (call: number) => void, waitsFor: VirtualClock | undefined): Promise<unknown> {
      calls += 1
      const call = calls
      made(call)
      if (waitsFor === undefined) return new Promise((resolve, reject) => answers.set(call, { resolve, reject }))
      const expected = waitsFor.expect()
      answers.set(call, expected)
      return expected.promise
    }

    const called = calledPrograms(
      (called) => {
        const program = callThroughScratch(called, given.scratch)
        const done = request((call) => queue.send({ kind: 'program', call, program, ...time() }), undefined)
        return { call: calls, done }
      },
      queue.send,
      clock ?? machineClock,
    )
    let endWaiting = () => {}
    running = { limits: own, called, answers, isVirtual: clock !== undefined, onStop: () => endWaiting() }
    const ask: Ask = (method, args) => request((call) => queue.ask({ call, method, given: args, ...time() }), clock)
    const network = given.network && {
      allowed: given.network,
      exchange: (wanted: NetworkRequest) =>
        request(
          (call) => queue.send({ kind: 'exchange', call, request: wanted, ...time() }),
          clock,
        ) as Promise<NetworkOutcome>,
    }
    queue.send({ kind: 'begun' })
    const files = remoteFiles(given.capabilities, ask)
    const around = {
      files,
      programs: ownPrograms,
      limits: own,
      called,
      send: queue.send,
      onStop(end: () => void) {
        endWaiting = end
      },
      ...(clock && { clock }),
      ...(network && { network }),
    }
    const done = await runCommand(given, around)
    const isSpent = done.isSpent || heldBytes() > maxIdleBytes
    queue.end({ kind: 'done', ...done, ...(isSpent && { isSpent }), ...time() })
    clock?.end()
  }

  return (message) => {
    if (message.kind === 'run') void run(message.run)
    else if (message.kind === 'stop') {
      running?.limits.stop()
      running?.onStop()
    } else if (message.kind === 'pull') running?.called.pull(message.call)
    else if (message.kind === 'push') running?.called.push(message.call, message.chunk)
    else if (message.kind === 'answer') settle(message)
    else {
      const all = unpacked(message)
      // A clock of its own lets them go on together, in their order, once the first is settled.
      for (const answer of running?.isVirtual ? all.reverse() : all) settle(answer, message)
    }
  }

  function settle(answer: FileAnswer, group?: object): void {
    const pending = running?.answers.get(answer.call)
    running?.answers.delete(answer.call)
    if ('error' in answer) pending?.reject(fromWire(answer.error), group)
    else pending?.resolve(answer.value, group)
  }
}

interface Around {
  files: ReturnType<typeof remoteFiles>
  programs: ProgramTable
  clock?: VirtualClock
  limits: Limits
  called: CalledPrograms
  send: Send
  onStop(end: () => void): void
  network?: ShellNetwork
}

type Done = Omit<Extract<FromWorker, { kind: 'done' }>, 'kind'>

async function runCommand(given: CommandToRun, around: Around): Promise<Done> {
  const { files, limits: own, called, send, clock } = around
  const { command, cwd, env, stdin, reportState, maxMemoryBytes } = given
  const recent = recentLooks(files, () => clock?.currentMs ?? machineClock.elapsed())
  const tree = namedPipes(commandTree(recent), given.pipes?.paths)
  around.onStop(() => reportWaiting(tree.endPipes(new Stopped('aborted'))))
  const programs = layered(
    around.programs,
    new Map(called.programs(given.programs, { settle: tree.settle, suspend: recent.suspend })),
  )
  const outputs = outputQueue(send, () =>
    // Any answer confirms that everything sent before has arrived.
    files.stat('/').then(
      () => {},
      () => {},
    ),
  )
  const stderr = outputs.writer('stderr')
  const say = (text: string) => stderr.write(encodeText(text))
  let done: Done
  try {
    const {
      exitCode,
      cwd: last,
      env: left,
      pipeline,
    } = await runScript({
      source: command,
      cwd,
      env,
      tree,
      programs,
      // Most of what was written before a program starts is kept, even if the worker is ended while the program computes.
      beforeProgram: tree.flushMost,
      stdin: readerOf(stdin),
      stdout: outputs.writer('stdout'),
      stderr,
      scratch: given.scratch,
      now: () => clock?.now() ?? Date.now(),
      ...(clock && { clock }),
      ...(around.network && { network: around.network }),
      random: given.seed === undefined ? () => Math.random() : seededRandom(given.seed),
      step: own.step,
      statement: own.statement,
      pause() {
        const paused = own.pause()
        if (paused !== undefined) tree.flushSoon()
        return paused
      },
      account: own.account,
      hint: (name) => unknownCommandHint(name, Array.from(programs, ([known]) => known).sort()),
    })
    const state: ShellState = { cwd: last, env: left }
    done = { exitCode, ...(reportState && { left: state }), ...(pipeline && { pipeline }) }
  } catch (error) {
    done = killed(error)
  }
  // What is left of a command that was killed goes no further: only what it had written is handed over.
  own.stop()
  try {
    const pipes = await keptPipes()
    if (pipes !== undefined) done = { ...done, pipes }
    await tree.settle()
  } catch (error) {
    if (isFsError(error)) {
      say(`bash: write error: ${describeError(error)}\n`)
      done = { ...done, exitCode: done.exitCode || 1 }
    } else done = killed(error)
  }
  outputs.end()
  return done

  /** Waiting for ever is why such a command was stopped. */
  function reportWaiting(paths: readonly string[]): void {
    for (const path of paths)
      say(`bash: ${shownPath(path, given.scratch)}: the other end of this FIFO was not opened\n`)
  }

  /** What the workspace can't store is removed. */
  async function keptPipes(): Promise<string[] | undefined> {
    const kept: string[] = []
    for (const path of tree.pipes()) {
      if (given.pipes !== undefined && isWithin(given.pipes.directory, path)) kept.push(path)
      else {
        say(`bash: ${path}: this FIFO is removed with the end of the command: only scratch space keeps FIFOs\n`)
        await tree.remove(path)
      }
    }
    return given.pipes && kept
  }

  /** Such a worker may still hold what the command did, so it is not used again. */
  function killed(error: unknown): Done {
    if (error instanceof Stopped) return { exitCode: killedExitCode, stopped: error.reason, isSpent: true }
    const isMemory = error instanceof OutOfMemory || isEngineLimit(error)
    const reason = isMemory ? `out of memory, a command may use ${maxMemoryBytes >> 20} MB` : String(error)
    say(`bash: killed: ${reason}\n`)
    return { exitCode: killedExitCode, isKilled: true, isSpent: true }
  }
}

/** A string, array or buffer beyond what the engine can have. */
function isEngineLimit(error: unknown): boolean {
  return error instanceof RangeError && /invalid|exceed|too (long|large)|allocation/i.test(error.message)
}
