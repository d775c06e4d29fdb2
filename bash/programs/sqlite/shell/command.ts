/** One command of the shell. */
import type { ShellState } from './state.js'
import { say } from './state.js'

export interface DotCommand {
  name: string
  /** So many letters of it are enough. Default: 1. */
  shortest?: number
  /** It can't be shortened. */
  isExact?: boolean
  /** `words` begins with the name as it was given. The status: 0 when absent, 1 for a failure, 2 to end the script. */
  run(state: ShellState, words: readonly string[]): Promise<number | undefined>
}

export async function refuse(state: ShellState, message: string): Promise<number> {
  await state.out.flush()
  await say(state, message)
  return 1
}

export async function truth(state: ShellState, word: string): Promise<boolean> {
  if (/^0x[0-9a-fA-F]*$/.test(word) && word.length > 2) return Number(word) !== 0
  if (/^\d+$/.test(word)) return Number(word) !== 0
  const lower = word.toLowerCase()
  if (lower === 'on' || lower === 'yes') return true
  if (lower !== 'off' && lower !== 'no') await say(state, `ERROR: Not a boolean value: "${word}". Assuming "no".\n`)
  return false
}

/** `-name`, `--name` */
export function isOption(word: string, name: string): boolean {
  return word === `-${name}` || word === `--${name}`
}
