/** `read` */
import { encodeText } from '../../io/byte-text.js'
import { separators } from '../expand/expand-word.js'
import { assignElement, assignList, assignText, namePattern, parseTarget, targetOf } from '../expand/variable-access.js'
import type { Shell } from '../run/state/shell.js'
import type { Steps } from '../run/state/steps.js'
import { type BuiltinCall, type Builtins, fail, parseFlags, wrongOption } from './builtin.js'
import { type ReadRecord, readRecord } from './read-record.js'
import { splitFields } from './split-fields.js'

export const readBuiltins: Builtins = { read }

const timeoutStatus = 142

function* read(shell: Shell, args: readonly string[], call: BuiltinCall): Steps<number> {
  const { flags, rest, wrong, missing } = parseFlags(args, 'rse', 'adinNptu')
  if (wrong !== undefined) {
    const usage =
      'read [-ers] [-a array] [-d delim] [-i text] [-n nchars] [-N nchars] [-p prompt] [-t timeout] [-u fd] [name ...]'
    return yield* wrongOption(shell, call, wrong, usage)
  }
  if (missing !== undefined) return yield* fail(shell, call, `${missing}: option requires an argument`, 2)
  const [name] = rest
  if (name !== undefined && parseTarget(name) === undefined)
    return yield* fail(shell, call, `\`${name}': not a valid identifier`)
  const array = flags.get('a')
  if (array !== undefined && !namePattern.test(array)) {
    return yield* fail(shell, call, `\`${array}': not a valid identifier`)
  }
  const given = flags.get('u') ?? '0'
  if (!/^\d+$/.test(given)) return yield* fail(shell, call, `${given}: invalid file descriptor specification`)
  const descriptor = Number(given)
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
  const record = yield* readRecord(shell, descriptor, limits, flags.has('r'))
  for (const [target, value] of valuesOf(shell, record, rest, flags)) {
    if (typeof value !== 'string') assignList(shell, target, value)
    else if (parseTarget(target) !== undefined) assignTarget(shell, target, value)
    else return yield* fail(shell, call, `\`${target}': not a valid identifier`)
  }
  return record.timedOut ? timeoutStatus : record.ended ? 1 : 0
}

/** The variables and their values. */
function valuesOf(
  shell: Shell,
  record: ReadRecord,
  names: readonly string[],
  flags: ReadonlyMap<string, string>,
): Array<[target: string, value: string | string[]]> {
  const array = flags.get('a')
  if (array !== undefined) return [[array, splitFields(record, separators(shell))]]
  const [first, ...others] = names
  if (first === undefined) return [['REPLY', record.text]]
  if (flags.has('N')) return [[first, record.text], ...others.map((name): [string, string] => [name, ''])]
  const fields = splitFields(record, separators(shell), names.length)
  return names.map((name, at) => [name, fields[at] ?? ''])
}

function assignTarget(shell: Shell, text: string, value: string): void {
  const target = targetOf(shell, text)
  if (target?.subscript === undefined) assignText(shell, text, value)
  else assignElement(shell, target.name, target.subscript, value)
}
