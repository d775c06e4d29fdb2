/** `.help`, also for what is not supported here. */
import type { ShellState } from '../shell/state.js'
import { helpText } from './help-text.js'

const all = ['-a', '-all', '--all']

/** False: nothing matches. Without a pattern there is one line for each command. */
export async function writeHelp(state: ShellState, pattern?: string): Promise<boolean> {
  const lines = helpText.trimEnd().split('\n')
  const found =
    pattern === undefined
      ? lines.filter((line) => line.startsWith('.'))
      : pattern.startsWith('0') || all.includes(pattern)
        ? lines
        : matching(lines, pattern)
  for (const line of found) await state.out.write(`${line}\n`)
  return found.length > 0
}

function matching(lines: readonly string[], pattern: string): string[] {
  const begins = globOf(`.${pattern}*`)
  const titles = lines.flatMap((line, index) => (begins.test(line) ? [index] : []))
  const details = (from: number) => {
    const end = lines.findIndex((line, index) => index > from && line.startsWith('.'))
    return lines.slice(from, end < 0 ? lines.length : end)
  }
  if (titles.length === 1) return details(titles[0] as number)
  if (titles.length > 1) return titles.map((index) => lines[index] as string)
  const inside = likeOf(`%${pattern}%`)
  return lines.flatMap((line, index) =>
    line.startsWith('.') && details(index).some((each) => inside.test(each)) ? details(index) : [],
  )
}

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** Patterns of a user run in bounded time: stars are the only thing that repeats, and a line is short. */
function globOf(pattern: string): RegExp {
  return new RegExp(`^${escaped(pattern).replaceAll('\\*', '[\\s\\S]*').replaceAll('\\?', '[\\s\\S]')}$`)
}

function likeOf(pattern: string): RegExp {
  return new RegExp(`^${escaped(pattern).replaceAll('%', '[\\s\\S]*').replaceAll('_', '[\\s\\S]')}$`, 'i')
}
