/**
 * CPython, compiled to WebAssembly. What it imports is given here, and nothing else reaches it: no JavaScript of its distribution is
 * loaded, so that a program has what the system calls give it and no more.
 */
import type { Bytes } from '../../../../src/fs/types.js'
import { seededRandom } from '../../../../src/text/seeded-random.js'
import { enginePageBytes, type PythonImage, type PythonStart } from '../wire.js'
import { type Asking, enter, settled } from './ask.js'
import { descriptorCalls } from './descriptor-calls.js'
import { engineMemory, ownerId } from './engine-memory.js'
import { errno } from './errno.js'
import { imageOf, type Room, restoreImage } from './image.js'
import { openFiles } from './open-files.js'
import { libraryPath, ownFiles } from './own-files.js'
import { pathCalls } from './path-calls.js'
import { atWorkingDirectory, type Process, pathAt } from './process.js'
import { requests } from './requests.js'
import { type Clock, readsClock, timeCalls, type ZoneNames, zoneNameBytes } from './time-calls.js'
import { callsWithoutJavaScript } from './trampoline.js'
import { sleeping, type Waiting } from './waiting.js'

/** The program has ended by itself. */
export class ProgramExit extends Error {
  constructor(readonly status: number) {
    super('exit')
  }
}

/** The engine can't go on. */
export class EngineFailure extends Error {}

export interface MachineGiven {
  module: WebAssembly.Module
  library: Bytes
  waiting: Waiting
  start: PythonStart
  clock: Clock
  /** Told whenever the engine has more memory. */
  grown?(pages: number): void
}

export interface Machine {
  /** Starts the interpreter. */
  begin(): void | Promise<void>
  /** Goes on where the image was made. */
  restore(image: PythonImage): void | Promise<void>
  image(room: Room): PythonImage
  /** Runs the program and ends the interpreter. */
  run(): number | Promise<number>
}

interface Exports {
  memory: WebAssembly.Memory
  __indirect_function_table: WebAssembly.Table
  __stack_pointer: WebAssembly.Global
  _Py_NoneStruct: WebAssembly.Global
  PyExc_OSError: WebAssembly.Global
  [name: string]: unknown
}

type Call = (...given: number[]) => number

/** Of the memory before Python starts; more is added as it is needed. */
const growthBytes = 16 << 20
const failed = -1
/** System calls of the machine's own clock have their answers. */
const atOnce = sleeping(() => undefined)
/** Imports that may need the shell. */
const mayAsk = /^(__syscall_|fd_|_mmap_js$|_msync_js$|_munmap_js$)/
/** As the interpreter ends when it can't write what is left. */
const flushStatus = 120

export function machine({ module, library, waiting, start, clock, grown = () => {} }: MachineGiven): Machine {
  const random = randomBytes(start.seed)
  const instance = new WebAssembly.Instance(module, imports())
  const exports = instance.exports as unknown as Exports
  const memory = engineMemory(exports.memory)
  const call = (name: string, ...given: number[]) => (exports[name] as Call)(...given)
  const process: Process = {
    memory,
    files: openFiles(),
    allocate: (bytes, alignment) => call('aligned_alloc', alignment, Math.ceil(bytes / alignment) * alignment),
    free: (address) => void call('free', address),
    cwd: start.cwd,
    umask: start.umask,
  }
  const times = timeCalls(memory, clock)
  const own = ownFiles({
    library,
    randomBytes: random,
    request: requests({ process, start, setZone, allowChanges }),
  })
  const descriptors = descriptorCalls(process)
  const env = { ...pathCalls(process, own), ...descriptors.env, ...times.env, ...processCalls() }
  const standard = { ...descriptors.standard, ...times.standard, ...standardCalls() }
  for (const descriptor of [0, 1, 2]) {
    process.files.put(descriptor, { kind: 'stream', stream: descriptor, flags: descriptor === 0 ? 0 : 1 })
  }
  call('emscripten_stack_init')
  const setTrampoline = waiting.suspends ? callsWithoutJavaScript(exports, memory) : () => {}
  let fresh: Uint8Array | undefined

  /** The calls are known only after the instance is made, and it makes none before. */
  function imports(): WebAssembly.Imports {
    const given: { [module: string]: { [name: string]: unknown } } = {}
    for (const { module: from, name, kind } of WebAssembly.Module.imports(module)) {
      given[from] ??= {}
      given[from][name] =
        kind === 'global' ? new WebAssembly.Global({ value: 'i32', mutable: true }, 0) : imported(from, name)
    }
    return given as WebAssembly.Imports
  }

  function imported(from: string, name: string): unknown {
    const made = (...given: unknown[]) => called(from, name, given)
    const reads = readsClock.test(name)
    if (!reads && !mayAsk.test(name)) return made
    const way = reads && !start.isVirtual ? atOnce : waiting
    return way.imported((...given) => settled(made(...given)))
  }

  function called(from: string, name: string, given: unknown[]): unknown {
    const known = (from === 'env' ? env : standard) as {
      [name: string]: ((...given: unknown[]) => unknown) | undefined
    }
    const found = known[name]
    if (found !== undefined) return found(...given)
    // Sockets, and what needs JavaScript objects: there are none.
    return name.startsWith('__syscall') ? -(errno.ENOSYS as number) : null
  }

  function processCalls() {
    return {
      __syscall_getuid32_js: () => ownerId,
      __syscall_umask_js(mask: number) {
        const before = process.umask
        process.umask = mask & 0o777
        return before
      },
      // Names of hosts are not known here.
      getaddrinfo: () => -2,
      getnameinfo: () => -2,
      _try_fcntl64: () => 0,
      _try_shutdown: () => 0,
      emscripten_get_heap_max: () => start.maxMemoryBytes,
      emscripten_resize_heap(bytes: number) {
        const wanted = bytes >>> 0
        const now = exports.memory.buffer.byteLength
        if (wanted > start.maxMemoryBytes) return 0
        const more = Math.min(Math.max(wanted, now + growthBytes), start.maxMemoryBytes)
        try {
          exports.memory.grow(Math.ceil((more - now) / enginePageBytes))
          countMemory()
          return 1
        } catch {
          return 0
        }
      },
      _PyEM_TrampolineCall_JS: (address: number, a: number, b: number, c: number) =>
        (exports.__indirect_function_table.get(address) as Call)(a, b, c),
      __call_sighandler: (address: number, signal: number) =>
        (exports.__indirect_function_table.get(address) as Call)(signal),
      _setitimer_js: () => -(errno.ENOSYS as number),
      _emscripten_system: () => -(errno.ENOSYS as number),
      exit: leave,
      _abort_js() {
        throw new EngineFailure('aborted')
      },
      __assert_fail(condition: number) {
        throw new EngineFailure(memory.text(condition))
      },
    }
  }

  function standardCalls() {
    return {
      proc_exit: leave,
      environ_sizes_get(count: number, bytes: number) {
        memory.putWord(count, 0)
        memory.putWord(bytes, 0)
        return 0
      },
      environ_get: () => 0,
      random_get(address: number, length: number) {
        memory.bytes().set(random(length), address)
        return 0
      },
    }
  }

  function leave(status: number): never {
    throw new ProgramExit(status)
  }

  /** Calls a function with texts as `char *`. */
  function* withTexts<Result>(
    texts: string[],
    use: (...addresses: number[]) => Result | Asking<Result>,
  ): Asking<Result> {
    const addresses = texts.map((text) => {
      const bytes = new TextEncoder().encode(text)
      const address = call('malloc', bytes.length + 1)
      memory.putText(address, text)
      return address
    })
    const result = yield* settled(use(...addresses))
    for (const address of addresses) call('free', address)
    return result
  }

  /** The C library has asked for the names of a zone before, and asks once. */
  function* setZone(name: string | undefined): Asking<ZoneNames> {
    call('tzset')
    const zone = yield* times.setZone(name)
    const addressOf = (variable: string) => (exports[variable] as WebAssembly.Global).value
    for (const [index, text] of zone.names.entries()) {
      memory.putText(memory.word(addressOf('tzname') + 4 * index), text.slice(0, zoneNameBytes))
    }
    memory.putWord(addressOf('timezone'), zone.offsets[0])
    memory.putWord(addressOf('daylight'), zone.offsets[0] === zone.offsets[1] ? 0 : 1)
    return zone
  }

  /** By default nothing of Python's own types can be changed from inside. */
  function allowChanges(allowed: boolean): void {
    const flagsAt = memory.word(exports.PyExc_OSError.value as number) + 84
    const immutable = 1 << 8
    memory.putWord(flagsAt, allowed ? memory.word(flagsAt) & ~immutable : memory.word(flagsAt) | immutable)
  }

  function countMemory(): void {
    grown(exports.memory.buffer.byteLength / enginePageBytes)
  }

  /** What the engine does first reads the clock, so it may ask. */
  function* construct(): Asking<void> {
    yield* enter('__wasm_call_ctors')
    setTrampoline()
  }

  function* restore(image: PythonImage): Asking<void> {
    yield* construct()
    restoreImage(exports.memory, image)
    countMemory()
    exports.__stack_pointer.value = image.stackPointer
    setTrampoline()
  }

  function* begin(): Asking<void> {
    yield* construct()
    countMemory()
    fresh = memory.bytes().slice()
    const config = call('PyInitConfig_Create')
    const set = (status: number) => {
      if (status === failed) throw new EngineFailure('Python can not be configured so')
    }
    const numbers: { [name: string]: number } = { ...defaults, ...start.flags.config }
    for (const [name, value] of Object.entries(numbers)) {
      yield* withTexts([name], (address) => {
        set(
          (exports.PyInitConfig_SetInt as (config: number, name: number, value: bigint) => number)(
            config,
            address,
            BigInt(value),
          ),
        )
      })
    }
    for (const [name, value] of Object.entries(places)) {
      yield* withTexts([name, value], (key, text) => set(call('PyInitConfig_SetStr', config, key, text)))
    }
    yield* withTexts(['module_search_paths', libraryPath], (key, path) => {
      const list = call('malloc', 4)
      memory.putWord(list, path as number)
      set(call('PyInitConfig_SetStrList', config, key as number, 1, list))
      call('free', list)
    })
    if ((yield* enter('Py_InitializeFromInitConfig', config)) === failed)
      throw new EngineFailure('Python does not start')
    call('PyInitConfig_Free', config)
    if ((yield* runCode(loader)) !== 0) {
      throw new EngineFailure('the library of Python can not be prepared')
    }
  }

  /** The result of a function of the library without arguments; 0 when it failed. */
  function* callLibrary(name: string): Asking<number> {
    const library = yield* withTexts(['_polyfs'], (text) => enter('PyImport_ImportModule', text as number))
    const made =
      library && (yield* withTexts([name], (text) => enter('PyObject_GetAttrString', library, text as number)))
    return made && (yield* enter('PyObject_CallNoArgs', made))
  }

  /** With `inspect` an exit of the program is printed, and what follows still runs. */
  function* setInspect(value: number): Asking<void> {
    const number = call('PyLong_FromLong', value)
    yield* withTexts(['inspect'], (name) => enter('PyConfig_Set', name as number, number))
  }

  function* runThenInteract(): Asking<number> {
    if (!start.flags.interactive) return yield* runTarget()
    yield* setInspect(1)
    if (start.target.kind !== 'stdin') yield* runTarget()
    else if ((yield* callLibrary('start')) === 0) return yield* printed()
    yield* setInspect(0)
    yield* callLibrary('greet')
    return yield* withTexts(['<stdin>'], function* (name) {
      const failed = yield* enter('PyRun_InteractiveLoopFlags', memory.word(exports.stdin as never), name as number, 0)
      return failed === 0 ? 0 : 1
    })
  }

  /** As a process: a failure is printed, and an exit is a `ProgramExit`. */
  function* runTarget(): Asking<number> {
    const made = yield* callLibrary('start')
    if (made === 0) return yield* printed()
    const { target } = start
    if (made !== exports._Py_NoneStruct.value) {
      return (yield* enter('PyObject_CallNoArgs', made)) === 0 ? yield* printed() : 0
    }
    const status = target.kind === 'code' ? yield* runCode(target.code) : yield* runFile(target)
    return status === 0 ? 0 : 1
  }

  function* printed(): Asking<number> {
    yield* enter('PyErr_Print')
    return 1
  }

  function runCode(code: string): Asking<number> {
    return withTexts([code], (text) => enter('PyRun_SimpleStringFlags', text as number, 0))
  }

  function runFile(target: PythonStart['target']): Asking<number> {
    // Tracebacks and `__file__` have the whole path.
    const [path, shown] =
      target.kind === 'file'
        ? [target.path, pathAt(process, atWorkingDirectory, target.path)]
        : ['/dev/stdin', '<stdin>']
    return withTexts([path, shown, 'rb'], function* (from, name, mode) {
      const file =
        target.kind === 'file'
          ? yield* enter('fopen', from as number, mode as number)
          : memory.word(exports.stdin as never)
      return yield* enter('PyRun_AnyFileExFlags', file, name as number, target.kind === 'file' ? 1 : 0, 0)
    })
  }

  function* run(): Asking<number> {
    try {
      const status = yield* runThenInteract()
      return (yield* enter('Py_FinalizeEx')) < 0 ? flushStatus : status
    } catch (error) {
      if (error instanceof ProgramExit) return error.status
      throw error
    } finally {
      yield* process.files.saveAll()
    }
  }

  const engine = (name: string) => exports[name] as Call

  return {
    begin: () => waiting.run(begin(), engine),
    restore: (image) => waiting.run(restore(image), engine),
    image(room) {
      if (fresh === undefined) throw new EngineFailure('nothing was started')
      return imageOf(fresh, memory.bytes(), exports.__stack_pointer.value as number, room)
    },
    run: () => waiting.run(run(), engine),
  }
}

const defaults: { [name: string]: number } = {
  use_environment: 0,
  parse_argv: 0,
  write_bytecode: 0,
  safe_path: 1,
  use_hash_seed: 1,
  hash_seed: 0,
  user_site_directory: 0,
  install_signal_handlers: 0,
  pathconfig_warnings: 0,
}

const places = {
  home: '/usr',
  executable: '/usr/bin/python3',
  base_executable: '/usr/bin/python3',
  prefix: '/usr',
  base_prefix: '/usr',
  exec_prefix: '/usr',
  base_exec_prefix: '/usr',
  program_name: '/usr/bin/python3',
  filesystem_encoding: 'utf-8',
  filesystem_errors: 'surrogateescape',
}

/** Fetches the library as text, because nothing can be imported before. */
const loader = `
import sys, os
def load():
    device = os.open('/dev/polyfs', os.O_RDWR)
    os.write(device, b'["library"]')
    source = b''
    while piece := os.read(device, 1 << 16):
        source += piece
    os.close(device)
    module = type(sys)('_polyfs')
    sys.modules['_polyfs'] = module
    exec(compile(source.decode(), '<polyfs>', 'exec'), module.__dict__)
load()
del sys, os, load
`

/** From a seed, so that runs can be repeated. */
function randomBytes(seed: readonly number[]): (count: number) => Bytes {
  const sources = seed.map(seededRandom)
  return (count) => {
    const bytes = new Uint8Array(count)
    for (let at = 0; at < count; at += 1) {
      let mixed = 0
      for (const next of sources) mixed ^= Math.floor(next() * 256)
      bytes[at] = mixed
    }
    return bytes
  }
}
