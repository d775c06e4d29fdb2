/** `tr///`. */
import type { Translation } from '../syntax/ast.js'
import { Unsupported } from '../syntax/perl-error.js'

const controls: Readonly<Record<string, number>> = { n: 10, t: 9, r: 13, f: 12, a: 7, e: 27, b: 8 }

/** The codes of a list of characters with ranges. */
export function codesOf(text: string): number[] {
  const items: Array<{ code: number; isPlain: boolean }> = []
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] !== '\\') {
      items.push({ code: text.charCodeAt(at), isPlain: true })
      continue
    }
    const rest = text.slice(at + 1)
    const found = /^(?:x\{([0-9a-fA-F]+)\}|x([0-9a-fA-F]{1,2})|([0-7]{1,3})|([\s\S]))/.exec(rest)
    if (found === null) {
      items.push({ code: 92, isPlain: true })
      continue
    }
    const [all, braced, hex, octal, letter = ''] = found
    const digits = braced ?? hex
    const code =
      digits !== undefined
        ? Number.parseInt(digits, 16)
        : octal !== undefined
          ? Number.parseInt(octal, 8)
          : (controls[letter] ?? letter.charCodeAt(0))
    if (code > 255 || (digits === undefined && octal === undefined && /[cxNo]/.test(letter))) {
      throw new Unsupported('this escape in tr')
    }
    items.push({ code, isPlain: false })
    at += all.length
  }
  const codes: number[] = []
  for (let at = 0; at < items.length; at += 1) {
    const { code } = items[at] as { code: number }
    const [hyphen, last] = [items[at + 1], items[at + 2]]
    if (hyphen?.code === 45 && hyphen.isPlain && last !== undefined) {
      if (last.code < code) throw new Unsupported('a range that goes down in tr')
      for (let each = code; each <= last.code; each += 1) codes.push(each)
      at += 2
    } else codes.push(code)
  }
  return codes
}

export function translator({ from, to, flags }: Translation): (text: string) => { text: string; count: number } {
  let search = codesOf(from)
  if (flags.includes('c')) {
    const given = new Set(search)
    search = Array.from({ length: 256 }, (_, code) => code).filter((code) => !given.has(code))
  }
  const deletes = flags.includes('d')
  let by = codesOf(to)
  if (by.length === 0 && !deletes) by = search
  /** The new code, -1 for none, undefined when it stays as it is. */
  const table = new Map<number, number>()
  for (const [index, code] of search.entries()) {
    if (table.has(code)) continue
    const replacement = by[index] ?? (deletes ? -1 : (by.at(-1) as number))
    table.set(code, replacement)
  }
  const squeezes = flags.includes('s')
  return (text) => {
    let count = 0
    let result = ''
    let last = -2
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at)
      const replacement = table.get(code)
      if (replacement === undefined) {
        result += text[at]
        last = -2
        continue
      }
      count += 1
      if (replacement < 0 || (squeezes && replacement === last)) continue
      result += String.fromCharCode(replacement)
      last = replacement
    }
    return { text: result, count }
  }
}
