/** Runs a script on the engine. Loaded with the first `node` command, because the engine is large. */

import type { ProgramIo } from '../../io/program.js'
import { timeZone } from '../data/time-zone.js'
import { ProgramError } from '../program-error.js'
import { waitFor } from '../system/duration.js'
import { type Machine, MachineFailure, type MachineHost, type Value } from './engine/machine.js'
import { createMachine, exportedNames } from './engine/quickjs.js'
import type { Builtins } from './host/modules/modules.js'
import { type Operations, operations } from './host/operations.js'
import { type Speculation, speculation } from './host/speculation.js'
import { library } from './library.js'
import { beginning, likelyFiles, type NodeStart } from './start.js'

const outOfMemoryStatus = 134
/** The engine asks this often whether to stop; the shell counts finer steps. */
const stepsPerInterrupt = 512
const accountedAtOnce = 8 * 1024 * 1024

export async function runNode(io: ProgramIo, start: NodeStart): Promise<number> {
  const state: { operations?: Operations; machine?: Machine } = {}
  const speculated = speculation({ account: io.account, forget: () => state.operations?.files.forget() })
  const exported = await io.clock.outside(exportedNames(library)).catch(withoutEngine)
  const builtins: Builtins = {
    has: (name) => Object.hasOwn(exported, name),
    // A module that is loaded late is asked itself.
    names: (name) => exported[name] ?? (JSON.parse(String(state.machine?.call('namesOf', name))) as string[]),
  }
  const isModuleText = (text: string) => state.machine?.isModuleText(text) ?? false
  const { code = '', conditions } = start
  const system = operations(io, { speculated, builtins, code, conditions, isModuleText })
  state.operations = system
  await system.files.fetchAll(likelyFiles(io, start))
  const begun = beginning(io, start)
  for (;;) {
    speculated.begin()
    const status = await attempt(io, { system, speculated, begun, use: (machine) => (state.machine = machine) })
    if (status !== 'again') return status
    io.step()
  }
}

/** A page may forbid WebAssembly. */
function withoutEngine(error: unknown): never {
  const isMissing = error instanceof WebAssembly.CompileError || error instanceof ReferenceError
  throw isMissing
    ? new ProgramError(
        "needs WebAssembly; a page allows it with 'wasm-unsafe-eval' in the script-src of its Content-Security-Policy",
        2,
      )
    : error
}

interface Run {
  system: Operations
  speculated: Speculation
  begun: { [key: string]: Value }
  /** Called with the machine that runs. */
  use(machine: Machine): void
}

async function attempt(io: ProgramIo, { system, speculated, begun, use }: Run): Promise<number | 'again'> {
  const zone = timeZone(io.env.get('TZ'))
  let machine: Machine | undefined
  let counted = 0
  /** In pieces, because one large piece is refused. */
  function countMemory(): void {
    for (let left = (machine?.memoryBytes() ?? 0) - counted; left > 0; left -= accountedAtOnce) {
      const piece = Math.min(left, accountedAtOnce)
      counted += piece
      io.account(piece)
    }
  }
  const host: MachineHost = {
    call: system.call,
    clock: system.clock,
    zoneOffset: (seconds) => -zone.at(seconds).offset / 60,
    interrupt() {
      if (speculated.isStopping) return true
      try {
        io.step(stepsPerInterrupt)
        countMemory()
        return false
      } catch (error) {
        speculated.fail(error)
        return true
      }
    },
    normalizeModule: system.normalizeModule,
    loadModule: system.loadModule,
  }
  machine = await io.clock.outside(createMachine(host, library, { isReproducible: io.clock.isVirtual }))
  use(machine)
  try {
    let task: Value = machine.call('start', begun)
    for (;;) {
      const status = await settle(machine, speculated)
      if (status !== undefined) return status
      if (typeof task === 'string') {
        task = machine.call('ran', await speculated.later('command', () => system.runLater(task as string, machine)))
        continue
      }
      if (typeof task === 'number' && !speculated.isReplaying) {
        await io.stdout.flush()
        await waitFor(io, task)
      }
      task = machine.call('next', null)
    }
  } catch (error) {
    if (!(error instanceof MachineFailure)) throw error
    const rest = unwritten(machine)
    if (speculated.hasFailed) speculated.effect(() => (rest.descriptor === 2 ? io.stderr : io.stdout).write(rest.text))
    const status = await speculated.settle()
    if (status !== undefined) return status
    await (rest.descriptor === 2 ? io.stderr : io.stdout).write(rest.text)
    return await reportFailure(io, error)
  } finally {
    io.account(-counted)
  }
}

/** Runs everything that follows from the last task, then does what it did for real. */
async function settle(machine: Machine, speculated: Speculation): Promise<number | 'again' | undefined> {
  while (!speculated.isStopping) {
    const ticks = machine.call('ticks', null)
    const jobs = machine.runJobs()
    if (!jobs && ticks !== true && !machine.reportRejection()) break
  }
  return speculated.settle()
}

/** What a script printed last, when it was ended from outside. */
function unwritten(machine: Machine | undefined): { descriptor: number; text: string } {
  try {
    const all = String(machine?.call('unwritten', null) ?? '')
    return { descriptor: Number(all[0]), text: all.slice(1) }
  } catch (error) {
    if (!(error instanceof MachineFailure)) throw error
    return { descriptor: 1, text: '' }
  }
}

async function reportFailure(io: ProgramIo, failure: MachineFailure): Promise<number> {
  if (/memory/.test(failure.message) && !/access/.test(failure.message)) {
    await io.stderr.write('\nFATAL ERROR: JavaScript heap out of memory\n')
    return outOfMemoryStatus
  }
  const isStack = /stack|access out of bounds|unreachable/i.test(failure.message)
  await io.stderr.write(
    `${isStack ? 'RangeError: Maximum call stack size exceeded' : failure.message}\n\nNode.js v20.20.2\n`,
  )
  return isStack ? 1 : 7
}
