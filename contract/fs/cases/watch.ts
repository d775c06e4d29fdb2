import type { ContractCase } from '../types.js'

export const watching: ContractCase[] = [
  {
    name: 'a watched directory reports a file created in it',
    tree: { 'd/': {} },
    steps: [{ watch: 'd', during: [{ do: ['writeFile', 'd/new', 'x'] }], reports: ['d/new'] }],
    after: { 'd/new': 'x' },
  },
  {
    name: 'a watched directory reports a file changed in it',
    tree: { 'd/f': 'old' },
    steps: [{ watch: 'd', during: [{ do: ['writeFile', 'd/f', 'new'] }], reports: ['d/f'] }],
    after: { 'd/f': 'new' },
  },
  {
    name: 'a watched directory reports a file removed from it',
    tree: { 'd/f': 'x' },
    steps: [{ watch: 'd', during: [{ do: ['remove', 'd/f'] }], reports: ['d/f'] }],
    after: { 'd/': {} },
  },
  {
    name: 'a watched directory reports both names of a rename',
    tree: { 'd/f': 'x' },
    steps: [{ watch: 'd', during: [{ do: ['rename', 'd/f', 'd/g'] }], reports: ['d/f', 'd/g'] }],
    after: { 'd/g': 'x' },
  },
  {
    name: 'a watched directory reports a directory made in it',
    tree: { 'd/': {} },
    steps: [{ watch: 'd', during: [{ do: ['makeDir', 'd/e'] }], reports: ['d/e'] }],
    after: { 'd/e/': {} },
  },
  {
    name: 'a watched file reports a write to it',
    tree: { f: 'old', g: 'x' },
    steps: [{ watch: 'f', during: [{ do: ['writeFile', 'f', 'new'] }], reports: ['f'] }],
    after: { f: 'new', g: 'x' },
  },
  {
    name: 'a watched file reports every write to it, not only of the first',
    tree: { f: 'old' },
    steps: [{ watch: 'f', during: [{ do: ['writeFile', 'f', 'new'] }], reports: ['f'], times: 5 }],
    after: { f: 'new' },
  },
  {
    name: 'a watched file reports its removal',
    tree: { f: 'x' },
    steps: [{ watch: 'f', during: [{ do: ['remove', 'f'] }], reports: ['f'] }],
    after: {},
  },
  {
    name: 'a watcher that has been ended hears of nothing more',
    tree: { 'd/': {} },
    steps: [
      {
        watch: 'd',
        during: [{ do: ['writeFile', 'd/a', 'x'] }, { do: ['writeFile', 'd/b', 'y'] }],
        reports: ['d/a', 'd/b'],
        besideAnEndedOne: true,
      },
    ],
    after: { 'd/a': 'x', 'd/b': 'y' },
  },
  {
    name: 'watching what is missing is NOT_FOUND',
    steps: [{ do: ['watch', 'missing'], fails: 'NOT_FOUND' }],
  },
  {
    name: 'watching a link is IS_LINK',
    links: 'refused',
    tree: { 'd/': {}, ln: { link: 'd' } },
    steps: [{ do: ['watch', 'ln'], fails: 'IS_LINK' }],
  },
  {
    name: 'followed: watching a link reports changes behind it, under the name that was asked for',
    links: 'followed',
    tree: { 'd/': {}, ln: { link: 'd' } },
    steps: [{ watch: 'ln', during: [{ do: ['writeFile', 'd/new', 'x'] }], reports: ['ln/new'] }],
    after: { 'd/new': 'x', ln: { link: 'd' } },
  },
]
