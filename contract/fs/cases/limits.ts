/** Sizes at which shortcuts show: many bytes, many entries, many levels. */
import type { Content, ContractCase, Tree } from '../types.js'

const mebibyte = 1024 * 1024
const largeSize = 64 * mebibyte

/** The period is prime, so bytes that are out of place never match. */
const pattern = Array.from({ length: 251 }, (_, index) => String.fromCharCode(33 + ((index * 37) % 89))).join('')

function large(from: number, size: number): Content {
  return { repeat: pattern, from, size }
}

const depth = 60
const deepPath = Array.from({ length: depth }, (_, level) => `level${level + 1}`).join('/')
const movedPath = deepPath.replace('level1/', 'moved/')

const many = 5_000
const some = 500
const manyNames = Array.from({ length: many }, (_, index) => `entry-${index}`)

export const limits: ContractCase[] = [
  {
    name: 'a file of 64 MiB is written, renamed and read back whole',
    steps: [
      { do: ['writeFile', 'large', large(0, largeSize)] },
      { do: ['stat', 'large'], gives: { kind: 'file', size: largeSize } },
      { do: ['rename', 'large', 'moved'] },
    ],
    after: { moved: large(0, largeSize) },
  },
  {
    name: 'ranges of a file of 64 MiB give the bytes at their place',
    tree: { large: large(0, largeSize) },
    steps: [
      { do: ['readFile', 'large', { start: 0, end: 10 }], gives: large(0, 10) },
      {
        do: ['readFile', 'large', { start: 33 * mebibyte + 7, end: 33 * mebibyte + 107 }],
        gives: large(33 * mebibyte + 7, 100),
      },
      { do: ['readFile', 'large', { start: mebibyte, end: 4 * mebibyte }], gives: large(mebibyte, 3 * mebibyte) },
      { do: ['readFile', 'large', { start: largeSize - 5, end: largeSize + 5 }], gives: large(largeSize - 5, 5) },
      { do: ['readFile', 'large', { start: largeSize, end: largeSize + 5 }], gives: '' },
    ],
  },
  {
    name: `a directory with ${many} entries lists every one`,
    tree: Object.fromEntries(manyNames.map((name) => [`d/${name}`, ''])),
    steps: [{ do: ['readDir', 'd'], gives: Object.fromEntries(manyNames.map((name) => [name, 'file' as const])) }],
  },
  {
    name: `a directory with ${some} entries is renamed whole`,
    tree: Object.fromEntries(manyNames.slice(0, some).map((name) => [`d/${name}`, ''])),
    steps: [{ do: ['rename', 'd', 'e'] }, { do: ['readDir', 'd'], fails: 'NOT_FOUND' }],
    after: Object.fromEntries(
      manyNames.slice(0, some).map((name): [string, Content] => [`e/${name}`, '']),
    ) satisfies Tree,
  },
  {
    name: `${depth} levels of directories are made, written and read`,
    steps: [
      ...Array.from({ length: depth }, (_, level) => ({
        do: [
          'makeDir',
          deepPath
            .split('/')
            .slice(0, level + 1)
            .join('/'),
        ] as ['makeDir', string],
      })),
      { do: ['writeFile', `${deepPath}/f`, 'deep'] },
      { do: ['readDir', deepPath], gives: { f: 'file' } },
    ],
    after: { [`${deepPath}/f`]: 'deep' },
  },
  {
    name: `a tree of ${depth} levels is renamed whole`,
    tree: { [`${deepPath}/f`]: 'deep', 'level1/g': 'shallow' },
    steps: [
      { do: ['rename', 'level1', 'moved'] },
      { do: ['readFile', `${movedPath}/f`], gives: 'deep' },
      { do: ['stat', `${deepPath}/f`], fails: 'NOT_FOUND' },
    ],
    after: { [`${movedPath}/f`]: 'deep', 'moved/g': 'shallow' },
  },
  {
    name: `a directory can't be moved ${depth} levels below itself`,
    tree: { [`${deepPath}/`]: {} },
    steps: [{ do: ['rename', 'level1', `${deepPath}/level1`], fails: 'INTO_ITSELF' }],
  },
  {
    name: 'a path longer than any one system call takes still fails with a code, or works',
    tree: { f: 'x' },
    steps: [{ do: ['stat', `f${`/${'n'.repeat(200)}`.repeat(30)}`], fails: ['NOT_A_DIRECTORY', 'INVALID_PATH'] }],
  },
]
