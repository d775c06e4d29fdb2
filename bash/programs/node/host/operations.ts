/** The calls of the library inside the machine. */
import type { Bytes } from '../../../../src/fs/types.js'
import type { ProgramIo } from '../../../io/program.js'
import { concat } from '../../../io/streams.js'
import { HostFailure, type Machine, type Value } from '../engine/machine.js'
import { Failure } from './failure.js'
import { type FileView, fileView } from './file-view.js'
import type { FileEntry } from './known-files.js'
import { urlOf } from './modules/file-urls.js'
import { withMeta } from './modules/module-source.js'
import { type Builtins, modules } from './modules/modules.js'
import { decoded, type Operation, pureOperations } from './pure-operations.js'
import { type CommandGiven, runCommand } from './run-child.js'
import { Miss, type Speculation } from './speculation.js'

export interface Operations {
  call(operation: string, given: Value[]): Value
  files: FileView
  normalizeModule(base: string, specifier: string): string
  loadModule(name: string): string
  /** The time, the same in every run. */
  clock(): number
  /** Runs a command that the script does not wait for. */
  runLater(given: string, machine: Machine): Promise<Value>
  /** The same, with its input. */
  runLaterWith(given: string, input: Bytes | null): Promise<Value>
}

const maxInputBytes = 64 * 1024 * 1024
const encoder = new TextEncoder()

export interface OperationsGiven {
  speculated: Pick<Speculation, 'answer' | 'effect' | 'exit'>
  builtins: Builtins
  /** The code to run, when it is not a file. */
  code: string
  /** Conditions of packages beside the usual ones. */
  conditions: readonly string[]
  /** True for text that can't be compiled as CommonJS but as an ES module. */
  isModuleText(text: string): boolean
}

/** The name of code that is an ES module and no file. */
const evaluatedModule = '[eval1]'

export function operations(
  io: ProgramIo,
  { speculated, builtins, code, conditions, isModuleText }: OperationsGiven,
): Operations {
  const files = fileView(io, speculated.effect)
  const paths = (io.env.get('NODE_PATH') ?? '').split(':').filter((path) => path !== '')
  const found = modules(files, { builtins, isModuleText, paths, conditions })
  const started = io.clock.elapsed()
  let input: Bytes | undefined

  async function fetchInput(): Promise<void> {
    const chunks: Bytes[] = []
    let size = 0
    for (let chunk = await io.stdin.read(); chunk !== undefined; chunk = await io.stdin.read()) {
      size += chunk.length
      io.account(chunk.length)
      if (size > maxInputBytes) throw new Error('node: more than 64 MB of input')
      chunks.push(chunk)
    }
    input = concat(chunks)
  }

  function stdin(): Bytes {
    if (input === undefined) throw new Miss(fetchInput)
    return input
  }

  async function run(given: string, input: Bytes | null): Promise<Value> {
    const result = await runCommand(io, { ...(JSON.parse(given) as Omit<CommandGiven, 'input'>), input })
    files.forget()
    return result
  }

  const read = (path: string) => (path === '/dev/stdin' || path === '/dev/fd/0' ? stdin() : files.read(path))

  /** Recorded: they depend on what is outside, or change it. */
  const outside: Readonly<Record<string, Operation>> = {
    stat: (path: string, follow: boolean) => statOf(files.stat(path, follow)),
    read: (path: string) => read(path),
    readText: (path: string) => decoded(read(path)),
    readModule: (path: string) => found.text(path),
    list: (path: string) => files.list(path),
    readLink: (path: string) => files.readLink(path),
    realPath: (path: string) => files.realPath(path),
    write(path: string, data: Value, append: boolean, exclusive: boolean, mode: number | null) {
      const options = { append, exclusive, ...(mode !== null && { mode }) }
      files.write(path, typeof data === 'string' ? encoder.encode(data) : (data as Bytes), options)
      return null
    },
    makeDir: (path: string, mode: number | null) => files.makeDir(path, mode ?? 0o777) ?? null,
    remove: (path: string, kind: 'file' | 'directory') => files.remove(path, kind) ?? null,
    rename: (from: string, to: string) => files.rename(from, to) ?? null,
    symlink: (target: string, path: string) => files.symlink(target, path) ?? null,
    setMode: (path: string, mode: number) => files.setMode(path, mode) ?? null,
    setModified: (path: string, modifiedMs: number) => files.setModified(path, modifiedMs) ?? null,
    out(descriptor: number, data: string | Bytes) {
      const output = descriptor === 2 ? io.stderr : io.stdout
      const bytes = typeof data === 'string' ? encoder.encode(data) : data
      speculated.effect(() => output.write(bytes), bytes.length)
      return null
    },
    stdin: () => stdin(),
    clock: () => io.now(),
    random: (count: number) => Uint8Array.from({ length: count }, () => Math.floor(io.random() * 256)),
    run(given: string, input: Bytes | null) {
      throw new Miss(() => run(given, input), true)
    },
    elapsed: () => io.clock.elapsed() - started,
    require: (request: string, base: string, endings: string) => ({
      ...found.require(request, base, endings.split(' ')),
    }),
    import: (specifier: string, base: string) => ({ ...found.import(specifier, base) }),
    main: (path: string) => ({ ...found.main(path) }),
    resolve: (specifier: string, base: string) => found.resolve(specifier, base),
    exit: (status: number) => speculated.exit(status),
  }

  /** What the engine asks for. */
  function answered(operation: string, live: () => string): string {
    const value = speculated.answer(operation, live)
    if (typeof value === 'string') return value
    throw new HostFailure(value as { [key: string]: Value })
  }

  const pure = pureOperations({ zone: io.env.get('TZ'), isReproducible: io.clock.isVirtual })

  return {
    files,
    call(operation, given) {
      if (Object.hasOwn(pure, operation)) return pure[operation]?.(...(given as never[]))
      const run = Object.hasOwn(outside, operation) ? outside[operation] : undefined
      if (run === undefined) throw new Error(`no operation ${operation}`)
      return speculated.answer(operation, () => run(...(given as never[])))
    },
    normalizeModule(base, specifier) {
      // What the library itself imports has been found already.
      if (base === 'node:internal/required') found.required(specifier)
      if (specifier === evaluatedModule || base.startsWith('node:internal/')) return specifier
      return answered('engineImport', () => {
        if (base.startsWith(vmCode)) throw new Failure('ERR_VM_DYNAMIC_IMPORT_CALLBACK_MISSING', withoutCallback)
        return found.import(specifier, importerOf(base, io.cwd)).path
      })
    },
    loadModule(name) {
      const url = urlOf(`${io.cwd}/${evaluatedModule}`)
      if (name === evaluatedModule) return withMeta(code, { path: `${io.cwd}/${evaluatedModule}`, url })
      return answered('load', () => found.source(name))
    },
    clock: () => speculated.answer('clock', () => io.now()) as number,
    runLater: (given, machine) => run(given, machine.call('commandInput', null) as Bytes | null),
    runLaterWith: run,
  }
}

function statOf({ kind, mode, size, modifiedMs, createdMs, inode }: FileEntry): Value {
  return { kind, mode, size, modifiedMs, createdMs, inode }
}

/** Names of code that is not a file: of a module `vm`, and of functions made from text in a file. */
const vmCode = '<vm>'
const textIn = /^<text in (.*)>$/s
const withoutCallback = { message: 'A dynamic import callback was not specified.', type: 'TypeError' } as const

function importerOf(base: string, cwd: string): string {
  const file = textIn.exec(base)?.[1] ?? base
  return file.startsWith('/') ? file : `${cwd}/${evaluatedModule}`
}
