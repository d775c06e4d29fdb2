import { isWithin, join, relative } from '../path.js'

/** Stores the targets of links that come from another tree, and would lead somewhere else in this one. */
export interface ForeignLinks {
  /** Undefined for a link of this tree. */
  textAt(path: string): string | undefined
  keep(path: string, text: string): void
  /** Moves the links below it too. */
  move(from: string, to: string): void
  drop(path: string): void
}

export function foreignLinks(): ForeignLinks {
  const texts = new Map<string, string>()

  function take(path: string): Array<[string, string]> {
    const taken = [...texts].filter(([at]) => isWithin(path, at))
    for (const [at] of taken) texts.delete(at)
    return taken
  }

  return {
    textAt: (path) => texts.get(path),
    keep: (path, text) => void texts.set(path, text),
    move(from, to) {
      for (const [at, text] of take(from)) texts.set(join(to, relative(from, at)), text)
    },
    drop: (path) => void take(path),
  }
}
