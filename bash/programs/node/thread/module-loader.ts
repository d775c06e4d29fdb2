/** ES modules: found and read by the host, linked and run here as the language says. */

import { type Evaluated, evaluate } from './module-evaluation.js'
import { moduleObject } from './module-object.js'
import type { ModuleText } from './module-text.js'

export interface LoaderGiven {
  /** The name of a module that another imports. */
  find(importer: string, specifier: string): string
  read(name: string): string
  /** Makes the function of a text. Throws what is wrong with it. */
  compiled(source: string, name: string): { text: ModuleText; run: ModuleFunction }
  failure(kind: 'SyntaxError', message: string): Error
}

/** What `moduleText` is when it is compiled. */
export type ModuleFunction = (...given: unknown[]) => Running | AsyncRunning
type Running = Iterator<void, void, void>
type AsyncRunning = AsyncIterator<void, void, void>

interface Module extends Evaluated {
  name: string
  text: ModuleText
  run: ModuleFunction
  requests: Module[]
  /** What it exports itself. */
  own: { [name: string]: () => unknown }
  /** All names, each read when it is used. */
  space: { [name: string]: unknown }
  object?: object
}

/** Where a name comes from. `*` is the whole module. */
interface Source {
  module: Module
  name: string
}

export interface ModuleLoader {
  /** The module as an object, when it has run. */
  import(importer: string, specifier: string): Promise<object>
  /** Runs code that is no file: its object, or a promise if it waits. */
  evaluate(source: string, name: string): object | Promise<object>
}

const { create, defineProperty, hasOwn } = Object

export function moduleLoader(given: LoaderGiven): ModuleLoader {
  const modules = new Map<string, Module>()

  function made(source: string, name: string): Module {
    const { text, run } = given.compiled(source, name)
    return {
      name,
      text,
      run,
      requests: [],
      own: create(null),
      space: create(null),
      awaits: text.awaits,
      execute: () => {},
      state: 'new',
      index: 0,
      back: 0,
      pending: 0,
      parents: [],
    }
  }

  /** The module with all that it needs. What fails leaves nothing behind. */
  function loaded(name: string): Module {
    const added: string[] = []
    function load(each: string): Module {
      const known = modules.get(each)
      if (known !== undefined) return known
      const module = made(given.read(each), each)
      modules.set(each, module)
      added.push(each)
      addRequests(module, load)
      return module
    }
    try {
      const module = load(name)
      link(module)
      return module
    } catch (error) {
      for (const each of added) if (modules.get(each)?.state === 'new') modules.delete(each)
      throw error
    }
  }

  function addRequests(module: Module, load: (name: string) => Module): void {
    module.requests = module.text.requests.map((specifier) => load(given.find(module.name, specifier)))
  }

  /** First everything gets its variables, then its imports. */
  function link(root: Module): void {
    const fresh: Module[] = []
    const seen = new Set<Module>()
    const visit = (module: Module): void => {
      if (module.state !== 'new' || seen.has(module)) return
      seen.add(module)
      for (const each of module.requests) visit(each)
      fresh.push(module)
    }
    visit(root)
    for (const module of fresh) begin(module)
    for (const module of fresh) addNames(module)
    for (const module of fresh) requireNames(module)
    for (const module of fresh) module.state = 'linked'
  }

  function begin(module: Module): void {
    const { run, requests } = module
    const objects = requests.map((each) => () => objectOf(each))
    const own = (getters: Module['own']) => void Object.assign(module.own, getters)
    const importer = (specifier: unknown) => importFrom(module.name, specifier)
    const running = Reflect.apply(run, undefined, [
      ...requests.map(({ space }) => space),
      ...objects,
      create(null),
      importer,
      own,
      call,
    ])
    void running.next()
    module.execute = () => running.next()
  }

  /** Of all names that a module has, those of others too. */
  function namesOf(module: Module, seen = new Set<Module>()): Set<string> {
    if (seen.has(module)) return new Set()
    seen.add(module)
    const names = new Set([...Object.keys(module.own), ...module.text.passed.map(({ name }) => name)])
    for (const request of module.text.all) {
      for (const name of namesOf(module.requests[request] as Module, seen)) if (name !== 'default') names.add(name)
    }
    return names
  }

  /** `two`: it has several with this name, so it has none. */
  function sourceOf(module: Module, name: string, seen = new Set<string>()): Source | 'two' | undefined {
    const key = `${name} ${module.name}`
    if (seen.has(key)) return undefined
    seen.add(key)
    if (hasOwn(module.own, name)) return { module, name }
    const passed = module.text.passed.find((each) => each.name === name)
    if (passed !== undefined) {
      const from = module.requests[passed.request] as Module
      return passed.from === '*' ? { module: from, name: '*' } : sourceOf(from, passed.from, seen)
    }
    if (name === 'default') return undefined
    let found: Source | undefined
    for (const request of module.text.all) {
      const each = sourceOf(module.requests[request] as Module, name, seen)
      if (each === 'two') return 'two'
      if (each === undefined) continue
      if (found !== undefined && (found.module !== each.module || found.name !== each.name)) return 'two'
      found = each
    }
    return found
  }

  function addNames(module: Module): void {
    for (const name of [...namesOf(module)].sort()) {
      const found = sourceOf(module, name)
      if (found === undefined || found === 'two') continue
      const { module: owner, name: own } = found
      const get = own === '*' ? () => objectOf(owner) : (owner.own[own] as () => unknown)
      defineProperty(module.space, name, { get, enumerable: true, configurable: false })
    }
  }

  function requireNames({ name: importer, text, requests }: Module): void {
    const needed = [...text.imported, ...text.passed.map(({ request, from }) => ({ request, name: from }))]
    for (const { request, name } of needed) {
      const from = requests[request] as Module
      if (name === '*') continue
      const found = sourceOf(from, name)
      if (found !== undefined && found !== 'two') continue
      const specifier = text.requests[request]
      const message =
        found === 'two'
          ? `The requested module '${specifier}' contains conflicting star exports for name '${name}'`
          : `The requested module '${specifier}' does not provide an export named '${name}'`
      throw Object.assign(given.failure('SyntaxError', message), { $importer: importer })
    }
  }

  function objectOf(module: Module): object {
    module.object ??= moduleObject(module.space)
    return module.object
  }

  /** Whether something waits that has not begun. */
  function willWait(module: Module, seen = new Set<Module>()): boolean {
    if (seen.has(module) || module.state === 'done') return false
    seen.add(module)
    return module.awaits || module.requests.some((each) => willWait(each, seen))
  }

  async function importFrom(importer: string, specifier: unknown): Promise<object> {
    const module = loaded(given.find(importer, `${specifier}`))
    // One that waits is ready to go on only after a turn.
    if (willWait(module)) await undefined
    await evaluate(module)
    return objectOf(module)
  }

  return {
    import: importFrom,
    evaluate(source, name) {
      const module = made(source, name)
      addRequests(module, loaded)
      link(module)
      const wait = evaluate(module)
      return wait === undefined ? objectOf(module) : wait.then(() => objectOf(module))
    },
  }
}

/** Of a function that is called without an object. */
const call = Object.assign((called: unknown) => called, {
  named: (made: object) => void defineProperty(made, 'name', { value: 'default', configurable: true }),
})
