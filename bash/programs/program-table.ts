import type { Program } from '../io/program.js'

/** Programs by name: a map, or several that are looked up one after the other, which takes no time to make. */
export type ProgramTable = Pick<ReadonlyMap<string, Program>, 'get' | typeof Symbol.iterator>

/** The programs of both tables. Those of `over` hide others of the same name. */
export function layered(under: ProgramTable, over: ProgramTable): ProgramTable {
  return {
    get: (name) => over.get(name) ?? under.get(name),
    [Symbol.iterator]: () => new Map([...under, ...over])[Symbol.iterator](),
  }
}
