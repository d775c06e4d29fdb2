/** Output of a command as text: what is not UTF-8 is shown as U+FFFD. */
export function textOfBytes(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes)
}
