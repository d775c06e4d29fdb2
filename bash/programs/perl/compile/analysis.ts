/** What is found by looking at a program before it is compiled. */
import type { PerlProgram } from '../syntax/ast.js'
import { Unsupported } from '../syntax/perl-error.js'

const waitingFunctions = new Set([
  'open',
  'close',
  'eof',
  'readline',
  'unlink',
  'mkdir',
  'rmdir',
  'rename',
  'system',
  'qx',
  'sleep',
  'binmode',
])
const loops = new Set(['while', 'for', 'foreach', 'do-while', 'each-item'])
const outputs = new Set(['print', 'call', 'call-value'])

interface Part {
  kind?: string
  name?: string
}

function isPart(value: unknown): value is Part {
  return typeof value === 'object' && value !== null
}

/** Whether the test holds for a part, without those of anonymous subs, which run later. */
export function someIn(value: unknown, test: (part: Part) => boolean): boolean {
  if (Array.isArray(value)) return value.some((one) => someIn(one, test))
  if (!isPart(value)) return false
  if (test(value)) return true
  if (value.kind === 'sub') return false
  for (const key in value) {
    const part = (value as Record<string, unknown>)[key]
    if (typeof part === 'object' && part !== null && someIn(part, test)) return true
  }
  return false
}

/** Whether it prints, or calls what may print. */
export function hasOutput(value: unknown): boolean {
  return someIn(value, ({ kind = '', name = '' }) => outputs.has(kind) || (kind === 'function' && name === 'warn'))
}

export function hasMatch(value: unknown): boolean {
  return someIn(value, ({ kind }) => kind === 'match' || kind === 'substitute' || kind === 'function')
}

export interface Analysis {
  waits(value: unknown): boolean
}

export function analyse(program: PerlProgram): Analysis {
  const waitingSubs = new Set<string>()
  let anyWaits = false

  function waits(value: unknown): boolean {
    return someIn(value, (part) => {
      const { kind = '', name = '' } = part
      if (kind === 'read-line' || kind === 'file-test' || kind === 'do-while') return true
      if (kind === 'function') return waitingFunctions.has(name)
      if (kind === 'call') return waitingSubs.has(name)
      if (kind === 'call-value') return anyWaits
      return loops.has(kind) && kind !== 'each-item' && hasOutput(part)
    })
  }

  const anonymous: unknown[] = []
  collect(program, anonymous)
  for (let changed = true; changed; ) {
    changed = false
    for (const [name, sub] of program.subs) {
      if (waitingSubs.has(name) || !waits(sub.body)) continue
      waitingSubs.add(name)
      changed = true
    }
    const any = waitingSubs.size > 0 || anonymous.some(waits)
    if (any !== anyWaits) {
      anyWaits = any
      changed = true
    }
  }
  return { waits }
}

/** The bodies of all anonymous subs. */
function collect(value: unknown, found: unknown[]): void {
  if (value instanceof Map) {
    for (const one of value.values()) collect(one, found)
    return
  }
  if (Array.isArray(value)) {
    for (const one of value) collect(one, found)
    return
  }
  if (!isPart(value)) return
  if (value.kind === 'sub') found.push((value as unknown as { sub: { body: unknown } }).sub.body)
  for (const part of Object.values(value)) collect(part, found)
}

export function refuseWaiting(analysis: Pick<Analysis, 'waits'>, part: unknown, where: string): void {
  if (analysis.waits(part)) throw new Unsupported(`reading, running commands or printing in a loop in ${where}`)
}
