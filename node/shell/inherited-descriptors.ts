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

/** Only for a program that is nothing but a server: other programs may use these descriptors. */
export function closeInherited(): void {
  for (const descriptor of inheritedDescriptors()) fs.closeSync(descriptor)
}

/** The `stdio` of a child process, with each inherited descriptor replaced by an empty one. */
export function coverInherited<Given>(
  stdio: readonly Given[],
  { inherited, empty }: { inherited: readonly number[]; empty: number | undefined },
): (Given | number | 'ignore')[] {
  const replaced: (Given | number | 'ignore')[] = [...stdio]
  if (empty === undefined) return replaced
  for (const descriptor of inherited) {
    if (descriptor < stdio.length && stdio[descriptor] !== 'ignore') continue
    while (replaced.length <= descriptor) replaced.push('ignore')
    replaced[descriptor] = empty
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
