import { basename, dirname } from '../fs/path.js'

/** A map by path, in which the entries of a directory are found by their names alone: joining and hashing thousands of paths takes long. */
export class PathMap<Value> {
  readonly #directories = new Map<string, Map<string, Value>>()

  get isEmpty(): boolean {
    return this.#directories.size === 0
  }

  /** Those directly in a directory, by name. */
  in(directory: string): ReadonlyMap<string, Value> | undefined {
    return this.#directories.get(directory)
  }

  get(path: string): Value | undefined {
    return this.#directories.get(dirname(path))?.get(basename(path))
  }

  set(path: string, value: Value): void {
    const directory = dirname(path)
    const within = this.#directories.get(directory)
    if (within === undefined) this.#directories.set(directory, new Map([[basename(path), value]]))
    else within.set(basename(path), value)
  }

  delete(path: string): void {
    const directory = dirname(path)
    const within = this.#directories.get(directory)
    if (within?.delete(basename(path)) && within.size === 0) this.#directories.delete(directory)
  }

  clear(): void {
    this.#directories.clear()
  }

  /** The paths of the entries for which `test` holds. */
  pathsWhere(test: (value: Value) => boolean): string[] {
    const found: string[] = []
    for (const [directory, within] of this.#directories) {
      const prefix = directory === '/' ? '/' : `${directory}/`
      for (const [name, value] of within) if (test(value)) found.push(prefix + name)
    }
    return found
  }
}
