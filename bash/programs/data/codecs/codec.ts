/** Encodings of bytes in characters of a fixed number of bits each, such as Base64. */

export interface Codec {
  alphabet: string
  /** Bits per character. */
  bits: number
  /** Bytes and characters of a group. */
  bytes: number
  characters: number
  padded: boolean
  /** The first character holds the lowest bits. */
  lowestFirst?: boolean
  /** Lower case is read too. */
  anyCase?: boolean
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
const base64Letters = letters + letters.toLowerCase() + '0123456789'

export const codecs = {
  base64: { alphabet: `${base64Letters}+/`, bits: 6, bytes: 3, characters: 4, padded: true },
  base64url: { alphabet: `${base64Letters}-_`, bits: 6, bytes: 3, characters: 4, padded: true },
  base32: { alphabet: `${letters}234567`, bits: 5, bytes: 5, characters: 8, padded: true },
  base32hex: { alphabet: `0123456789${letters.slice(0, 22)}`, bits: 5, bytes: 5, characters: 8, padded: true },
  base16: { alphabet: '0123456789ABCDEF', bits: 4, bytes: 1, characters: 2, padded: false },
  base2msbf: { alphabet: '01', bits: 1, bytes: 1, characters: 8, padded: false },
  base2lsbf: { alphabet: '01', bits: 1, bytes: 1, characters: 8, padded: false, lowestFirst: true },
} as const satisfies Readonly<Record<string, Codec>>

const padding = 61

/** Encodes whole groups; at the end also a part of one, with padding. */
export function encodeGroups(input: Uint8Array, codec: Codec): Uint8Array<ArrayBuffer> {
  const { bits, bytes, characters } = codec
  const table = Uint8Array.from(codec.alphabet, (character) => character.charCodeAt(0))
  const groups = Math.ceil(input.length / bytes)
  const output = new Uint8Array(groups * characters)
  const mask = (1 << bits) - 1
  let to = 0
  let held = 0
  let heldBits = 0
  for (let at = 0; at < input.length; at += 1) {
    const byte = codec.lowestFirst ? reversed(input[at] as number) : (input[at] as number)
    held = ((held << 8) | byte) & 0xffff
    heldBits += 8
    while (heldBits >= bits) {
      heldBits -= bits
      output[to] = table[(held >> heldBits) & mask] as number
      to += 1
    }
  }
  if (heldBits > 0) {
    output[to] = table[(held << (bits - heldBits)) & mask] as number
    to += 1
  }
  output.fill(padding, to)
  return output
}

const reversed = (byte: number) => Number.parseInt(byte.toString(2).padStart(8, '0').split('').reverse().join(''), 2)

export interface Decoder {
  /** The bytes of what is complete. `isValid` turns false at the first wrong character. */
  decode(input: Uint8Array): Uint8Array<ArrayBuffer>
  /** What is left at the end; an unfinished group is wrong. */
  end(): Uint8Array<ArrayBuffer>
  isValid(): boolean
}

export function createDecoder(codec: Codec, ignoreGarbage: boolean): Decoder {
  const { bits, characters } = codec
  const values = new Int8Array(256).fill(-1)
  for (const [value, character] of [...codec.alphabet].entries()) {
    values[character.charCodeAt(0)] = value
    if (codec.anyCase) values[character.toLowerCase().charCodeAt(0)] = value
  }
  let group: number[] = []
  let paddings = 0
  let valid = true
  // Only of Base64 the original writes the bytes of an unfinished group.
  const keepsParts = bits === 6

  function finishGroup(output: number[]): void {
    let held = 0
    let heldBits = 0
    const whole = Math.floor((group.length * bits) / 8)
    for (let index = 0, count = 0; index < group.length && count < whole; index += 1) {
      held = ((held << bits) | (group[index] as number)) & 0xffff
      heldBits += bits
      if (heldBits < 8) continue
      heldBits -= 8
      const byte = (held >> heldBits) & 255
      output.push(codec.lowestFirst ? reversed(byte) : byte)
      count += 1
    }
    group = []
    paddings = 0
  }

  /** How many paddings a group with so many characters has; undefined when there is no such number. */
  function neededPadding(count: number): number | undefined {
    const whole = Math.floor((count * bits) / 8)
    return Math.ceil((whole * 8) / bits) === count && whole > 0 ? characters - count : undefined
  }

  return {
    decode(input) {
      const output: number[] = []
      for (let at = 0; at < input.length && valid; at += 1) {
        const byte = input[at] as number
        const value = values[byte] as number
        if (value === -1) {
          if (byte === 10) continue
          if (byte === padding && codec.padded && group.length > 0 && neededPadding(group.length) !== undefined) {
            paddings += 1
            if (paddings === neededPadding(group.length)) finishGroup(output)
            continue
          }
          if (ignoreGarbage && !(byte === padding && codec.padded)) continue
          valid = false
          break
        }
        if (paddings > 0) {
          valid = false
          break
        }
        group.push(value)
        if (group.length === characters) finishGroup(output)
      }
      if (!valid && keepsParts) finishGroup(output)
      return Uint8Array.from(output)
    },
    end() {
      const output: number[] = []
      if (group.length > 0) valid = false
      if (keepsParts) finishGroup(output)
      return Uint8Array.from(output)
    },
    isValid: () => valid,
  }
}
