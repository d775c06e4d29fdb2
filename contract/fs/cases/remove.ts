import type { ContractCase } from '../types.js'

export const removal: ContractCase[] = [
  {
    name: 'remove takes away a file',
    tree: { f: 'x', g: 'y' },
    steps: [
      { do: ['remove', 'f'] },
      { do: ['stat', 'f'], fails: 'NOT_FOUND' },
      { do: ['readFile', 'f'], fails: 'NOT_FOUND' },
      { do: ['readDir', ''], gives: { g: 'file' } },
    ],
    after: { g: 'y' },
  },
  {
    name: 'remove takes away an empty directory',
    tree: { 'd/e/': {} },
    steps: [{ do: ['remove', 'd/e'] }, { do: ['stat', 'd/e'], fails: 'NOT_FOUND' }],
    after: { 'd/': {} },
  },
  {
    name: 'remove of a directory with something in it is NOT_EMPTY and leaves it as it is',
    tree: { 'd/f': 'x', 'e/sub/': {}, 'g/.hidden': 'y' },
    steps: [
      { do: ['remove', 'd'], fails: 'NOT_EMPTY' },
      { do: ['remove', 'e'], fails: 'NOT_EMPTY' },
      { do: ['remove', 'g'], fails: 'NOT_EMPTY' },
    ],
  },
  {
    name: 'remove takes away a directory once it has been emptied',
    tree: { 'd/f': 'x' },
    steps: [{ do: ['remove', 'd'], fails: 'NOT_EMPTY' }, { do: ['remove', 'd/f'] }, { do: ['remove', 'd'] }],
    after: {},
  },
  {
    name: 'a directory that has been filled is NOT_EMPTY',
    tree: { 'd/': {} },
    steps: [{ do: ['writeFile', 'd/f', 'x'] }, { do: ['remove', 'd'], fails: 'NOT_EMPTY' }],
    after: { 'd/f': 'x' },
  },
  {
    name: 'remove of what is missing is NOT_FOUND',
    steps: [
      { do: ['remove', 'missing'], fails: 'NOT_FOUND' },
      { do: ['remove', 'missing/too'], fails: 'NOT_FOUND' },
    ],
  },
  {
    name: 'a second remove is NOT_FOUND',
    tree: { f: 'x' },
    steps: [{ do: ['remove', 'f'] }, { do: ['remove', 'f'], fails: 'NOT_FOUND' }],
    after: {},
  },
  {
    name: 'remove below a file is NOT_A_DIRECTORY',
    tree: { f: 'x' },
    steps: [{ do: ['remove', 'f/g'], fails: 'NOT_A_DIRECTORY' }],
  },
  {
    name: 'remove takes away a link and not what it leads to',
    tree: { f: 'x', 'd/g': 'y', toFile: { link: 'f' }, toDirectory: { link: 'd' }, toNothing: { link: 'missing' } },
    steps: [{ do: ['remove', 'toFile'] }, { do: ['remove', 'toDirectory'] }, { do: ['remove', 'toNothing'] }],
    after: { f: 'x', 'd/g': 'y' },
  },
  {
    name: 'a directory with nothing but a link in it is NOT_EMPTY',
    tree: { 'd/ln': { link: 'missing' } },
    steps: [{ do: ['remove', 'd'], fails: 'NOT_EMPTY' }],
  },
  {
    name: 'a removed file can be written again, with none of its old bytes',
    tree: { f: 'a long text' },
    steps: [
      { do: ['remove', 'f'] },
      { do: ['writeFile', 'f', 'new'] },
      { do: ['remove', 'f'] },
      { do: ['stat', 'f'], fails: 'NOT_FOUND' },
      { do: ['writeFile', 'f', 'newer'] },
    ],
    after: { f: 'newer' },
  },
  {
    name: 'what was in a removed directory can no longer be reached',
    tree: { 'd/e/': {} },
    steps: [
      { do: ['remove', 'd/e'] },
      { do: ['remove', 'd'] },
      { do: ['stat', 'd/e'], fails: 'NOT_FOUND' },
      { do: ['readDir', 'd'], fails: 'NOT_FOUND' },
      { do: ['writeFile', 'd/f', 'x'], fails: 'NOT_FOUND' },
      { do: ['makeDir', 'd/e'], fails: 'NOT_FOUND' },
    ],
    after: {},
  },
]
