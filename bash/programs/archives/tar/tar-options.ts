/** The options of tar, in its three styles. */
import { compileRegex } from '../../../regex/compile-regex.js'
import type { ParsedArguments } from '../../options.js'
import { ProgramError } from '../../program-error.js'

export const tarOptions = {
  create: { names: ['-c', '--create'] },
  extract: { names: ['-x', '--extract', '--get'] },
  list: { names: ['-t', '--list'] },
  append: { names: ['-r', '--append'] },
  update: { names: ['-u', '--update'] },
  file: { names: ['-f', '--file'], value: 'required' },
  directory: { names: ['-C', '--directory'], value: 'required' },
  gzip: { names: ['-z', '--gzip', '--gunzip', '--ungzip'] },
  bzip2: { names: ['-j', '--bzip2'] },
  xz: { names: ['-J', '--xz'] },
  autoCompress: { names: ['-a', '--auto-compress'] },
  verbose: { names: ['-v', '--verbose'] },
  filesFrom: { names: ['-T', '--files-from'], value: 'required' },
  exclude: { names: ['--exclude'], value: 'required' },
  excludeFrom: { names: ['-X', '--exclude-from'], value: 'required' },
  excludeVcs: { names: ['--exclude-vcs'] },
  strip: { names: ['--strip-components', '--strip-path'], value: 'required' },
  transform: { names: ['--transform', '--xform'], value: 'required' },
  wildcards: { names: ['--wildcards'] },
  noWildcards: { names: ['--no-wildcards'] },
  toStdout: { names: ['-O', '--to-stdout'] },
  keepOld: { names: ['-k', '--keep-old-files'] },
  skipOld: { names: ['--skip-old-files'] },
  overwrite: { names: ['--overwrite'] },
  touch: { names: ['-m', '--touch'] },
  dereference: { names: ['-h', '--dereference'] },
  preserve: { names: ['-p', '--preserve-permissions', '--same-permissions'] },
  noSamePermissions: { names: ['--no-same-permissions'] },
  sameOwner: { names: ['--same-owner', '-s'] },
  noSameOwner: { names: ['-o', '--no-same-owner'] },
  noRecursion: { names: ['--no-recursion'] },
  recursion: { names: ['--recursion'] },
  absoluteNames: { names: ['-P', '--absolute-names'] },
  removeFiles: { names: ['--remove-files'] },
  null: { names: ['--null'] },
  owner: { names: ['--owner'], value: 'required' },
  group: { names: ['--group'], value: 'required' },
  mode: { names: ['--mode'], value: 'required' },
  mtime: { names: ['--mtime'], value: 'required' },
  sort: { names: ['--sort'], value: 'required' },
  format: { names: ['-H', '--format'], value: 'required' },
  showStored: { names: ['--show-transformed-names', '--show-stored-names'] },
  program: { names: ['-I', '--use-compress-program'], value: 'required' },
  fullTime: { names: ['--full-time'] },
  numericOwner: { names: ['--numeric-owner'] },
  warning: { names: ['--warning'], value: 'required' },
  oneFileSystem: { names: ['--one-file-system'] },
  ignoreFailedRead: { names: ['--ignore-failed-read'] },
} as const

export type TarArguments = ParsedArguments<typeof tarOptions>

export const unsupportedTarOptions = [
  '-A',
  '--catenate',
  '--concatenate',
  '-d',
  '--diff',
  '--compare',
  '--delete',
  '-g',
  '--listed-incremental',
  '-G',
  '--incremental',
  '-M',
  '--multi-volume',
  '-L',
  '--tape-length',
  '-W',
  '--verify',
  '-U',
  '--unlink-first',
  '--lzip',
  '--lzma',
  '--lzop',
  '--zstd',
  '-Z',
  '--compress',
  '-b',
  '--blocking-factor',
  '-S',
  '--sparse',
  '--checkpoint',
  '--checkpoint-action',
  '--totals',
  '--to-command',
  '-N',
  '--newer',
  '--after-date',
  '--newer-mtime',
  '-w',
  '--interactive',
  '--pax-option',
  '--hard-dereference',
  '--acls',
  '--xattrs',
  '--selinux',
]

/** `tar czf FILE …`: letters without a dash take their values from the words that follow, in order. */
export function rewriteOldStyle(args: readonly string[]): readonly string[] {
  const [first, ...rest] = args
  if (first === undefined || first.startsWith('-') || !/^[a-zA-Z]+$/.test(first)) return args
  const result: string[] = []
  for (const letter of first) {
    const spec = Object.values(tarOptions).find(({ names }) => (names as readonly string[]).includes(`-${letter}`))
    result.push(`-${letter}`)
    if (spec === undefined || !('value' in spec)) continue
    const value = rest.shift()
    if (value === undefined) throw new ProgramError(`Old option '${letter}' requires an argument.`, 2)
    result.push(value)
  }
  return [...result, ...rest]
}

/** `s/old/new/flags`, as sed has it. */
export function transformation(expression: string): (name: string) => string {
  const delimiter = expression[1]
  const parts = delimiter === undefined ? [] : expression.slice(2).split(delimiter)
  const [pattern, replacement, flags = ''] = parts
  if (expression[0] !== 's' || pattern === undefined || replacement === undefined || parts.length !== 3) {
    throw new ProgramError(`Invalid transform expression '${expression}'`, 2)
  }
  const regex = compileRegex(pattern, {
    syntax: flags.includes('x') ? 'extended' : 'basic',
    ignoreCase: flags.includes('i'),
  })
  return (name) => {
    let result = ''
    let from = 0
    for (let match = regex.exec(name, 0); match !== undefined; match = regex.exec(name, from)) {
      const { start, end, groups } = match
      const text = replacement.replace(/\\([0-9&\\])|&/g, (whole, code: string | undefined) => {
        if (whole === '&' || code === '0') return name.slice(start, end)
        const group = groups[Number(code) - 1]
        return code === '&' || code === '\\' ? code : group === undefined ? '' : name.slice(group[0], group[1])
      })
      result += name.slice(from, start) + text
      from = end
      if (!flags.includes('g') || end === start) break
    }
    return result + name.slice(from)
  }
}
