/**
 * Descriptors that this process was started with and that every process it starts would get. Node keeps those it opens itself from others, and
 * of those it was given the first ones only: up to the first gap after the sixteenth.
 */
import fs from 'node:fs'

/** The flag that keeps a descriptor from other programs, in the octal number that Linux shows; the same on every architecture but two old ones. */
const closedOnExec = 0o2000000

/** Besides input, output and errors. Other systems than Linux pass nothing on that was not asked for. */
export function inheritedDescriptors(): number[] {
  if (process.platform !== 'linux') return []
  return fs
    .readdirSync('/proc/self/fdinfo')
    .map(Number)
    .filter((descriptor) => descriptor > 2 && isPassedOn(descriptor))
}

/** For a program that is a server and nothing else: in any other, some part of it may use them. */
export function closeInherited(): void {
  for (const descriptor of inheritedDescriptors()) fs.closeSync(descriptor)
}

/** What a process is started with, and in place of each inherited descriptor an empty one. */
export function coverInherited<Given>(
  stdio: readonly Given[],
  { inherited, empty }: { inherited: readonly number[]; empty: number | undefined },
): (Given | number | 'ignore')[] {
  const covered: (Given | number | 'ignore')[] = [...stdio]
  if (empty === undefined) return covered
  for (const descriptor of inherited) {
    if (descriptor < stdio.length && stdio[descriptor] !== 'ignore') continue
    while (covered.length <= descriptor) covered.push('ignore')
    covered[descriptor] = empty
  }
  return covered
}

function isPassedOn(descriptor: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)/m.exec(fs.readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8'))?.[1]
    return flags !== undefined && (Number.parseInt(flags, 8) & closedOnExec) === 0
  } catch (error) {
    // That of the listing itself, which is closed by now.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}
