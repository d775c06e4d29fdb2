/**
 * Whose code of `eval` is. The engine gives all of it one name, which stands in its memory; another name of the same length in that place says which
 * file named `eval`, and so where the code imports from.
 */

export interface EvalNames {
  /** Code that `eval` compiles from now on is of this file. */
  use(file: string): void
  /** The file of such code; the names of all other code are returned as they are. */
  fileOf(name: string): string
}

const usual = '<input>'

/** Where the engine has the name. Undefined if it is not there once: then all code of `eval` keeps it. Asked before anything has run. */
export function placeOfEvalName(memory: WebAssembly.Memory): number | undefined {
  const bytes = new Uint8Array(memory.buffer)
  const found: number[] = []
  const [first = 0] = characters(usual)
  for (let at = bytes.indexOf(first); at !== -1; at = bytes.indexOf(first, at + 1)) {
    if (isText(bytes, at)) found.push(at)
  }
  return found.length === 1 ? found[0] : undefined
}

export function evalNames(memory: () => WebAssembly.Memory, place: number | undefined): EvalNames {
  const names = new Map<string, string>()
  const files = new Map<string, string>()

  function nameFor(file: string): string {
    const known = names.get(file)
    if (known !== undefined) return known
    const name = `<${names.size.toString(36).padStart(usual.length - 2, '0')}>`
    names.set(file, name)
    files.set(name, file)
    return name
  }

  return {
    use(file) {
      if (place === undefined) return
      // Code of `eval` that itself names `eval`.
      const name = files.has(file) ? file : nameFor(file)
      new Uint8Array(memory().buffer).set(characters(name), place)
    },
    fileOf: (name) => files.get(name) ?? name,
  }
}

function isText(bytes: Uint8Array, at: number): boolean {
  return bytes[at - 1] === 0 && [...characters(usual), 0].every((byte, index) => bytes[at + index] === byte)
}

function characters(text: string): number[] {
  return Array.from(text, (character) => character.charCodeAt(0))
}
