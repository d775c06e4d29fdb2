/** The order of names in the C locale: by bytes. */
import { encodeText } from '../../../io/byte-text.js'

const firstSurrogate = 0xd800

export function compareBytes(a: string, b: string): number {
  if (a === b) return 0
  const length = Math.min(a.length, b.length)
  let at = 0
  while (at < length && a.charCodeAt(at) === b.charCodeAt(at)) at += 1
  if (at === length) return a.length - b.length
  const left = a.charCodeAt(at)
  const right = b.charCodeAt(at)
  if (left < firstSurrogate && right < firstSurrogate) return left - right
  return compareEncoded(encodeText(a), encodeText(b))
}

function compareEncoded(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length)
  for (let at = 0; at < length; at += 1) {
    const difference = (a[at] as number) - (b[at] as number)
    if (difference !== 0) return difference
  }
  return a.length - b.length
}

/** `ls -v`: digits count as numbers, and a file's suffix counts last. */
export function compareVersions(a: string, b: string): number {
  if (a === b) return 0
  for (const special of ['', '.', '..']) {
    if (a === special) return -1
    if (b === special) return 1
  }
  const isHiddenA = a.startsWith('.')
  if (isHiddenA !== b.startsWith('.')) return isHiddenA ? -1 : 1
  return compareVersionText(withoutSuffix(a), withoutSuffix(b)) || compareVersionText(a, b) || compareBytes(a, b)
}

function withoutSuffix(name: string): string {
  return name.replace(/(\.[A-Za-z~][A-Za-z0-9~]*)*$/, '')
}

function compareVersionText(a: string, b: string): number {
  let left = 0
  let right = 0
  while (left < a.length || right < b.length) {
    while ((left < a.length && !isDigit(a, left)) || (right < b.length && !isDigit(b, right))) {
      const difference = versionRank(a, left) - versionRank(b, right)
      if (difference !== 0) return difference
      left += 1
      right += 1
    }
    const [numberA = ''] = /^\d*/.exec(a.slice(left)) ?? []
    const [numberB = ''] = /^\d*/.exec(b.slice(right)) ?? []
    left += numberA.length
    right += numberB.length
    const valueA = numberA.replace(/^0+/, '')
    const valueB = numberB.replace(/^0+/, '')
    if (valueA.length !== valueB.length) return valueA.length - valueB.length
    if (valueA !== valueB) return valueA < valueB ? -1 : 1
  }
  return 0
}

function isDigit(text: string, at: number): boolean {
  const unit = text.charCodeAt(at)
  return unit >= 0x30 && unit <= 0x39
}

/** `~` comes before the end, then letters, then the rest. */
function versionRank(text: string, at: number): number {
  if (at >= text.length) return -1
  const unit = text.charCodeAt(at)
  if (isDigit(text, at)) return 0
  if (unit === 0x7e) return -2
  return /[A-Za-z]/.test(text.charAt(at)) ? unit : unit + 256
}
