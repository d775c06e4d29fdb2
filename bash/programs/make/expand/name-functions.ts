/** Functions on names of files, which look at no file. */
import { wordsOf } from '../characters.js'
import type { MakeFunction } from '../state.js'

export const nameFunctions: Readonly<Record<string, MakeFunction>> = {
  dir: each((name) => (name.includes('/') ? name.slice(0, name.lastIndexOf('/') + 1) : './')),
  notdir: each((name) => name.slice(name.lastIndexOf('/') + 1)),
  basename: each((name) => name.slice(0, dotOf(name) ?? name.length)),
  suffix: {
    least: 0,
    most: 1,
    run: (_, [names = '']) =>
      wordsOf(names)
        .flatMap((name) => {
          const dot = dotOf(name)
          return dot === undefined ? [] : [name.slice(dot)]
        })
        .join(' '),
  },
  addsuffix: { least: 2, most: 2, run: (_, [suffix = '', names = '']) => withEach(names, (name) => name + suffix) },
  addprefix: { least: 2, most: 2, run: (_, [prefix = '', names = '']) => withEach(names, (name) => prefix + name) },
  join: {
    least: 2,
    most: 2,
    run(_, [one = '', other = '']) {
      const [before, after] = [wordsOf(one), wordsOf(other)]
      const count = Math.max(before.length, after.length)
      return Array.from({ length: count }, (_each, index) => (before[index] ?? '') + (after[index] ?? '')).join(' ')
    },
  },
}

function each(change: (name: string) => string): MakeFunction {
  return { least: 0, most: 1, run: (_, [names = '']) => withEach(names, change) }
}

function withEach(names: string, change: (name: string) => string): string {
  return wordsOf(names).map(change).join(' ')
}

/** Where the suffix begins. */
function dotOf(name: string): number | undefined {
  const dot = name.lastIndexOf('.')
  return dot < 0 || dot < name.lastIndexOf('/') ? undefined : dot
}
