/** Trees with ignore files, made from a seed. */
import fs from 'node:fs'
import path from 'node:path'

export type Random = (below: number) => number

export function generator(seed: number): Random {
  let state = seed * 0x9e3779b9
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

const names = [
  'a',
  'b',
  'ab',
  'foo',
  'bar',
  'foo.txt',
  'a.b',
  'x.o',
  'y.log',
  '.hid',
  'A',
  'a b',
  'a ',
  '#x',
  '!y',
  '[z]',
  'a*b',
  'a\\b',
  'foobar',
  'k.exclude',
]

export function plant(root: string, random: Random): void {
  fs.mkdirSync(root, { recursive: true })
  const directories = ['']
  for (let count = 4 + random(8); count > 0; count -= 1) {
    const directory = `${pick(directories, random)}${pick(names, random)}/`
    if (fs.existsSync(path.join(root, directory))) continue
    fs.mkdirSync(path.join(root, directory))
    directories.push(directory)
  }
  for (let count = 15 + random(30); count > 0; count -= 1) {
    const file = path.join(root, `${pick(directories, random)}${pick(names, random)}`)
    if (!fs.existsSync(file)) fs.writeFileSync(file, '')
  }
  for (const directory of directories) {
    if (directory !== '' && random(3) > 0) continue
    const lines = Array.from({ length: 1 + random(6) }, () => rule(random))
    write(
      root,
      `${directory}.gitignore`,
      (random(8) === 0 ? '\uFEFF' : '') + lines.join(random(8) === 0 ? '\r\n' : '\n') + (random(3) > 0 ? '\n' : ''),
    )
  }
}

const pieces = [
  'a',
  'b',
  'foo',
  'bar',
  '.',
  'x',
  'o',
  '*',
  '*',
  '**',
  '?',
  '[ab]',
  '[!a]',
  '[^f]',
  '[a-f]',
  '[]a]',
  '[[:alpha:]]',
  '[[:punct:]]',
  '[[:nope:]]',
  '[a',
  '\\*',
  '\\a',
  '\\[',
  '\\ ',
  ' ',
  '\\',
  '[a-',
  '[\\]b]',
  '[z-a]',
  '[+--]',
  '[!]]',
  '{a,b}',
  '***',
  '[[:',
  '[[:x]',
]
const whole = [
  ...names,
  '*.o',
  '*.log',
  '*',
  '**',
  'foo*',
  '*o*',
  '.*',
  '#x',
  '\\#x',
  '!y',
  '\\!y',
  'a\\ ',
  'a ',
  '',
  '   ',
  '\\',
  '[[]z]',
]

export function rule(random: Random): string {
  const segments = Array.from({ length: 1 + random(3) }, () => {
    if (random(5) === 0) return '**'
    if (random(2) === 0) return pick(whole, random)
    return Array.from({ length: 1 + random(4) }, () => pick(pieces, random)).join('')
  })
  return `${random(4) === 0 ? '!' : ''}${random(4) === 0 ? '/' : ''}${segments.join(random(20) === 0 ? '\\/' : '/')}${random(4) === 0 ? '/' : ''}${random(10) === 0 ? '  ' : ''}`
}

export function pick<Item>(items: readonly Item[], random: Random): Item {
  return items[random(items.length)] as Item
}

export function write(root: string, name: string, text: string): void {
  const file = path.join(root, name)
  fs.mkdirSync(path.dirname(file), { recursive: true })
  fs.writeFileSync(file, text)
}
