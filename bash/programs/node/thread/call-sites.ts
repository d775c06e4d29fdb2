/** Stacks as the library expects them: code that was made from text has the name and the place of its file. */

/** What V8 says of a frame. */
interface NativeSite {
  getFileName(): string | null | undefined
  getScriptNameOrSourceURL(): string | null | undefined
  getFunctionName(): string | null
  getTypeName(): string | null
  getMethodName(): string | null
  getLineNumber(): number | null
  getColumnNumber(): number | null
  getEvalOrigin(): string | undefined
  isNative(): boolean
  isToplevel(): boolean
  isEval(): boolean
  isConstructor(): boolean
  isAsync(): boolean
  isPromiseAll(): boolean
  getPromiseIndex(): number | null
}

type Prepare = (error: unknown, sites: unknown[]) => unknown

/** How code differs from its file. */
export interface Placed {
  /** The name that the library gave it. */
  name: string
  /** The column in the file of a column in the code, both from 1. */
  columnOf(line: number, column: number): number
}

/** The functions that code of ES modules is. */
export const moduleFunction = '$module'
const evaluated = '<input>'

/** What the library does with the handlers of scripts. */
interface Handlers {
  get(): unknown
  set(handler: unknown): void
}

/**
 * The engine looks for its handler where scripts set theirs, so it always finds this one, which passes on to that of the library. `find`: the file of a
 * name that the engine knows. Returns what keeps the handlers of scripts from then on.
 */
export function nameSites(find: (name: string) => Placed | undefined): (handlers: Handlers) => void {
  const nativeSite = prototypeOfSites()
  let ofLibrary: Prepare | undefined

  function define(get: () => unknown, set: (value: unknown) => void): void {
    Object.defineProperty(Error, 'prepareStackTrace', { get, set, configurable: true, enumerable: false })
  }
  const isNative = (site: unknown) => Object.getPrototypeOf(site) === nativeSite
  const named = (site: unknown) => siteOf(site as NativeSite, find)

  // The library takes the setter, and sets its own with it whenever it has to.
  define(
    () => ofLibrary && ((error: unknown, sites: unknown[]) => (ofLibrary as Prepare)(error, sites.map(named))),
    (value) => {
      ofLibrary = value as Prepare
    },
  )
  return (handlers) => {
    const usual = handlers.get()
    function prepareStackTrace(error: unknown, sites: unknown[]): unknown {
      if (sites.every(isNative)) return (ofLibrary as Prepare)(error, sites.map(named))
      // A script calls it, with frames that it got.
      return (usual as Prepare)(error, sites)
    }
    define(
      () => prepareStackTrace,
      (value) => handlers.set(value === prepareStackTrace ? usual : value),
    )
  }
}

function prototypeOfSites(): unknown {
  const holder = Error as unknown as { prepareStackTrace?: unknown }
  holder.prepareStackTrace = (_: unknown, sites: unknown[]) => sites
  const [site] = new Error().stack as unknown as unknown[]
  delete holder.prepareStackTrace
  return Object.getPrototypeOf(site)
}

function siteOf(native: NativeSite, find: (name: string) => Placed | undefined): object {
  const known = native.getScriptNameOrSourceURL()
  const placed = typeof known === 'string' ? find(known) : undefined
  const isScript = placed !== undefined
  // What runs an ES module is the engine's, too.
  const isOwn = typeof known === 'string' ? known.startsWith('blob:') : native.getTypeName() === moduleFunction
  const file = isScript ? placed.name : isOwn ? 'node:internal/engine' : native.isEval() ? evaluated : undefined
  const name = native.getFunctionName()
  const isNative = () => native.isNative() || file === undefined

  function getFunctionName(): string | null {
    if (name === moduleFunction) return '<module>'
    return isScript && name === 'eval' && native.isToplevel() ? '<eval>' : name
  }

  return {
    getThis: () => undefined,
    getFunction: () => undefined,
    getTypeName: () => native.getTypeName(),
    getMethodName: () => native.getMethodName(),
    getFunctionName,
    getFileName: () => file,
    getScriptNameOrSourceURL: () => file,
    getLineNumber: () => native.getLineNumber(),
    getColumnNumber() {
      const [line, column] = [native.getLineNumber(), native.getColumnNumber()]
      return isScript && line !== null && column !== null ? placed.columnOf(line, column) : column
    },
    getEvalOrigin: () => (isScript ? undefined : native.getEvalOrigin()),
    isNative,
    isToplevel: () => native.isToplevel(),
    isEval: () => !isScript && native.isEval(),
    isConstructor: () => native.isConstructor(),
    isAsync: () => native.isAsync(),
    isPromiseAll: () => native.isPromiseAll(),
    getPromiseIndex: () => native.getPromiseIndex(),
    toString: () =>
      `${getFunctionName() ?? '<anonymous>'} (${file ?? '<anonymous>'}:${native.getLineNumber()}:${native.getColumnNumber()})`,
  }
}
