import type { ContractCase } from '../types.js'

export const directories: ContractCase[] = [
  {
    name: 'readDir tells files from directories',
    tree: { 'a.txt': 'x', 'd/': {}, 'e/inside': 'y' },
    steps: [{ do: ['readDir', ''], gives: { 'a.txt': 'file', d: 'directory', e: 'directory' } }],
  },
  {
    name: 'readDir lists links as links, whatever they lead to',
    tree: { f: 'x', 'd/': {}, toFile: { link: 'f' }, toDirectory: { link: 'd' }, toNothing: { link: 'missing' } },
    steps: [
      {
        do: ['readDir', ''],
        gives: { f: 'file', d: 'directory', toFile: 'symlink', toDirectory: 'symlink', toNothing: 'symlink' },
      },
    ],
  },
  {
    name: 'readDir of an empty directory gives nothing',
    tree: { 'd/': {} },
    steps: [{ do: ['readDir', 'd'], gives: {} }],
  },
  {
    name: 'readDir goes one level deep',
    tree: { 'd/a/b/c': 'x', 'd/f': 'y' },
    steps: [
      { do: ['readDir', 'd'], gives: { a: 'directory', f: 'file' } },
      { do: ['readDir', 'd/a'], gives: { b: 'directory' } },
      { do: ['readDir', 'd/a/b'], gives: { c: 'file' } },
    ],
  },
  {
    name: 'readDir lists names that begin with a dot, and neither "." nor ".."',
    tree: { 'd/.hidden': 'x', 'd/..two': 'y', 'd/...': 'z' },
    steps: [{ do: ['readDir', 'd'], gives: { '.hidden': 'file', '..two': 'file', '...': 'file' } }],
  },
  {
    name: 'readDir of a file is NOT_A_DIRECTORY',
    tree: { f: 'x' },
    steps: [{ do: ['readDir', 'f'], fails: 'NOT_A_DIRECTORY' }],
  },
  {
    name: 'readDir below a file is NOT_A_DIRECTORY',
    tree: { f: 'x' },
    steps: [{ do: ['readDir', 'f/d'], fails: 'NOT_A_DIRECTORY' }],
  },
  {
    name: 'readDir of what is missing is NOT_FOUND',
    steps: [
      { do: ['readDir', 'missing'], fails: 'NOT_FOUND' },
      { do: ['readDir', 'missing/too'], fails: 'NOT_FOUND' },
    ],
  },
  {
    name: 'readDir shows what was just made and no longer what was just removed',
    tree: { 'd/old': 'x' },
    steps: [
      { do: ['writeFile', 'd/new', 'y'] },
      { do: ['makeDir', 'd/sub'] },
      { do: ['remove', 'd/old'] },
      { do: ['readDir', 'd'], gives: { new: 'file', sub: 'directory' } },
    ],
    after: { 'd/new': 'y', 'd/sub/': {} },
  },
  {
    name: 'makeDir makes an empty directory',
    steps: [{ do: ['makeDir', 'd'] }, { do: ['readDir', 'd'], gives: {} }],
    after: { 'd/': {} },
  },
  {
    name: 'a new directory can be filled at once',
    steps: [{ do: ['makeDir', 'd'] }, { do: ['makeDir', 'd/e'] }, { do: ['writeFile', 'd/e/f', 'x'] }],
    after: { 'd/e/f': 'x' },
  },
  {
    name: 'makeDir where a directory is, empty or not, is EXISTS',
    tree: { 'empty/': {}, 'full/f': 'x' },
    steps: [
      { do: ['makeDir', 'empty'], fails: 'EXISTS' },
      { do: ['makeDir', 'full'], fails: 'EXISTS' },
    ],
  },
  {
    name: 'makeDir where a file is is EXISTS',
    tree: { f: 'x' },
    steps: [{ do: ['makeDir', 'f'], fails: 'EXISTS' }],
  },
  {
    name: 'makeDir makes one level: a missing parent is NOT_FOUND',
    steps: [{ do: ['makeDir', 'missing/d'], fails: 'NOT_FOUND' }],
  },
  {
    name: 'makeDir below a file is NOT_A_DIRECTORY',
    tree: { f: 'x' },
    steps: [
      { do: ['makeDir', 'f/d'], fails: 'NOT_A_DIRECTORY' },
      { do: ['makeDir', 'f/d/e'], fails: 'NOT_A_DIRECTORY' },
    ],
  },
  {
    name: 'a directory made anew after its removal is empty',
    tree: { 'd/a': 'x', 'd/b': 'y' },
    steps: [
      { do: ['remove', 'd/a'] },
      { do: ['remove', 'd/b'] },
      { do: ['remove', 'd'] },
      { do: ['makeDir', 'd'] },
      { do: ['readDir', 'd'], gives: {} },
      { do: ['readFile', 'd/a'], fails: 'NOT_FOUND' },
    ],
    after: { 'd/': {} },
  },
  {
    name: 'a directory can take the place of a removed file, and a file that of a removed directory',
    tree: { f: 'x', 'd/': {} },
    steps: [
      { do: ['remove', 'f'] },
      { do: ['makeDir', 'f'] },
      { do: ['writeFile', 'f/inside', 'y'] },
      { do: ['remove', 'd'] },
      { do: ['writeFile', 'd', 'z'] },
    ],
    after: { 'f/inside': 'y', d: 'z' },
  },
]
