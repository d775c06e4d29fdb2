/** What a process did to the files of one directory, from a log of `strace -f -y -xx`: in order, with what it said meanwhile. */
export type TracedOperation =
  | { kind: 'open'; name: string }
  | { kind: 'write'; name: string; at: number; data: Uint8Array }
  | { kind: 'truncate'; name: string; size: number }
  | { kind: 'flush'; name: string }
  | { kind: 'remove'; name: string }
  | { kind: 'flush-names' }
  | { kind: 'say'; text: string }

/** The arguments of strace that make such a log. */
export function traceInto(log: string): string[] {
  const calls = 'openat,pwrite64,write,fsync,fdatasync,ftruncate,unlink,rename'
  return ['strace', '-f', '-y', '-xx', '-s', '1000000', '-e', `trace=${calls}`, '-e', 'signal=none', '-o', log]
}

export function tracedOperations(log: string, directory: string): TracedOperation[] {
  const operations: TracedOperation[] = []
  const nameIn = (host: string) => (host.startsWith(`${directory}/`) ? host.slice(directory.length + 1) : undefined)
  for (const line of wholeLines(log)) {
    const [, call = '', given = '', result = ''] = /^(\w+)\((.*)\)\s+= (-?\d+)/.exec(line) ?? []
    if (call === '' || result.startsWith('-')) continue
    const [, descriptor, place = ''] = /^(\d+)<(.*?)>(?:, |$)/.exec(given) ?? []
    const host = bytesOf(`"${place}"`)[0]?.toString() ?? ''
    const own = nameIn(host)
    if (call === 'openat') {
      const name = nameIn(bytesOf(given)[0]?.toString() ?? '')
      if (name !== undefined) operations.push({ kind: 'open', name })
    } else if (call === 'unlink' || call === 'rename') {
      const name = nameIn(bytesOf(given)[0]?.toString() ?? '')
      if (name !== undefined && call === 'rename') throw new Error(`a rename, which is not expected: ${line}`)
      if (name !== undefined) operations.push({ kind: 'remove', name })
    } else if (call === 'write' && descriptor === '1') {
      operations.push({ kind: 'say', text: bytesOf(given)[0]?.toString() ?? '' })
    } else if ((call === 'fsync' || call === 'fdatasync') && host === directory) {
      operations.push({ kind: 'flush-names' })
    } else if (own !== undefined) {
      operations.push(...operationOn(own, call, given, Number(result)))
    }
  }
  return operations
}

function operationOn(name: string, call: string, given: string, result: number): TracedOperation[] {
  const last = Number(/(\d+)$/.exec(given)?.[1])
  if (call === 'fsync' || call === 'fdatasync') return [{ kind: 'flush', name }]
  if (call === 'ftruncate') return [{ kind: 'truncate', name, size: last }]
  if (call !== 'pwrite64') return []
  const data = bytesOf(given)[0]?.subarray(0, result) ?? Buffer.of()
  if (data.length !== result) throw new Error(`${name}: the log has ${data.length} of ${result} bytes`)
  return [{ kind: 'write', name, at: last, data }]
}

/** Every string of a line; all are hexadecimal. */
function bytesOf(given: string): Buffer[] {
  return [...given.matchAll(/"((?:\\x[0-9a-f]{2})*)"/g)].map(([, text = '']) =>
    Buffer.from(text.replaceAll('\\x', ''), 'hex'),
  )
}

/** Calls of one thread that another interrupted are joined, and stand where they ended. */
function wholeLines(log: string): string[] {
  const begun = new Map<string, string>()
  return log.split('\n').flatMap((line) => {
    const [, thread = '', rest = ''] = /^(\d+)\s+(.*)$/.exec(line) ?? []
    const first = /^(.*) <unfinished \.\.\.>$/.exec(rest)?.[1]
    if (first !== undefined) {
      begun.set(thread, first)
      return []
    }
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/.exec(rest)?.[1]
    return [resumed === undefined ? rest : `${begun.get(thread) ?? ''}${resumed}`]
  })
}
