/** Whether a module that the engine has compiled awaits at its top level, from its bytecode: the engine says it nowhere else. */

export function awaitsAtTop(bytecode: Uint8Array): boolean {
  let at = 0
  const byte = () => bytecode[at++] ?? 0

  /** A number of 7 bits per byte, the lowest first. Those that refer to names are numbers too. */
  function number(): number {
    let value = 0
    for (let shift = 0; ; shift += 7) {
      const next = byte()
      value += (next & 0x7f) * 2 ** shift
      if (next < 0x80) return value
    }
  }

  function times(count: number, skip: () => void): void {
    for (let index = 0; index < count; index += 1) skip()
  }

  const numbers = (count: number) => times(count, number)

  /** The kind of the name, its length with a bit for two bytes a character, and its characters. */
  function name(): void {
    byte()
    const length = number()
    at += (length >> 1) * (length & 1 ? 2 : 1)
  }

  function exported(): void {
    const isLocal = byte() === 0
    numbers(isLocal ? 2 : 3)
  }

  at = headerBytes
  times(number(), name)
  if (byte() !== moduleTag) throw new Error('node: bytecode of the engine that this version does not know')
  number()
  numbers(number())
  times(number(), exported)
  numbers(number())
  times(number(), () => numbers(3))
  return byte() === 1
}

/** The version and a checksum. */
const headerBytes = 5
const moduleTag = 0x0d
