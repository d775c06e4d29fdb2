/** Calls that overlap: each is done whole, and none undoes another. */
import type { Call, ContractCase, Tree } from '../types.js'

const fifty = Array.from({ length: 50 }, (_, index) => index)

/** Long enough that a backend which writes in pieces would show one. */
const sizeBytes = 300_000
const variants = ['a', 'b', 'c', 'd', 'e', 'f'].map((letter) => ({ repeat: letter, size: sizeBytes }))

export const concurrency: ContractCase[] = [
  {
    name: 'fifty writes at once to different files all land',
    steps: [{ together: fifty.map((index): Call => ({ do: ['writeFile', `f${index}`, `content ${index}`] })) }],
    after: Object.fromEntries(fifty.map((index) => [`f${index}`, `content ${index}`])) satisfies Tree,
  },
  {
    name: 'fifty directories made at once are all there',
    steps: [{ together: fifty.map((index): Call => ({ do: ['makeDir', `d${index}`] })) }],
    after: Object.fromEntries(fifty.map((index) => [`d${index}/`, {}])) satisfies Tree,
  },
  {
    name: 'fifty files removed at once are all gone',
    tree: { keep: 'k', ...Object.fromEntries(fifty.map((index) => [`f${index}`, 'x'])) },
    steps: [{ together: fifty.map((index): Call => ({ do: ['remove', `f${index}`] })) }],
    after: { keep: 'k' },
  },
  {
    name: 'fifty files renamed at once are all moved',
    tree: { 'to/': {}, ...Object.fromEntries(fifty.map((index) => [`from/f${index}`, `content ${index}`])) },
    steps: [{ together: fifty.map((index): Call => ({ do: ['rename', `from/f${index}`, `to/f${index}`] })) }],
    after: { 'from/': {}, ...Object.fromEntries(fifty.map((index) => [`to/f${index}`, `content ${index}`])) },
  },
  {
    name: 'fifty reads at once of one file each give it whole',
    tree: { f: 'text' },
    steps: [{ together: fifty.map((): Call => ({ do: ['readFile', 'f'], gives: 'text' })) }],
  },
  {
    name: 'writes at once to one new file leave one of them whole',
    steps: [{ together: variants.map((data): Call => ({ do: ['writeFile', 'f', data] })) }],
    after: { f: { oneOf: variants } },
  },
  {
    name: 'writes at once to one existing file leave one of them whole',
    tree: { f: 'old' },
    steps: [{ together: variants.map((data): Call => ({ do: ['writeFile', 'f', data] })) }],
    after: { f: { oneOf: variants } },
  },
  {
    name: 'of exclusive writes at once to one file exactly one wins, and the others are EXISTS',
    steps: [
      {
        together: variants.map(
          (data): Call => ({ do: ['writeFile', 'f', data, { exclusive: true }], fails: 'EXISTS' }),
        ),
        succeed: 1,
      },
    ],
    after: { f: { oneOf: variants } },
  },
  {
    name: 'of makeDirs at once for one directory exactly one wins, and the others are EXISTS',
    steps: [{ together: fifty.map((): Call => ({ do: ['makeDir', 'd'], fails: 'EXISTS' })), succeed: 1 }],
    after: { 'd/': {} },
  },
  {
    name: 'of removes at once of one file exactly one wins, and the others are NOT_FOUND',
    tree: { f: 'x' },
    steps: [{ together: fifty.map((): Call => ({ do: ['remove', 'f'], fails: 'NOT_FOUND' })), succeed: 1 }],
    after: {},
  },
  {
    name: 'of renames at once of one file exactly one wins, and the others are NOT_FOUND',
    tree: { f: 'x', 'd/': {} },
    steps: [
      {
        together: fifty.map((): Call => ({ do: ['rename', 'f', 'd/f'], fails: 'NOT_FOUND' })),
        succeed: 1,
      },
    ],
    after: { 'd/f': 'x' },
  },
  {
    name: 'a read during a replacing write gives the old bytes or the new ones',
    tree: { f: { repeat: 'a', size: sizeBytes } },
    steps: [
      {
        together: variants.flatMap((data): Call[] => [
          { do: ['writeFile', 'f', data] },
          { do: ['readFile', 'f'], gives: { oneOf: variants } },
          { do: ['stat', 'f'], gives: { kind: 'file', size: sizeBytes } },
        ]),
      },
    ],
    after: { f: { oneOf: variants } },
  },
  {
    name: 'a listing during writes never shows anything but the files that are written',
    tree: { 'd/f': 'old' },
    steps: [
      {
        together: fifty.flatMap((index): Call[] => [
          { do: ['writeFile', 'd/f', `content ${index}`] },
          { do: ['readDir', 'd'], gives: { f: 'file' } },
        ]),
      },
    ],
    after: { 'd/f': { oneOf: fifty.map((index) => `content ${index}`) } },
  },
]
