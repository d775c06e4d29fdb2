/**
 * What scripts expect of a system around the workspace: devices, programs in `/bin` and `/usr/bin`, and a few files in `/etc`.
 * They can be read and not changed, are no part of the workspace, and hide nothing of it.
 */
import { basename, dirname } from '../../src/fs/path.js'
import type { Bytes, Entry, Stat } from '../../src/fs/types.js'
import { systemUser } from './accounts.js'
import { encodeText } from './byte-text.js'

export interface SystemFilesOptions {
  /** The names of all programs. */
  programs(): Iterable<string>
  isProgram(name: string): boolean
  home(): string
}

export interface SystemFiles {
  stat(path: string): Stat | undefined
  /** The entries of a directory. */
  list(path: string): Entry[] | undefined
  /** The content of a file. */
  read(path: string): Bytes | undefined
}

const programDirectories = ['/bin', '/usr/bin']
/** The directories beside those of programs, with the directories in them. */
const directories: Readonly<Record<string, readonly string[]>> = {
  '/usr': ['bin'],
  '/etc': [],
  '/dev': ['fd'],
  '/dev/fd': [],
}
/** When the release came out whose versions the programs have. */
const modifiedMs = Date.UTC(2023, 5, 10)

export const systemHost = 'polyfs'

const release = `PRETTY_NAME="Debian GNU/Linux 12 (bookworm), emulated by polyfs"
NAME="Debian GNU/Linux"
VERSION_ID="12"
VERSION="12 (bookworm)"
VERSION_CODENAME=bookworm
ID=debian
VARIANT="polyfs"
VARIANT_ID=polyfs
`

const { name: user, id } = systemUser
const files: Readonly<Record<string, (home: string) => string>> = {
  '/etc/group': () => `root:x:0:\n${user}:x:${id}:\nnogroup:x:65534:\n`,
  '/etc/hostname': () => `${systemHost}\n`,
  '/etc/hosts': () => `127.0.0.1\tlocalhost\n127.0.1.1\t${systemHost}\n`,
  '/etc/os-release': () => release,
  '/etc/passwd': (home) =>
    [
      'root:x:0:0:root:/root:/bin/bash',
      'nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin',
      `${user}:x:${id}:${id}::${home}:/bin/bash\n`,
    ].join('\n'),
}

export function systemFiles({ programs, isProgram, home }: SystemFilesOptions): SystemFiles {
  function read(path: string): Bytes | undefined {
    const text = Object.hasOwn(files, path) ? files[path]?.(home()) : undefined
    if (text !== undefined) return encodeText(text)
    if (!programDirectories.includes(dirname(path)) || !isProgram(basename(path))) return undefined
    // The NUL says that it is no script.
    return encodeText(`\x7fPOLYFS\0${basename(path)}: a program of the emulated shell of polyfs\n`)
  }

  return {
    read,
    stat(path) {
      if (programDirectories.includes(path) || Object.hasOwn(directories, path)) {
        return { kind: 'directory', mode: 0o555, modifiedMs }
      }
      const content = read(path)
      if (content === undefined) return undefined
      return { kind: 'file', size: content.length, mode: path.startsWith('/etc/') ? 0o444 : 0o555, modifiedMs }
    },
    list(path) {
      const entry = (kind: Entry['kind']) => (name: string) => ({ name, kind })
      if (programDirectories.includes(path)) return [...new Set(programs())].sort().map(entry('file'))
      const inside = Object.hasOwn(directories, path) ? directories[path] : undefined
      const here = Object.keys(files).filter((file) => dirname(file) === path)
      return inside && [...inside.map(entry('directory')), ...here.map((file) => entry('file')(basename(file)))]
    },
  }
}
