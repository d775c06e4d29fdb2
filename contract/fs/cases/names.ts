import type { ContractCase, Failure } from '../types.js'

/** Each is a name like any other: nothing is trimmed, expanded, decoded, normalised or looked up. */
const oddNames: Record<string, string> = {
  'a space in the middle': 'a b',
  'a leading space': ' a',
  'a trailing space': 'a ',
  'only a space': ' ',
  'a leading dash': '-rf',
  'a leading dot': '.hidden',
  'three dots': '...',
  'a trailing dot': 'a.',
  'two leading dots': '..a',
  'a tilde': '~',
  'a newline': 'a\nb',
  'a carriage return and a tab': 'a\r\tb',
  'an escape character': 'a\u001b[31mb',
  'a backslash': 'a\\b',
  'a colon': 'C:a',
  'a star and a question mark': 'a*b?',
  'brackets and braces': '[a]{b,c}',
  quotes: `a"b'c\``,
  'a dollar sign': '$HOME',
  'percent encoding': '%2e%2e%2fa',
  'a hash and an ampersand': 'a#b&c',
  'angle brackets and a pipe': '<a|b>',
  'letters with accents': 'Ünïcödé',
  'another script': '日本語',
  'an emoji': '👩‍👩‍👧',
  'a right-to-left override': 'a\u202Etxt.exe',
  'a zero-width joiner': 'a\u200Db',
  'a byte order mark': '\uFEFFa',
  'a no-break space': 'a\u00A0b',
  'a device name of another system': 'CON',
  'a number': '0',
  'the name of a method every object has': 'constructor',
  'the name of the prototype': '__proto__',
}

const longestName = 'n'.repeat(255)
const longestAccentedName = `${'é'.repeat(127)}n`
const tooLongName = 'n'.repeat(256)
const tooLongAccentedName = 'é'.repeat(128)

const nameTooLong: Failure = { code: 'INVALID_PATH', facts: { reason: 'name-too-long' } }
const nul: Failure = { code: 'INVALID_PATH', facts: { reason: 'nul' } }
const malformed: Failure = { code: 'INVALID_PATH', facts: { reason: 'malformed-unicode' } }

export const names: ContractCase[] = [
  ...Object.entries(oddNames).map(
    ([what, name]): ContractCase => ({
      name: `a name may hold ${what}`,
      tree: { [`before/${name}`]: 'before' },
      steps: [
        { do: ['readFile', `before/${name}`], gives: 'before' },
        { do: ['readDir', 'before'], gives: { [name]: 'file' } },
        { do: ['makeDir', name] },
        { do: ['writeFile', `${name}/${name}`, 'x'] },
        { do: ['readDir', name], gives: { [name]: 'file' } },
        { do: ['rename', `${name}/${name}`, `${name}/plain`] },
        { do: ['rename', `${name}/plain`, `${name}/${name}`] },
        { do: ['readFile', `${name}/${name}`], gives: 'x' },
        { do: ['stat', name], gives: { kind: 'directory' } },
        { do: ['remove', `before/${name}`] },
        { do: ['readDir', 'before'], gives: {} },
      ],
      after: { 'before/': {}, [`${name}/${name}`]: 'x' },
    }),
  ),
  {
    name: 'a composed and a decomposed spelling are two names, and neither is changed',
    tree: { 'caf\u00E9': 'composed' },
    steps: [
      { do: ['stat', 'cafe\u0301'], fails: 'NOT_FOUND' },
      { do: ['writeFile', 'cafe\u0301', 'decomposed', { exclusive: true }] },
      { do: ['readFile', 'caf\u00E9'], gives: 'composed' },
      { do: ['readDir', ''], gives: { 'caf\u00E9': 'file', 'cafe\u0301': 'file' } },
    ],
    after: { 'caf\u00E9': 'composed', 'cafe\u0301': 'decomposed' },
  },
  {
    name: 'compatibility characters are not folded',
    steps: [{ do: ['writeFile', 'ﬁle', 'ligature'] }, { do: ['writeFile', 'file', 'letters', { exclusive: true }] }],
    after: { ﬁle: 'ligature', file: 'letters' },
  },
  {
    name: 'names with spaces around them are other names',
    steps: [
      { do: ['writeFile', 'a', 'plain'] },
      { do: ['writeFile', ' a', 'before', { exclusive: true }] },
      { do: ['writeFile', 'a ', 'behind', { exclusive: true }] },
    ],
    after: { a: 'plain', ' a': 'before', 'a ': 'behind' },
  },
  {
    name: 'a name of 255 bytes is a name like any other',
    tree: { [longestName]: 'old' },
    steps: [
      { do: ['readFile', longestName], gives: 'old' },
      { do: ['writeFile', longestName, 'new'] },
      { do: ['rename', longestName, 'short'] },
      { do: ['writeFile', longestName, 'exclusive', { exclusive: true }] },
      { do: ['makeDir', 'd'] },
      { do: ['rename', 'short', `d/${longestName}`] },
    ],
    after: { [longestName]: 'exclusive', [`d/${longestName}`]: 'new' },
  },
  {
    name: 'a name of 255 bytes may have fewer characters',
    steps: [{ do: ['writeFile', longestAccentedName, 'x'] }, { do: ['writeFile', longestAccentedName, 'y'] }],
    after: { [longestAccentedName]: 'y' },
  },
  {
    name: 'a new name of 256 bytes is INVALID_PATH with its reason',
    tree: { f: 'x', 'd/': {} },
    steps: [
      { do: ['writeFile', tooLongName, 'x'], fails: nameTooLong },
      { do: ['writeFile', `d/${tooLongName}`, 'x', { exclusive: true }], fails: nameTooLong },
      { do: ['makeDir', tooLongName], fails: nameTooLong },
      { do: ['rename', 'f', tooLongName], fails: nameTooLong },
    ],
  },
  {
    name: 'a link’s name of 256 bytes is INVALID_PATH with its reason',
    steps: [{ do: ['symlink', 'f', tooLongName], fails: nameTooLong }],
  },
  {
    name: 'bytes of a name are counted, not characters',
    steps: [{ do: ['writeFile', tooLongAccentedName, 'x'], fails: nameTooLong }],
  },
  {
    name: 'asking for a name of 256 bytes is INVALID_PATH with its reason',
    steps: [
      { do: ['stat', tooLongName], fails: nameTooLong },
      { do: ['readFile', tooLongName], fails: nameTooLong },
      { do: ['readDir', tooLongName], fails: nameTooLong },
      { do: ['stat', `${tooLongName}/f`], fails: nameTooLong },
    ],
  },
  {
    name: 'removing or renaming a name of 256 bytes is INVALID_PATH with its reason',
    steps: [
      { do: ['remove', tooLongName], fails: nameTooLong },
      { do: ['rename', tooLongName, 'f'], fails: nameTooLong },
    ],
  },
  {
    name: 'asking for a name with NUL in it is INVALID_PATH with its reason',
    tree: { a: 'x' },
    steps: [
      { do: ['stat', 'a\0b'], fails: nul },
      { do: ['readFile', 'a\0'], fails: nul },
      { do: ['readDir', 'a\0b'], fails: nul },
    ],
  },
  {
    name: 'writing a name with NUL in it is INVALID_PATH with its reason',
    tree: { a: 'x' },
    steps: [
      { do: ['writeFile', 'a\0b', 'y'], fails: nul },
      { do: ['makeDir', 'd\0'], fails: nul },
      { do: ['rename', 'a', 'b\0c'], fails: nul },
      { do: ['remove', 'a\0'], fails: nul },
    ],
  },
  {
    name: 'a name with half a surrogate pair is INVALID_PATH with its reason, never another name',
    steps: [
      { do: ['writeFile', 'a\uD800', 'x'], fails: malformed },
      { do: ['makeDir', '\uDC00b'], fails: malformed },
      { do: ['stat', 'a\uD800'], fails: malformed },
    ],
  },
]
