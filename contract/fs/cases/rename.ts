import type { ContractCase } from '../types.js'

export const renames: ContractCase[] = [
  {
    name: 'rename gives a file a new name',
    tree: { a: 'A' },
    steps: [
      { do: ['rename', 'a', 'b'] },
      { do: ['readFile', 'b'], gives: 'A' },
      { do: ['readFile', 'a'], fails: 'NOT_FOUND' },
    ],
    after: { b: 'A' },
  },
  {
    name: 'rename moves a file into another directory',
    tree: { 'from/f': 'x', 'to/g': 'y' },
    steps: [{ do: ['rename', 'from/f', 'to/f'] }],
    after: { 'from/': {}, 'to/f': 'x', 'to/g': 'y' },
  },
  {
    name: 'rename replaces an existing file',
    tree: { a: 'A', b: 'a longer B' },
    steps: [{ do: ['rename', 'a', 'b'] }],
    after: { b: 'A' },
  },
  {
    name: 'rename moves a file up over an ancestor’s sibling',
    tree: { 'd/e/f': 'x', g: 'y' },
    steps: [{ do: ['rename', 'd/e/f', 'g'] }],
    after: { 'd/e/': {}, g: 'x' },
  },
  {
    name: 'rename of a file onto a directory is IS_A_DIRECTORY',
    tree: { f: 'x', 'empty/': {}, 'full/g': 'y' },
    steps: [
      { do: ['rename', 'f', 'empty'], fails: 'IS_A_DIRECTORY' },
      { do: ['rename', 'f', 'full'], fails: 'IS_A_DIRECTORY' },
    ],
  },
  {
    name: 'rename of a directory onto a file is NOT_A_DIRECTORY',
    tree: { 'd/g': 'y', 'empty/': {}, f: 'x' },
    steps: [
      { do: ['rename', 'd', 'f'], fails: 'NOT_A_DIRECTORY' },
      { do: ['rename', 'empty', 'f'], fails: 'NOT_A_DIRECTORY' },
    ],
  },
  {
    name: 'rename replaces an empty directory with a directory',
    tree: { 'a/f': 'x', 'b/': {} },
    steps: [{ do: ['rename', 'a', 'b'] }],
    after: { 'b/f': 'x' },
  },
  {
    name: 'rename replaces a directory that has been emptied',
    tree: { 'a/f': 'x', 'b/g': 'y' },
    steps: [{ do: ['remove', 'b/g'] }, { do: ['rename', 'a', 'b'] }],
    after: { 'b/f': 'x' },
  },
  {
    name: 'rename onto a directory with something in it is NOT_EMPTY',
    tree: { 'a/f': 'x', 'empty/': {}, 'b/g': 'y' },
    steps: [
      { do: ['rename', 'a', 'b'], fails: 'NOT_EMPTY' },
      { do: ['rename', 'empty', 'b'], fails: 'NOT_EMPTY' },
    ],
  },
  {
    name: 'rename of a directory onto its own parent is NOT_EMPTY',
    tree: { 'd/e/f': 'x' },
    steps: [{ do: ['rename', 'd/e', 'd'], fails: 'NOT_EMPTY' }],
  },
  {
    name: 'rename of a file onto its own parent fails',
    tree: { 'd/f': 'x' },
    steps: [{ do: ['rename', 'd/f', 'd'], fails: ['IS_A_DIRECTORY', 'NOT_EMPTY'] }],
  },
  {
    name: 'rename of a directory into itself is INTO_ITSELF',
    tree: { 'd/f': 'x' },
    steps: [{ do: ['rename', 'd', 'd/e'], fails: 'INTO_ITSELF' }],
  },
  {
    name: 'rename of a directory into a directory below it is INTO_ITSELF',
    tree: { 'd/e/f': 'x' },
    steps: [
      { do: ['rename', 'd', 'd/e/g'], fails: 'INTO_ITSELF' },
      { do: ['rename', 'd', 'd/e'], fails: 'INTO_ITSELF' },
    ],
  },
  {
    name: 'rename compares names, not their beginnings: "d" may move to "dd" and into it',
    tree: { 'd/f': 'x', 'dd/g': 'y', 'e/h': 'z' },
    steps: [{ do: ['rename', 'd', 'dd/d'] }, { do: ['rename', 'e', 'ee'] }],
    after: { 'dd/g': 'y', 'dd/d/f': 'x', 'ee/h': 'z' },
  },
  {
    name: 'rename of a file to itself does nothing',
    tree: { f: 'x' },
    steps: [{ do: ['rename', 'f', 'f'] }],
  },
  {
    name: 'rename of a directory to itself does nothing',
    tree: { 'd/f': 'x' },
    steps: [{ do: ['rename', 'd', 'd'] }],
  },
  {
    name: 'rename of what is missing is NOT_FOUND',
    tree: { f: 'x', 'd/': {} },
    steps: [
      { do: ['rename', 'missing', 'new'], fails: 'NOT_FOUND' },
      { do: ['rename', 'missing', 'f'], fails: 'NOT_FOUND' },
      { do: ['rename', 'missing', 'd'], fails: 'NOT_FOUND' },
      { do: ['rename', 'missing', 'missing'], fails: 'NOT_FOUND' },
      { do: ['rename', 'missing/too', 'new'], fails: 'NOT_FOUND' },
    ],
  },
  {
    name: 'rename to below a missing directory is NOT_FOUND',
    tree: { f: 'x', 'd/': {} },
    steps: [
      { do: ['rename', 'f', 'missing/f'], fails: 'NOT_FOUND' },
      { do: ['rename', 'd', 'missing/d'], fails: 'NOT_FOUND' },
    ],
  },
  {
    name: 'rename to below a file is NOT_A_DIRECTORY',
    tree: { f: 'x', g: 'y', 'd/': {} },
    steps: [
      { do: ['rename', 'f', 'g/f'], fails: 'NOT_A_DIRECTORY' },
      { do: ['rename', 'd', 'g/d'], fails: 'NOT_A_DIRECTORY' },
      { do: ['rename', 'f', 'f/f'], fails: 'NOT_A_DIRECTORY' },
    ],
  },
  {
    name: 'rename from below a file is NOT_A_DIRECTORY',
    tree: { f: 'x' },
    steps: [{ do: ['rename', 'f/g', 'new'], fails: 'NOT_A_DIRECTORY' }],
  },
  {
    name: 'rename moves a directory with all that is in it',
    tree: { 'd/a': 'A', 'd/sub/b': 'B', 'd/sub/deeper/c': 'C', 'd/empty/': {}, 'other/': {} },
    steps: [
      { do: ['rename', 'd', 'other/moved'] },
      { do: ['readFile', 'other/moved/sub/deeper/c'], gives: 'C' },
      { do: ['readFile', 'd/sub/deeper/c'], fails: 'NOT_FOUND' },
      { do: ['readDir', 'd'], fails: 'NOT_FOUND' },
    ],
    after: {
      'other/moved/a': 'A',
      'other/moved/sub/b': 'B',
      'other/moved/sub/deeper/c': 'C',
      'other/moved/empty/': {},
    },
  },
  {
    name: 'rename moves what was written and leaves out what was removed',
    tree: { 'd/old': 'x', 'd/gone': 'y', 'd/changed': 'z' },
    steps: [
      { do: ['writeFile', 'd/new', 'n'] },
      { do: ['writeFile', 'd/changed', 'c'] },
      { do: ['remove', 'd/gone'] },
      { do: ['rename', 'd', 'e'] },
    ],
    after: { 'e/old': 'x', 'e/new': 'n', 'e/changed': 'c' },
  },
  {
    name: 'a name that was renamed away is free again, and a directory made there is empty',
    tree: { f: 'x', 'd/g': 'y' },
    steps: [
      { do: ['rename', 'f', 'f2'] },
      { do: ['writeFile', 'f', 'new', { exclusive: true }] },
      { do: ['rename', 'd', 'd2'] },
      { do: ['makeDir', 'd'] },
      { do: ['readDir', 'd'], gives: {} },
    ],
    after: { f: 'new', f2: 'x', 'd/': {}, 'd2/g': 'y' },
  },
  {
    name: 'rename there and back leaves everything as it was',
    tree: { f: 'x', 'd/sub/g': 'y' },
    steps: [
      { do: ['rename', 'f', 'f2'] },
      { do: ['rename', 'f2', 'f'] },
      { do: ['rename', 'd', 'd2'] },
      { do: ['rename', 'd2', 'd'] },
    ],
  },
  {
    name: 'two files swap their names through a third',
    tree: { a: 'A', b: 'B' },
    steps: [{ do: ['rename', 'a', 'c'] }, { do: ['rename', 'b', 'a'] }, { do: ['rename', 'c', 'b'] }],
    after: { a: 'B', b: 'A' },
  },
  {
    name: 'rename moves a link as a link, its text unchanged',
    tree: { f: 'x', ln: { link: 'f' }, 'd/': {}, toDirectory: { link: 'd' }, dangling: { link: '../missing' } },
    steps: [
      { do: ['rename', 'ln', 'd/ln'] },
      { do: ['rename', 'toDirectory', 'd/toDirectory'] },
      { do: ['rename', 'dangling', 'd/dangling'] },
    ],
    after: {
      f: 'x',
      'd/ln': { link: 'f' },
      'd/toDirectory': { link: 'd' },
      'd/dangling': { link: '../missing' },
    },
  },
  {
    name: 'rename onto a link replaces the link and not what it leads to',
    tree: { f: 'x', g: 'y', ln: { link: 'f' } },
    steps: [{ do: ['rename', 'g', 'ln'] }],
    after: { f: 'x', ln: 'y' },
  },
  {
    name: 'rename of a link onto a file replaces the file',
    tree: { f: 'x', g: 'y', ln: { link: 'f' } },
    steps: [{ do: ['rename', 'ln', 'g'] }],
    after: { f: 'x', g: { link: 'f' } },
  },
  {
    name: 'rename of a directory onto a link is NOT_A_DIRECTORY, wherever it leads',
    tree: { 'd/': {}, 'empty/': {}, ln: { link: 'empty' } },
    steps: [{ do: ['rename', 'd', 'ln'], fails: 'NOT_A_DIRECTORY' }],
  },
  {
    name: 'rename of a link onto a directory is IS_A_DIRECTORY, wherever it leads',
    tree: { 'd/': {}, 'empty/': {}, ln: { link: 'empty' } },
    steps: [{ do: ['rename', 'ln', 'd'], fails: 'IS_A_DIRECTORY' }],
  },
  {
    name: 'rename moves the links in a directory as links',
    tree: { 'd/f': 'x', 'd/ln': { link: 'f' }, 'd/out': { link: '../g' } },
    steps: [{ do: ['rename', 'd', 'e'] }],
    after: { 'e/f': 'x', 'e/ln': { link: 'f' }, 'e/out': { link: '../g' } },
  },
  {
    name: 'rename keeps the mode, of a file, a directory and what is in it',
    tree: { f: { file: 'x', mode: 0o750 }, 'd/': { mode: 0o700 }, 'd/g': { file: 'y', mode: 0o600 } },
    steps: [{ do: ['rename', 'f', 'f2'] }, { do: ['rename', 'd', 'd2'] }],
    after: { f2: { file: 'x', mode: 0o750 }, 'd2/': { mode: 0o700 }, 'd2/g': { file: 'y', mode: 0o600 } },
  },
  {
    name: 'rename over a file takes the mode along',
    tree: { f: { file: 'x', mode: 0o600 }, g: { file: 'y', mode: 0o755 } },
    steps: [{ do: ['rename', 'f', 'g'] }],
    after: { g: { file: 'x', mode: 0o600 } },
  },
  {
    name: 'rename keeps the time of a file',
    tree: { f: 'x' },
    steps: [
      { do: ['setModified', 'f', 1_000_000_000_000] },
      { do: ['rename', 'f', 'g'] },
      { do: ['stat', 'g'], gives: { kind: 'file', size: 1, modifiedMs: 1_000_000_000_000 } },
    ],
    after: { g: 'x' },
  },
  {
    name: 'where case matters, a rename that changes only the case is a rename like any other',
    needs: { caseSensitive: true },
    tree: { readme: 'x', 'dir/f': 'y' },
    steps: [{ do: ['rename', 'readme', 'README'] }, { do: ['rename', 'dir', 'Dir'] }],
    after: { README: 'x', 'Dir/f': 'y' },
  },
  {
    name: 'where case does not matter, a rename that changes only the case changes the name that is listed',
    needs: { caseSensitive: false },
    tree: { readme: 'x', 'dir/f': 'y' },
    steps: [{ do: ['rename', 'readme', 'README'] }, { do: ['rename', 'dir', 'Dir'] }],
    after: { README: 'x', 'Dir/f': 'y' },
  },
]
