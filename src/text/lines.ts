/** Lines without their endings (LF, CRLF or CR alone). A final line ending does not start another line; no text has no lines. */
export function splitLines(text: string): string[] {
  const lines = text.split(/\r\n|\n|\r/)
  if (lines.at(-1) === '') lines.pop()
  return lines
}

/** At most `maxUnits` UTF-16 units from the start, never half a surrogate pair. */
export function cutUnits(text: string, maxUnits: number): string {
  if (text.length <= maxUnits) return text
  const last = text.charCodeAt(maxUnits - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? maxUnits - 1 : maxUnits)
}

/** At most `maxBytes` of UTF-8 from the start, never half a character. */
export function cutBytes(text: string, maxBytes: number): string {
  const bytes = new TextEncoder().encode(text)
  if (bytes.length <= maxBytes) return text
  let end = maxBytes
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1
  return new TextDecoder().decode(bytes.subarray(0, end))
}

export function utf8Length(text: string): number {
  return new TextEncoder().encode(text).length
}
