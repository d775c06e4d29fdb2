/** Huffman codes of limited length. */

/** The lengths of the codes for symbols of these frequencies. */
export function codeLengths(frequencies: Int32Array, maxLength: number): Uint8Array {
  const count = frequencies.length
  const weights = Float64Array.from(frequencies, (frequency) => Math.max(1, frequency))
  for (;;) {
    const lengths = treeDepths(weights)
    if (lengths.every((length) => length <= maxLength)) return lengths
    // Flatter frequencies make a flatter tree.
    for (let symbol = 0; symbol < count; symbol += 1) weights[symbol] = 1 + Math.floor((weights[symbol] as number) / 2)
  }
}

/** Of nodes with the same weight the one that is less deep is joined first. */
function treeDepths(symbolWeights: Float64Array): Uint8Array {
  const count = symbolWeights.length
  const weights = new Float64Array(2 * count)
  const depths = new Int32Array(2 * count)
  const parents = new Int32Array(2 * count).fill(-1)
  weights.set(symbolWeights)
  const heap = new Int32Array(count + 1)
  let size = 0

  const isBefore = (left: number, right: number): boolean => {
    const [a, b] = [weights[left] as number, weights[right] as number]
    return a === b ? (depths[left] as number) < (depths[right] as number) : a < b
  }
  const up = (from: number): void => {
    let at = from
    const node = heap[at] as number
    while (at > 1 && isBefore(node, heap[at >> 1] as number)) {
      heap[at] = heap[at >> 1] as number
      at >>= 1
    }
    heap[at] = node
  }
  const down = (): void => {
    let at = 1
    const node = heap[at] as number
    for (;;) {
      let child = at * 2
      if (child > size) break
      if (child < size && isBefore(heap[child + 1] as number, heap[child] as number)) child += 1
      if (isBefore(node, heap[child] as number)) break
      heap[at] = heap[child] as number
      at = child
    }
    heap[at] = node
  }
  const takeFirst = (): number => {
    const first = heap[1] as number
    heap[1] = heap[size] as number
    size -= 1
    down()
    return first
  }

  for (let symbol = 0; symbol < count; symbol += 1) {
    size += 1
    heap[size] = symbol
    up(size)
  }
  for (let node = count; size > 1; node += 1) {
    const [left, right] = [takeFirst(), takeFirst()]
    parents[left] = node
    parents[right] = node
    weights[node] = (weights[left] as number) + (weights[right] as number)
    depths[node] = 1 + Math.max(depths[left] as number, depths[right] as number)
    size += 1
    heap[size] = node
    up(size)
  }
  const lengths = new Uint8Array(count)
  for (let symbol = 0; symbol < count; symbol += 1) {
    let length = 0
    for (let node = parents[symbol] as number; node !== -1; node = parents[node] as number) length += 1
    lengths[symbol] = Math.min(255, length)
  }
  return lengths
}

/** Codes in the order of length and symbol. */
export function codesOf(lengths: Uint8Array): Int32Array {
  const codes = new Int32Array(lengths.length)
  const longest = Math.max(...lengths)
  let code = 0
  for (let length = 1; length <= longest; length += 1) {
    for (let symbol = 0; symbol < lengths.length; symbol += 1) {
      if (lengths[symbol] !== length) continue
      codes[symbol] = code
      code += 1
    }
    code <<= 1
  }
  return codes
}
