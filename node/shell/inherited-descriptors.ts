/**
 * Descriptors that this process inherited and that every child process would inherit. Node sets close-on-exec for
 * descriptors it opens, but for inherited ones only up to the first gap after the sixteenth.
 */
import fs from 'node:fs'

/** The close-on-exec flag in the octal number that Linux shows; the same on every architecture except two old ones. */
const closeOnExec = 0o2000000

/** Inherited descriptors other than stdin, stdout and stderr. Systems other than Linux pass on only what is requested. */
export function inheritedDescriptors(): number[] {
  if (process.platform !== 'linux') return []
  return fs
    .readdirSync('/proc/self/fdinfo')
    .map(Number)
    .filter((descriptor) => descriptor > 2 && isInheritable(descriptor))
}

/** Only for a program that is nothing but a server: other programs may use these descriptors. Deno closes only what it opened. */
export function closeInherited(): void {
  for (const descriptor of inheritedDescriptors()) {
    try {
      fs.closeSync(descriptor)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EBADF') throw error
    }
  }
}

/** What covers inherited descriptors: an empty file for each. Deno can't hand on one descriptor twice. */
export interface Cover {
  inherited: readonly number[]
  empty: readonly number[]
}

export function openCover(inherited: readonly number[]): Cover {
  return { inherited, empty: inherited.map(() => fs.openSync('/dev/null', 'r')) }
}

export function closeCover({ empty }: Cover): void {
  for (const descriptor of empty) fs.closeSync(descriptor)
}

/** The `stdio` of a child process, with each inherited descriptor replaced by an empty one. */
export function coverInherited<Given>(
  stdio: readonly Given[],
  { inherited, empty }: Cover,
): (Given | number | 'ignore')[] {
  const replaced: (Given | number | 'ignore')[] = [...stdio]
  for (const [index, descriptor] of inherited.entries()) {
    if (descriptor < stdio.length && stdio[descriptor] !== 'ignore') continue
    while (replaced.length <= descriptor) replaced.push('ignore')
    replaced[descriptor] = empty[index] as number
  }
  return replaced
}

function isInheritable(descriptor: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)/m.exec(fs.readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8'))?.[1]
    return flags !== undefined && (Number.parseInt(flags, 8) & closeOnExec) === 0
  } catch (error) {
    // The descriptor of the directory listing itself, closed by now.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}
