/**
 * The whole characters in a range of a UTF-8 file. `first` and `last` say whether the range begins and ends with the file; elsewhere it
 * may begin or end within a character.
 */
export function wholeCharacters(
  bytes: Uint8Array,
  { first, last }: { first: boolean; last: boolean },
): { start: number; end: number } {
  const start = first ? 0 : leadingRest(bytes)
  const end = last ? bytes.length : bytes.length - trailingStart(bytes)
  return { start, end: Math.max(start, end) }
}

/** Bytes at the start that end a character begun before. */
function leadingRest(bytes: Uint8Array): number {
  let count = 0
  while (count < 3 && isContinuation(bytes[count])) count += 1
  return count
}

/** Bytes at the end that begin a character without ending it. */
function trailingStart(bytes: Uint8Array): number {
  let back = 1
  while (back < 4 && isContinuation(bytes.at(-back))) back += 1
  const lead = bytes.at(-back) ?? 0
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1
  return length > back ? back : 0
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80
}
