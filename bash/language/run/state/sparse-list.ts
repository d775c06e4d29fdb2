/** An indexed array of bash: any indexes may be missing. */
export class SparseList {
  #elements = new Map<number, string>()
  #sorted = true
  #last = -1
  /** False as long as the array is only declared. */
  isAssigned = false

  static of(values: readonly string[]): SparseList {
    const list = new SparseList()
    list.isAssigned = true
    for (const value of values) list.push(value)
    return list
  }

  get size(): number {
    return this.#elements.size
  }

  /** The index after the last one. */
  get end(): number {
    return this.#last + 1
  }

  get(index: number): string | undefined {
    return this.#elements.get(index)
  }

  set(index: number, value: string): void {
    if (index < this.#last && !this.#elements.has(index)) this.#sorted = false
    if (index > this.#last) this.#last = index
    this.#elements.set(index, value)
    this.isAssigned = true
  }

  push(value: string): void {
    this.set(this.#last + 1, value)
  }

  delete(index: number): void {
    if (!this.#elements.delete(index) || index !== this.#last) return
    this.#last = this.indexes().at(-1) ?? -1
  }

  /** In ascending order. */
  indexes(): number[] {
    this.#sort()
    return [...this.#elements.keys()]
  }

  values(): string[] {
    this.#sort()
    return [...this.#elements.values()]
  }

  copy(): SparseList {
    const list = new SparseList()
    list.#elements = new Map(this.#elements)
    list.#sorted = this.#sorted
    list.#last = this.#last
    list.isAssigned = this.isAssigned
    return list
  }

  #sort(): void {
    if (this.#sorted) return
    this.#elements = new Map([...this.#elements].sort(([a], [b]) => a - b))
    this.#sorted = true
  }
}
