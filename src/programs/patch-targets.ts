/**
 * Finds the target files of a patch by the rules of `patch`; the operation that applies patches expects names as git
 * writes them.
 */
import { parseName, withoutPrefix } from '../text/patch/patch-names.js'
import { ProgramError } from './program.js'

export interface PatchTargets {
  exists(path: string): Promise<boolean>
  /** How many leading directories to strip from names. Default: only `a/` and `b/`. */
  strip?: number
  /** The one file that the whole patch applies to. */
  operand?: string
}

/**
 * Rewrites the names in a patch to the target files. Of a block with two names it chooses the existing one, the old one
 * first. Git's names stay as they are, unless other names are requested. Lines inside hunks are never changed.
 */
export async function retargeted(text: string, targets: PatchTargets): Promise<string> {
  const { strip = 1, operand } = targets
  const lines = text.split('\n')
  const result: string[] = []
  /** Header lines of a git block before its file names. */
  let git: string[] | undefined
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] as string
    const hunkEnd = endOfHunk(lines, at)
    if (hunkEnd !== undefined) {
      result.push(...lines.slice(at, hunkEnd))
      at = hunkEnd - 1
    } else if (line.startsWith('diff --git ')) {
      result.push(...(git ?? []))
      git = [line]
    } else if (line.startsWith('--- ') && lines[at + 1]?.startsWith('+++ ')) {
      const pair = [line, lines[at + 1] as string] as const
      at += 1
      if (git === undefined) result.push(...(await renamed(pair, targets)))
      else if (strip === 1 && operand === undefined) result.push(...git, ...pair)
      else if (git.slice(1).every((header) => header.startsWith('index ')))
        result.push(...(await renamed(pair, targets)))
      else throw new ProgramError('a git patch with modes or renames needs -p1 and no file argument.', 2)
      git = undefined
    } else (git ?? result).push(line)
  }
  return [...result, ...(git ?? [])].join('\n')
}

/** The end of the hunk that starts here, from the counts in its header. */
function endOfHunk(lines: readonly string[], start: number): number | undefined {
  const header = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(lines[start] as string)
  if (header === null) return undefined
  let [old, fresh] = [Number(header[1] ?? 1), Number(header[2] ?? 1)]
  let at = start + 1
  for (; at < lines.length && (old > 0 || fresh > 0 || lines[at]?.startsWith('\\')); at += 1) {
    const first = lines[at]?.[0]
    if (first === '\\') continue
    if (first !== '+') old -= 1
    if (first !== '-') fresh -= 1
  }
  return at
}

async function renamed(pair: readonly [string, string], { exists, strip, operand }: PatchTargets) {
  const sides = pair.map((line) => {
    const written = line.slice(4).replace(/\r$/, '')
    const name = parseName(written)
    if (name === undefined) throw new ProgramError('the file name is not quoted as git does.', 2)
    return { name: name === '/dev/null' ? undefined : stripped(name, strip), rest: /(?:\t[^\t]*)?\r?$/.exec(line)![0] }
  })
  const names = operand === undefined ? sides.flatMap(({ name }) => name ?? []) : [operand]
  let target = names[0] ?? ''
  for (const name of [...names].reverse()) if (await exists(name)) target = name
  if (/^"|[\t\n]/.test(target)) throw new ProgramError(`${target}: such a name is not supported.`, 2)
  return sides.map(({ name, rest }, index) => {
    const [mark, prefix] = index === 0 ? ['---', 'a'] : ['+++', 'b']
    return name === undefined ? (pair[index] as string) : `${mark} ${prefix}/${target}${rest}`
  })
}

function stripped(name: string, strip: number | undefined): string {
  if (strip === undefined) return withoutPrefix(name)
  const components = name.split('/').filter((component, index) => component !== '' || index === 0)
  return components.slice(Math.min(strip, components.length - 1)).join('/')
}
