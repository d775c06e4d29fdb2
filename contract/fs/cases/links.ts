import type { Call, ContractCase } from '../types.js'

export const links: ContractCase[] = [
  {
    name: 'symlink makes a link, and readLink gives its text',
    tree: { f: 'x' },
    steps: [
      { do: ['symlink', 'f', 'ln'] },
      { do: ['readLink', 'ln'], gives: 'f' },
      { do: ['readDir', ''], gives: { f: 'file', ln: 'symlink' } },
    ],
    after: { f: 'x', ln: { link: 'f' } },
  },
  {
    name: 'symlink does not ask whether anything is there',
    steps: [{ do: ['symlink', 'missing', 'dangling'] }, { do: ['readLink', 'dangling'], gives: 'missing' }],
    after: { dangling: { link: 'missing' } },
  },
  {
    name: 'a relative target is kept as text',
    tree: { 'd/up': { link: '../f' }, 'd/here': { link: './g' }, 'd/plain': { link: 'h/../i' } },
    steps: [
      { do: ['readLink', 'd/up'], gives: '../f' },
      { do: ['readLink', 'd/here'], gives: './g' },
      { do: ['readLink', 'd/plain'], gives: 'h/../i' },
    ],
  },
  {
    name: 'an absolute target is kept as text',
    steps: [{ do: ['symlink', '/some/where', 'ln'] }, { do: ['readLink', 'ln'], gives: '/some/where' }],
    after: { ln: { link: '/some/where' } },
  },
  {
    name: 'a target with odd characters is kept as text',
    steps: [{ do: ['symlink', 'a b\nc\\d é 😀', 'ln'] }, { do: ['readLink', 'ln'], gives: 'a b\nc\\d é 😀' }],
    after: { ln: { link: 'a b\nc\\d é 😀' } },
  },
  {
    name: 'symlink where something is is EXISTS',
    tree: { f: 'x', 'd/': {}, ln: { link: 'f' } },
    steps: [
      { do: ['symlink', 'f', 'f'], fails: 'EXISTS' },
      { do: ['symlink', 'f', 'd'], fails: 'EXISTS' },
      { do: ['symlink', 'd', 'ln'], fails: 'EXISTS' },
    ],
  },
  {
    name: 'symlink below a missing directory is NOT_FOUND',
    steps: [{ do: ['symlink', 'f', 'missing/ln'], fails: 'NOT_FOUND' }],
  },
  {
    name: 'symlink below a file is NOT_A_DIRECTORY',
    tree: { f: 'x' },
    steps: [{ do: ['symlink', 'g', 'f/ln'], fails: 'NOT_A_DIRECTORY' }],
  },
  {
    name: 'readLink of a file or a directory is NOT_A_LINK',
    tree: { f: 'x', 'd/': {} },
    steps: [
      { do: ['readLink', 'f'], fails: 'NOT_A_LINK' },
      { do: ['readLink', 'd'], fails: 'NOT_A_LINK' },
    ],
  },
  {
    name: 'readLink of what is missing is NOT_FOUND',
    steps: [{ do: ['readLink', 'missing'], fails: 'NOT_FOUND' }],
  },
  {
    name: 'makeDir where a link is is EXISTS, wherever it leads',
    tree: { 'd/': {}, toDirectory: { link: 'd' }, dangling: { link: 'missing' } },
    steps: [
      { do: ['makeDir', 'toDirectory'], fails: 'EXISTS' },
      { do: ['makeDir', 'dangling'], fails: 'EXISTS' },
    ],
  },
  {
    name: 'an exclusive write onto a link is EXISTS, wherever it leads',
    tree: { f: 'x', toFile: { link: 'f' }, dangling: { link: 'missing' } },
    steps: [
      { do: ['writeFile', 'toFile', 'y', { exclusive: true }], fails: 'EXISTS' },
      { do: ['writeFile', 'dangling', 'y', { exclusive: true }], fails: 'EXISTS' },
    ],
  },
  {
    name: 'a removed link can be made anew, or give way to a file',
    tree: { f: 'x', a: { link: 'f' }, b: { link: 'f' } },
    steps: [
      { do: ['remove', 'a'] },
      { do: ['symlink', 'b', 'a'] },
      { do: ['remove', 'b'] },
      { do: ['writeFile', 'b', 'own'] },
    ],
    after: { f: 'x', a: { link: 'b' }, b: 'own' },
  },
  {
    name: 'readFile of a link is IS_LINK, wherever it leads',
    links: 'refused',
    tree: { f: 'x', 'd/': {}, toFile: { link: 'f' }, toDirectory: { link: 'd' }, dangling: { link: 'missing' } },
    steps: [
      { do: ['readFile', 'toFile'], fails: 'IS_LINK' },
      { do: ['readFile', 'toFile', { start: 0, end: 1 }], fails: 'IS_LINK' },
      { do: ['readFile', 'toDirectory'], fails: 'IS_LINK' },
      { do: ['readFile', 'dangling'], fails: 'IS_LINK' },
    ],
  },
  {
    name: 'writeFile onto a link is IS_LINK, and neither the link nor what it leads to is changed',
    links: 'refused',
    tree: { f: 'x', 'd/': {}, toFile: { link: 'f' }, toDirectory: { link: 'd' }, dangling: { link: 'missing' } },
    steps: [
      { do: ['writeFile', 'toFile', 'y'], fails: 'IS_LINK' },
      { do: ['writeFile', 'toDirectory', 'y'], fails: 'IS_LINK' },
      { do: ['writeFile', 'dangling', 'y'], fails: 'IS_LINK' },
    ],
  },
  {
    name: 'readDir of a link to a directory is IS_LINK',
    links: 'refused',
    tree: { 'd/f': 'x', ln: { link: 'd' } },
    steps: [{ do: ['readDir', 'ln'], fails: 'IS_LINK' }],
  },
  {
    name: 'setMode of a link is IS_LINK, and what it leads to keeps its mode',
    links: 'refused',
    tree: { f: { file: 'x', mode: 0o644 }, ln: { link: 'f' } },
    steps: [{ do: ['setMode', 'ln', 0o777], fails: 'IS_LINK' }],
  },
  {
    name: 'setModified of a link is IS_LINK',
    links: 'refused',
    tree: { f: 'x', ln: { link: 'f' } },
    steps: [{ do: ['setModified', 'ln', 0], fails: 'IS_LINK' }],
  },
  {
    name: 'open of a link is IS_LINK',
    links: 'refused',
    tree: { f: 'x', ln: { link: 'f' } },
    steps: [{ do: ['open', 'ln'], fails: 'IS_LINK' }],
  },
  ...throughALink([
    { do: ['stat', 'ln/f'] },
    { do: ['readFile', 'ln/f'] },
    { do: ['writeFile', 'ln/f', 'y'] },
    { do: ['writeFile', 'ln/new', 'y', { exclusive: true }] },
    { do: ['readDir', 'ln/sub'] },
    { do: ['makeDir', 'ln/new'] },
    { do: ['remove', 'ln/f'] },
    { do: ['symlink', 'f', 'ln/new'] },
    { do: ['readLink', 'ln/inner'] },
    { do: ['setMode', 'ln/f', 0o600] },
    { do: ['setModified', 'ln/f', 0] },
    { do: ['open', 'ln/f'] },
    { do: ['watch', 'ln/sub'] },
  ]),
  {
    name: 'a rename through a link is IS_LINK, and names the path that leads through it',
    links: 'refused',
    tree: { 'd/f': 'x', ln: { link: 'd' }, out: 'o' },
    steps: [
      { do: ['rename', 'ln/f', 'new'], fails: { code: 'IS_LINK', facts: { path: 'ln/f' } } },
      { do: ['rename', 'out', 'ln/new'], fails: { code: 'IS_LINK', facts: { path: 'ln/new' } } },
      { do: ['rename', 'out', 'ln/f'], fails: { code: 'IS_LINK', facts: { path: 'ln/f' } } },
      { do: ['rename', 'ln/f', 'ln/new'], fails: 'IS_LINK' },
    ],
  },
  {
    name: 'a path through a link is IS_LINK whether or not anything is there behind it',
    links: 'refused',
    tree: { 'd/f': 'x', ln: { link: 'd' } },
    steps: [
      { do: ['stat', 'ln/missing'], fails: 'IS_LINK' },
      { do: ['stat', 'ln/missing/too'], fails: 'IS_LINK' },
      { do: ['stat', 'ln/f/below'], fails: 'IS_LINK' },
      { do: ['readFile', 'ln/missing/too'], fails: 'IS_LINK' },
      { do: ['readDir', 'ln/missing/too'], fails: 'IS_LINK' },
    ],
  },
  {
    name: 'a path through a link that leads nowhere, or to a file, is IS_LINK',
    links: 'refused',
    tree: { f: 'x', toFile: { link: 'f' }, dangling: { link: 'missing' } },
    steps: [
      { do: ['stat', 'dangling/x'], fails: 'IS_LINK' },
      { do: ['readFile', 'toFile/x'], fails: 'IS_LINK' },
    ],
  },
  {
    name: 'a path through a link further up is IS_LINK',
    links: 'refused',
    tree: { 'd/e/f': 'x', ln: { link: 'd' } },
    steps: [
      { do: ['readFile', 'ln/e/f'], fails: 'IS_LINK' },
      { do: ['remove', 'ln/e/f'], fails: 'IS_LINK' },
    ],
  },
  {
    name: 'links in a circle are links like any other, and no call hangs on them',
    links: 'refused',
    tree: { a: { link: 'b' }, b: { link: 'a' }, self: { link: 'self' } },
    steps: [
      { do: ['stat', 'a'], gives: { kind: 'symlink' } },
      { do: ['readLink', 'self'], gives: 'self' },
      { do: ['readFile', 'a'], fails: 'IS_LINK' },
      { do: ['readDir', 'self'], fails: 'IS_LINK' },
      { do: ['stat', 'self/x'], fails: 'IS_LINK' },
      { do: ['rename', 'a', 'c'] },
      { do: ['remove', 'self'] },
    ],
    after: { b: { link: 'a' }, c: { link: 'b' } },
  },
]

/** One case per call, all on the same tree: none of them gets through `ln`, and nothing is changed. */
function throughALink(calls: Call[]): ContractCase[] {
  return calls.map(
    (call): ContractCase => ({
      name: `a path through a link is IS_LINK: ${call.do.filter((part) => typeof part !== 'object').join(' ')}`,
      links: 'refused',
      tree: { 'd/f': 'x', 'd/sub/': {}, 'd/inner': { link: 'f' }, ln: { link: 'd' }, out: 'o' },
      steps: [{ ...call, fails: 'IS_LINK' }],
    }),
  )
}
