/** What the library has compiled, on the browser's own engine. */
import type { CompileKind } from '../engine/machine.js'
import { moduleFunction, type Placed } from './call-sites.js'
import { type Importer, withoutImports } from './dynamic-imports.js'
import type { ModuleFunction, ModuleLoader } from './module-loader.js'
import { type ModuleText, moduleText } from './module-text.js'
import { type Fault, faultOf } from './syntax.js'

export interface Compiler {
  /** For the library. */
  compile(source: unknown, name: unknown, kind: unknown): { value: unknown; isError?: true }
  compiledModule(source: string, name: string): { text: ModuleText; run: ModuleFunction }
  /** The file of a name that the engine has. */
  find(shown: string): Placed | undefined
  /** What imports, by its number. */
  importer(number: number): string
  evalText(number: number): (text: unknown) => unknown
  evaluator(number: number): (code: unknown) => unknown
}

/** Takes a text as it is, wherever it is called. */
// biome-ignore lint/security/noGlobalEval: this thread has nothing to protect from the code that runs in it
const evaluated = eval

const wrapper = '(function (exports, require, module, __filename, __dirname) {\n'

export function compiler(loader: () => ModuleLoader): Compiler {
  const files = new Map<string, Placed>()
  const importers: string[] = []
  let unusual = 0

  /** The engine takes no name with spaces or quotes. */
  function shownName(name: string): string {
    if (/^[^\s'"]+$/.test(name)) return name
    unusual += 1
    return `unusual:${unusual}`
  }

  /** Runs code that has a place. */
  function run({ text, columnOf }: { text: string; columnOf: Placed['columnOf'] }, name: string): unknown {
    const shown = shownName(name)
    files.set(shown, { name, columnOf })
    return evaluated(`${text}\n//# sourceURL=${shown}`)
  }

  /** Each file has a number, if it needs one. */
  function importerOf(name: string): () => Importer {
    let made: Importer | undefined
    return () => {
      if (made !== undefined) return made
      const number = importers.push(name) - 1
      const of = (what: string) => `$polyfs.${what}(${number})`
      made = { imports: of('importer'), text: of('evalText'), evaluator: of('evaluator') }
      return made
    }
  }

  /** What `eval` gets, on behalf of a file. */
  function evalText(name: string): (text: unknown) => unknown {
    return (text) =>
      typeof text === 'string' && /\b(?:import|eval)\b/.test(text) ? withoutImports(text, importerOf(name)).text : text
  }

  function script(source: string, name: string): unknown {
    try {
      return run(withoutImports(source, importerOf(name), { isOwn: name.startsWith('node:internal/') }), name)
    } catch (error) {
      throw placed(error, name, () => faultOf(source, 'script'))
    }
  }

  function compiledModule(source: string, name: string): { text: ModuleText; run: ModuleFunction } {
    let text: ModuleText
    try {
      text = moduleText(source, /\beval\b/.test(source) ? importerOf(name) : undefined)
    } catch (error) {
      throw placed(new SyntaxError(wordsFor(source, error as ParseError)), name, () => faultOf(source, 'module'))
    }
    return { text, run: run(text.code, name) as ModuleFunction }
  }

  const ways: Readonly<Record<CompileKind, (source: string, name: string) => unknown>> = {
    script,
    module: (source, name) => settledOrNot(() => loader().evaluate(source, name)),
    checkScript(source, name) {
      const fault = faultOf(source, 'script')
      if (fault !== undefined) script(`(function () {${source}\n})`, name)
    },
    check: (source, name) => void compiledModule(source, name),
    shape(source) {
      try {
        const { requests, awaits } = moduleText(source)
        return (awaits ? 'a' : 's') + JSON.stringify(requests)
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error
        return ''
      }
    },
    isModule: (source) => isModule(source, '(function () {\n'),
    isModuleFile: (source) => isModule(source, wrapper),
  }

  return {
    compile(source, name, kind) {
      try {
        return { value: ways[kind as CompileKind](String(source), String(name)) }
      } catch (error) {
        return { value: error, isError: true }
      }
    },
    compiledModule,
    find: (shown) => files.get(shown),
    importer: (number) => importers[number] ?? '',
    evalText: (number) => evalText(importers[number] ?? ''),
    evaluator(number) {
      const text = evalText(importers[number] ?? '')
      return { eval: (code: unknown) => evaluated(text(code) as string) }.eval
    },
  }
}

/** As Node decides it: what does not compile as CommonJS is an ES module if it compiles as one. If neither does, it is what has fewer errors. */
function isModule(text: string, before: string): boolean {
  const source = text.replace(/^#!/, '//')
  try {
    evaluated(`${before}${source}\n})`)
    return false
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  const asModule = faultOf(source, 'module')
  if (asModule === undefined) return true
  const asScript = faultOf(source, 'script', true)
  if (asScript === undefined) return false
  return asModule.line === asScript.line ? asModule.column > asScript.column : asModule.line > asScript.line
}

type ParseError = Error & { pos?: number }

/** What the engine says of a text, where it finds the same mistake. It takes no `import` and `export` in a function, so these are put aside. */
function wordsFor(source: string, { message, pos = 0 }: ParseError): string {
  const aside = source.replace(/\bexport\s+(?:default\s+)?(?=[a-z])/g, (found) => found.replace(/\S/g, ' '))
  try {
    evaluated(`(async function* ${moduleFunction}() { "use strict"; ${aside}\n})`)
  } catch (error) {
    const said = (error as Error).message
    if (!/import|export/.test(said)) return said
  }
  const plain = message.replace(/ \(\d+:\d+\)$/, '')
  if (plain !== 'Unexpected token') return plain
  const [, name, number, text, sign = ''] =
    /^(?:([\p{ID_Start}$_][\p{ID_Continue}$]*)|(\d)|(['"`])|(=>|\S))/u.exec(source.slice(pos)) ?? []
  if (name !== undefined) return `Unexpected identifier '${name}'`
  if (number !== undefined) return 'Unexpected number'
  if (text !== undefined) return 'Invalid or unexpected token'
  return sign === '' ? 'Unexpected end of input' : `Unexpected token '${sign}'`
}

/** Errors of syntax get the place in the file, which the engine does not say of code from text. */
function placed(error: unknown, name: string, find: () => Fault | undefined): unknown {
  const fault = error instanceof SyntaxError ? find() : undefined
  if (fault === undefined) return error
  const faulty = error as SyntaxError
  const [header, ...frames] = String(faulty.stack).split('\n')
  faulty.stack = [header, `    at ${name}:${fault.line}:${fault.column}`, ...frames].join('\n')
  return faulty
}

/** States of promises that are made here: the language does not say them. */
const states = new WeakMap<object, ['fulfilled' | 'rejected', unknown]>()

function settledOrNot(run: () => object | Promise<object>): Promise<object> {
  let made: Promise<object>
  try {
    const result = run()
    if (result instanceof Promise) return result
    made = Promise.resolve(result)
    states.set(made, ['fulfilled', result])
  } catch (error) {
    made = Promise.reject(error)
    states.set(made, ['rejected', error])
  }
  return made
}

export function stateOf(promise: object): ['pending' | 'fulfilled' | 'rejected', unknown?] {
  return states.get(promise) ?? ['pending']
}

export function settle(promise: object, state: 'fulfilled' | 'rejected', value: unknown): void {
  states.set(promise, [state, value])
}
