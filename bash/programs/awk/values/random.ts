/** The generator behind `rand`, so that a seed gives the numbers that gawk gives. */

const degree = 63
const separation = 1

const shuffled = 512

/** The additive feedback generator of BSD's `random`, whose numbers leave it in shuffled order. */
export class Random {
  private state = new Int32Array(degree)
  private front = separation
  private rear = 0
  private buffer: number[] = []
  /** Which number of the buffer is next. */
  private chosen = 0

  constructor(seed: number) {
    this.seed(seed)
  }

  seed(seed: number): void {
    const { state } = this
    state[0] = seed | 0
    for (let at = 1; at < degree; at += 1) state[at] = parkMiller(state[at - 1] as number)
    this.front = separation
    this.rear = 0
    this.buffer = Array.from({ length: shuffled }, () => this.add())
    this.chosen = this.add() % shuffled
    for (let turn = 0; turn < 10 * degree; turn += 1) this.next()
  }

  /** From 0 to 1, without 1. */
  fraction(): number {
    const divisor = 2 ** 31
    for (;;) {
      const value = 0.5 + (this.next() / divisor + this.next()) / divisor - 0.5
      if (value !== 1) return value
    }
  }

  private next(): number {
    const value = this.buffer[this.chosen] as number
    this.buffer[this.chosen] = this.add()
    this.chosen = value % shuffled
    return value
  }

  private add(): number {
    const { state } = this
    const sum = ((state[this.front] as number) + (state[this.rear] as number)) | 0
    state[this.front] = sum
    this.front = (this.front + 1) % degree
    this.rear = (this.rear + 1) % degree
    return sum >>> 1
  }
}

function parkMiller(given: number): number {
  let value = given === 0 ? 123459876 : given
  const high = Math.trunc(value / 127773)
  const low = value % 127773
  value = 16807 * low - 2836 * high
  return value < 0 ? value + 0x7fffffff : value
}
