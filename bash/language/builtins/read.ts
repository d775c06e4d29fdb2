/** `read` and `mapfile`. */
import { encodeText } from '../../io/byte-text.js'
import { separators } from '../expand/expand-word.js'
import type { Separators } from '../expand/sinks.js'
import { assignElement, assignList, assignText, namePattern, parseTarget, targetOf } from '../expand/variable-access.js'
import type { Shell } from '../run/state/shell.js'
import type { Steps } from '../run/state/steps.js'
import { type BuiltinCall, type Builtins, fail, parseFlags, wrongOption } from './builtin.js'
import { readLine } from './read-line.js'

export const readBuiltins: Builtins = { read, mapfile, readarray: mapfile }

const timeoutStatus = 142

function* read(shell: Shell, args: readonly string[], call: BuiltinCall): Steps<number> {
  const { flags, rest, wrong, missing } = parseFlags(args, 'rse', 'adinNptu')
  if (wrong !== undefined) {
    const usage =
      'read [-ers] [-a array] [-d delim] [-i text] [-n nchars] [-N nchars] [-p prompt] [-t timeout] [-u fd] [name ...]'
    return yield* wrongOption(shell, call, wrong, usage)
  }
  if (missing !== undefined) return yield* fail(shell, call, `${missing}: option requires an argument`, 2)
  for (const name of rest) {
    if (parseTarget(name) === undefined) return yield* fail(shell, call, `\`${name}': not a valid identifier`)
  }
  const array = flags.get('a')
  if (array !== undefined && !namePattern.test(array)) {
    return yield* fail(shell, call, `\`${array}': not a valid identifier`)
  }
  const descriptor = Number(flags.get('u') ?? 0)
  if (shell.descriptors.get(descriptor)?.reader === undefined) {
    return yield* fail(shell, call, `${descriptor}: invalid file descriptor: Bad file descriptor`)
  }
  const timeout = flags.get('t')
  if (timeout !== undefined && !/^\d*\.?\d*$/.test(timeout)) {
    return yield* fail(shell, call, `${timeout}: invalid timeout specification`)
  }
  if (timeout !== undefined && Number(timeout) === 0) return 0
  const count = flags.get('N') ?? flags.get('n')
  if (count !== undefined && !/^\d+$/.test(count)) return yield* fail(shell, call, `${count}: invalid number`)
  const delimiter = flags.get('d')
  const limits = {
    delimiter: delimiter === undefined ? undefined : delimiter === '' ? 0 : encodeText(delimiter)[0],
    count: count === undefined ? undefined : Number(count),
    exact: flags.has('N'),
    deadlineMs: timeout === undefined ? undefined : shell.session.clock.elapsed() + Number(timeout) * 1000,
  }
  const { text, ended, timedOut } = yield* readRecord(shell, descriptor, limits, flags.has('r'))
  const line = text.includes('\0') ? text.replaceAll('\0', '') : text
  assignFields(shell, line, rest, flags)
  return timedOut ? timeoutStatus : ended ? 1 : 0
}

/** Without `-r`, a backslash before the end of a line continues it. */
function* readRecord(
  shell: Shell,
  descriptor: number,
  limits: Parameters<typeof readLine>[2],
  raw: boolean,
): Steps<{ text: string; ended: boolean; timedOut?: boolean }> {
  const first = yield* readLine(shell, descriptor, limits)
  if (raw || limits.count !== undefined) return first
  let { text, ended } = first
  while (!ended && /(?<!\\)(?:\\\\)*\\$/.test(text)) {
    const more = yield* readLine(shell, descriptor, limits)
    text = text.slice(0, -1) + more.text
    ended = more.ended
  }
  return { text, ended, ...(first.timedOut && { timedOut: true }) }
}

function assignFields(shell: Shell, text: string, names: readonly string[], flags: ReadonlyMap<string, string>): void {
  const raw = flags.has('r')
  const array = flags.get('a')
  const rules = separators(shell)
  if (array !== undefined) {
    assignList(shell, array, splitAll(text, rules, raw))
    return
  }
  if (flags.has('N')) {
    assignTarget(shell, names[0] ?? 'REPLY', raw ? text : withoutBackslashes(text))
    for (const name of names.slice(1)) assignTarget(shell, name, '')
    return
  }
  if (names.length === 0) {
    assignText(shell, 'REPLY', raw ? text : withoutBackslashes(text))
    return
  }
  const fields = splitFields(text, rules, raw, names.length)
  for (const [at, name] of names.entries()) assignTarget(shell, name, fields[at] ?? '')
}

function assignTarget(shell: Shell, text: string, value: string): void {
  const target = targetOf(shell, text)
  if (target?.subscript === undefined) assignText(shell, text, value)
  else assignElement(shell, target.name, target.subscript, value)
}

function withoutBackslashes(text: string): string {
  return text.includes('\\') ? text.replace(/\\(.?)/gs, '$1') : text
}

/** Reads fields from `at` on: their text without backslashes, and where the next one begins. */
function splitFields(text: string, { all, blanks }: Separators, raw: boolean, count: number): string[] {
  const fields: string[] = []
  let at = 0
  const skipBlanks = () => {
    while (at < text.length && blanks.includes(text[at] as string)) at += 1
  }
  skipBlanks()
  while (at < text.length && fields.length < count - 1) {
    let field = ''
    while (at < text.length && !all.includes(text[at] as string)) {
      if (!raw && text[at] === '\\') at += 1
      field += text[at] ?? ''
      at += 1
    }
    fields.push(field)
    skipBlanks()
    if (at < text.length && all.includes(text[at] as string) && !blanks.includes(text[at] as string)) {
      at += 1
      skipBlanks()
    }
  }
  if (at < text.length) fields.push(lastField(text.slice(at), { all, blanks }, raw))
  return fields
}

/** The last variable has all the rest, without blanks at its end; a single separator at the end belongs to its field. */
function lastField(rest: string, rules: Pick<Separators, 'all' | 'blanks'>, raw: boolean): string {
  const { all, blanks } = rules
  let end = rest.length
  const isEscaped = (index: number) => !raw && /(?<!\\)(?:\\\\)*\\$/.test(rest.slice(0, index))
  while (end > 0 && blanks.includes(rest[end - 1] as string) && !isEscaped(end - 1)) end -= 1
  const last = rest[end - 1]
  if (last !== undefined && all.includes(last) && !blanks.includes(last) && !isEscaped(end - 1)) {
    const body = rest.slice(0, end - 1)
    const isOnlyOne = ![...body].some((character) => all.includes(character) && !blanks.includes(character))
    const hasBlanks = [...body.trim()].some((character) => blanks.includes(character))
    if (isOnlyOne && !hasBlanks) {
      end -= 1
      while (end > 0 && blanks.includes(rest[end - 1] as string)) end -= 1
    }
  }
  const text = rest.slice(0, end)
  return raw ? text : withoutBackslashes(text)
}

function splitAll(text: string, rules: Separators, raw: boolean): string[] {
  const fields = splitFields(text, rules, raw, Number.POSITIVE_INFINITY)
  return fields
}

function* mapfile(shell: Shell, args: readonly string[], call: BuiltinCall): Steps<number> {
  const { flags, rest, wrong, missing } = parseFlags(args, 't', 'dnOsuCc')
  if (wrong !== undefined) {
    const usage = `${call.name} [-d delim] [-n count] [-O origin] [-s count] [-t] [-u fd] [-C callback] [-c quantum] [array]`
    return yield* wrongOption(shell, call, wrong, usage)
  }
  if (missing !== undefined) return yield* fail(shell, call, `${missing}: option requires an argument`, 2)
  const name = rest[0] ?? 'MAPFILE'
  if (!namePattern.test(name)) return yield* fail(shell, call, `\`${name}': not a valid identifier`)
  const delimiter = flags.get('d')
  const byte = delimiter === undefined ? 10 : delimiter === '' ? 0 : (encodeText(delimiter)[0] as number)
  const most = Number(flags.get('n') ?? 0)
  const origin = Number(flags.get('O') ?? 0)
  const callback = flags.get('C')
  const quantum = Number(flags.get('c') ?? 5000)
  const descriptor = Number(flags.get('u') ?? 0)
  if (shell.descriptors.get(descriptor)?.reader === undefined) {
    return yield* fail(shell, call, `${descriptor}: invalid file descriptor: Bad file descriptor`)
  }
  if (!flags.has('O')) assignList(shell, name, [])
  let toSkip = Number(flags.get('s') ?? 0)
  const ending = byte === 0 ? '' : String.fromCharCode(byte)
  let index = origin
  for (let count = 0; most === 0 || count < most; ) {
    const { text, ended } = yield* readLine(shell, descriptor, { delimiter: byte })
    if (ended && text === '') break
    shell.run.step()
    if (toSkip > 0) toSkip -= 1
    else {
      const value = flags.has('t') || ended ? text : text + ending
      count += 1
      if (callback !== undefined && count % quantum === 0) {
        yield* shell.engine.runText(shell, `${callback} ${index} ${quoteArgument(value)}`)
      }
      assignElement(shell, name, String(index), value)
      index += 1
    }
    if (ended) break
  }
  return 0
}

function quoteArgument(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
