/**
 * The browser's own engine, set up as the library expects an engine: see `../engine/machine.ts`. One script, in a thread of its own that has nothing but
 * the questions it asks the shell; it sleeps until they are answered.
 */
import type { Bytes } from '../../../../src/fs/types.js'
import type { Value } from '../engine/machine.js'
import { type Operation, pureOperations } from '../host/pure-operations.js'
import { library } from '../library.js'
import { type FromRunner, type LibraryNames, maxAhead, type Query, queried } from '../wire.js'
import { nameSites } from './call-sites.js'
import { compiler, settle, stateOf } from './compile.js'
import { hideGlobals } from './hide-globals.js'
import { leaveZoneNames, useZone } from './local-time.js'
import { moduleLoader } from './module-loader.js'
import { unpacked } from './packed-value.js'

export interface ThreadPlatform {
  post(message: FromRunner): void
  /** Sleeps until the shell has answered. */
  ask(name: string, given: Value[]): { value: unknown; bytes: Bytes }
  /** Runs it when all jobs of promises have run. */
  soon(run: () => void): void
  after(ms: number, run: () => void): void
  /** Sleeps until the thread is ended. */
  rest(): never
  /** Milliseconds that only grow. */
  elapsed(): number
  onRejection(listener: (promise: Promise<unknown>, reason: unknown) => void): void
  onHandled(listener: (promise: Promise<unknown>) => void): void
}

/** What the library registers for the engine. */
interface Registered {
  internal: { print(descriptor: number, text: string): void }
  start(begun: unknown): unknown
  ticks(): boolean
  next(): true | number | string
  ran(result: Value): true
  rejected(reason: unknown, promise: unknown): void
  failure(given: Value): Error
  names(): string
  namesOf(name: string): string
  commandInput(): Bytes | null
  importer?(number: number): (specifier: unknown) => Promise<object>
  evalText?: ReturnType<typeof compiler>['evalText']
  evaluator?: ReturnType<typeof compiler>['evaluator']
}

const { parse, stringify } = JSON
const { hasOwn } = Object

/** Sets everything up; returns what runs a script. */
export function prepareNode(platform: ThreadPlatform): (begun: { [key: string]: Value }) => void {
  const { post, elapsed } = platform
  let pure: Readonly<Record<string, Operation>> = {}
  const usePure = (zone: string | undefined) => {
    pure = pureOperations({ zone, isReproducible: false })
  }
  usePure(undefined)
  let started = elapsed()
  let ahead = 0
  const rejected = new Map<Promise<unknown>, unknown>()
  platform.onRejection((promise, reason) => {
    rejected.set(promise, reason)
    settle(promise, 'rejected', reason)
  })
  platform.onHandled((promise) => void rejected.delete(promise))

  /** The answer of the shell; what it wants to know first is told. */
  function ask(name: string, given: Value[]): Value {
    ahead = 0
    for (let [asked, told] = [name, given]; ; ) {
      const { value, bytes } = platform.ask(asked, told)
      const answer = unpacked(value, bytes)
      const query = (answer as Query | null)?.$query
      if (query === undefined) return answer
      const said =
        'namesOf' in query
          ? [`names ${query.namesOf}`, parse(registered.namesOf(query.namesOf)) as Value]
          : [`text ${query.isModuleText}`, compile(query.isModuleText, '', 'isModuleFile').value as Value]
      asked = queried
      told = [...said, name, ...given]
    }
  }

  function print(descriptor: number, data: string | Uint8Array): null {
    ahead += data.length
    if (ahead > maxAhead) ask('drain', [])
    post({ kind: 'out', descriptor, data })
    return null
  }

  function end(message: FromRunner): never {
    post(message)
    return platform.rest()
  }

  function sys(operation: string, ...given: Value[]): Value {
    if (hasOwn(pure, operation)) return (pure[operation] as Operation)(...(given as never[]))
    if (operation === 'out') return print(given[0] as number, given[1] as string | Uint8Array)
    if (operation === 'elapsed') return elapsed() - started
    if (operation === 'clock') return Date.now()
    if (operation === 'exit') return end({ kind: 'done', status: Number(given[0]) })
    return ask(operation, given)
  }

  /** A worker has one realm. The other engine has several: it runs the script again, if nothing of it has been seen. */
  function noContexts(): never {
    ask('other engine', [])
    throw new Error(
      "vm: contexts are not supported by the browser's own engine once a script has printed, changed or run something",
    )
  }

  /** What the shell could not do is thrown. */
  function answered(name: string, ...given: Value[]): string {
    const answer = ask(name, given)
    if (typeof answer === 'string') return answer
    throw registered.failure(answer)
  }

  const loader = moduleLoader({
    find: (importer, specifier) => answered('import from', importer, specifier),
    read: (name) => answered('load', name),
    compiled: (source, name) => compiledModule(source, name),
    failure: (_kind, message) => new SyntaxError(message),
  })
  const { compile, compiledModule, find, importer, evalText, evaluator } = compiler(() => loader)

  hideGlobals()
  const keepHandler = nameSites(find)
  leaveZoneNames()
  const given = {
    sys,
    compile,
    peek: (promise: object) => stateOf(promise),
    useEval: () => {},
    realm: noContexts,
    InternalError: class InternalError extends Error {},
  }
  for (const [name, value] of Object.entries(given)) {
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false })
  }
  noteStates()
  for (const { name, source } of library) {
    const { value, isError } = compile(source, name, 'script')
    if (isError) throw value
    // Its parts share it, once the first has made it.
    const made = (globalThis as unknown as { $polyfs: Registered }).$polyfs
    Object.assign(made.internal, { isExact: true, keepHandler })
    made.importer ??= (number) => (specifier) => loader.import(importer(number), specifier as string)
    Object.assign(made, { evalText, evaluator })
  }
  const registered = (globalThis as unknown as { $polyfs: Registered }).$polyfs
  // Output is on its way at once: nobody collects it from a thread that is ended.
  registered.internal.print = print
  post({ kind: 'ready', names: parse(registered.names()) as LibraryNames })

  /** Ends a script whose engine has a fault. */
  function guarded(run: () => void): void {
    try {
      run()
    } catch (error) {
      end({ kind: 'failed', message: error instanceof Error ? String(error.stack ?? error) : String(error) })
    }
  }

  /** Runs all that follows from the last task, then `then`. */
  function settled(then: () => void): void {
    guarded(() => {
      const ticks = registered.ticks()
      // Rejections are told after the jobs, in a turn of their own.
      platform.soon(() => (ticks ? settled(then) : platform.soon(() => rejections(then))))
    })
  }

  function rejections(then: () => void): void {
    const [first] = rejected
    if (first === undefined) {
      guarded(() => (registered.ticks() ? settled(then) : then()))
      return
    }
    const [promise, reason] = first
    rejected.delete(promise)
    guarded(() => registered.rejected(reason, promise))
    settled(then)
  }

  function perform(task: unknown): void {
    settled(() => {
      if (typeof task === 'string') {
        const result = ask('run later', [task, registered.commandInput()])
        perform(registered.ran(result))
      } else if (typeof task === 'number') platform.after(task, () => guarded(() => perform(registered.next())))
      else perform(registered.next())
    })
  }

  return (begun) => {
    started = elapsed()
    const { TZ } = begun.env as { TZ?: string }
    usePure(TZ)
    useZone(TZ)
    guarded(() => perform(registered.start(parse(stringify(begun)))))
  }
}

/** `Promise.resolve` and `Promise.reject` say what their promises are, for those that print one. */
function noteStates(): void {
  for (const [name, state] of [
    ['resolve', 'fulfilled'],
    ['reject', 'rejected'],
  ] as const) {
    const native = Promise[name] as (this: unknown, value: unknown) => Promise<unknown>
    const noted = {
      [name](this: unknown, value: unknown) {
        const made = Reflect.apply(native, this, [value])
        const isSettled =
          state === 'rejected' || Object(value) !== value || typeof (value as { then?: unknown }).then !== 'function'
        if (isSettled) settle(made, state, value)
        return made
      },
    }[name]
    Object.defineProperty(Promise, name, { value: noted, writable: true, configurable: true, enumerable: false })
  }
}
