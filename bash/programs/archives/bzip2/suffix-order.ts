/**
 * The order of a text's suffixes by induced sorting (SA-IS): the time is linear for every text, however it repeats.
 * A suffix is "small" when it is less than the next one; a small suffix after a large one is a "left-most small" one.
 * Sorting these is enough, as the order of all others follows from them.
 */

/** Where each suffix starts, in order. The symbols are less than `symbols`. A suffix is less than what it is a prefix of. */
export function suffixOrder(text: Uint8Array | Int32Array, symbols: number): Int32Array {
  const length = text.length
  if (length === 0) return new Int32Array()
  if (length === 1) return new Int32Array(1)
  const small = smallSuffixes(text)
  const { smallStarts, largeStarts } = buckets(text, small, symbols)
  const order = new Int32Array(length)
  const next = new Int32Array(symbols + 1)

  function induce(leftMost: Int32Array): void {
    order.fill(-1)
    next.set(smallStarts)
    for (let index = 0; index < leftMost.length; index += 1) {
      const start = leftMost[index] as number
      const symbol = text[start] as number
      order[next[symbol] as number] = start
      next[symbol] = (next[symbol] as number) + 1
    }
    next.set(largeStarts)
    const last = text[length - 1] as number
    order[next[last] as number] = length - 1
    next[last] = (next[last] as number) + 1
    for (let index = 0; index < length; index += 1) {
      const start = (order[index] as number) - 1
      if (start < 0 || small[start] === 1) continue
      const symbol = text[start] as number
      order[next[symbol] as number] = start
      next[symbol] = (next[symbol] as number) + 1
    }
    next.set(largeStarts)
    for (let index = length - 1; index >= 0; index -= 1) {
      const start = (order[index] as number) - 1
      if (start < 0 || small[start] === 0) continue
      const end = (text[start] as number) + 1
      next[end] = (next[end] as number) - 1
      order[next[end] as number] = start
    }
  }

  const starts = leftMostSmall(small)
  induce(starts)
  if (starts.length > 0) induce(sortedStarts(text, starts, order))
  return order
}

function smallSuffixes(text: Uint8Array | Int32Array): Uint8Array {
  const small = new Uint8Array(text.length)
  for (let at = text.length - 2; at >= 0; at -= 1) {
    const [here, after] = [text[at] as number, text[at + 1] as number]
    small[at] = here === after ? (small[at + 1] as number) : here < after ? 1 : 0
  }
  return small
}

/** In the bucket of a symbol the large suffixes come first. */
function buckets(text: Uint8Array | Int32Array, small: Uint8Array, symbols: number) {
  const smallStarts = new Int32Array(symbols + 1)
  const largeStarts = new Int32Array(symbols + 1)
  for (let at = 0; at < text.length; at += 1) {
    const symbol = text[at] as number
    if (small[at] === 0) smallStarts[symbol] = (smallStarts[symbol] as number) + 1
    else largeStarts[symbol + 1] = (largeStarts[symbol + 1] as number) + 1
  }
  for (let symbol = 0; symbol < symbols; symbol += 1) {
    smallStarts[symbol] = (smallStarts[symbol] as number) + (largeStarts[symbol] as number)
    largeStarts[symbol + 1] = (largeStarts[symbol + 1] as number) + (smallStarts[symbol] as number)
  }
  return { smallStarts, largeStarts }
}

function leftMostSmall(small: Uint8Array): Int32Array {
  let count = 0
  for (let at = 1; at < small.length; at += 1) if (small[at - 1] === 0 && small[at] === 1) count += 1
  const starts = new Int32Array(count)
  let index = 0
  for (let at = 1; at < small.length; at += 1) {
    if (small[at - 1] === 1 || small[at] === 0) continue
    starts[index] = at
    index += 1
  }
  return starts
}

/** The left-most small suffixes in order: those of a shorter text, in which each piece between two of them is one symbol. */
function sortedStarts(text: Uint8Array | Int32Array, starts: Int32Array, order: Int32Array): Int32Array {
  const length = text.length
  const count = starts.length
  const numbers = new Int32Array(length + 1).fill(-1)
  for (let index = 0; index < count; index += 1) numbers[starts[index] as number] = index
  const byPiece = new Int32Array(count)
  let found = 0
  for (let index = 0; index < length; index += 1) {
    if ((numbers[order[index] as number] as number) === -1) continue
    byPiece[found] = order[index] as number
    found += 1
  }
  const endOf = (start: number) => starts[(numbers[start] as number) + 1] ?? length
  const shorter = new Int32Array(count)
  let symbol = 0
  for (let index = 1; index < count; index += 1) {
    const [before, here] = [byPiece[index - 1] as number, byPiece[index] as number]
    if (!isSamePiece(text, before, endOf(before), here, endOf(here))) symbol += 1
    shorter[numbers[here] as number] = symbol
  }
  const shorterOrder = symbol + 1 === count ? inverse(shorter) : suffixOrder(shorter, symbol + 1)
  return shorterOrder.map((index) => starts[index] as number)
}

function isSamePiece(
  text: Uint8Array | Int32Array,
  left: number,
  leftEnd: number,
  right: number,
  rightEnd: number,
): boolean {
  if (leftEnd - left !== rightEnd - right) return false
  // The end of the text is less than every symbol.
  if (leftEnd === text.length || rightEnd === text.length) return false
  for (let offset = 0; left + offset <= leftEnd; offset += 1) {
    if (text[left + offset] !== text[right + offset]) return false
  }
  return true
}

function inverse(ranks: Int32Array): Int32Array {
  const order = new Int32Array(ranks.length)
  for (let at = 0; at < ranks.length; at += 1) order[ranks[at] as number] = at
  return order
}
