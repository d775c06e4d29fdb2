/** Where the pieces of an expanded word go: into fields that are split, or into one text. */

/** A piece of a word; glob characters count where it is not quoted. */
export interface Segment {
  text: string
  quoted: boolean
}

export interface Sink {
  /** Unquoted text of the script. */
  literal(text: string): void
  /** Text that is taken as it is; even an empty one makes a field. */
  quoted(text: string): void
  /** The unquoted result of an expansion. */
  split(text: string): void
  /** Several values: `separate` for `@`, joined for `*`. */
  list(values: readonly string[], separate: boolean, quoted: boolean): void
  beginDouble(): void
  endDouble(): void
}

/** What splits: the characters of IFS. */
export interface Separators {
  all: string
  /** Those that are blanks: they are dropped at both ends and count as one. */
  blanks: string
  /** What joins `"$*"`. */
  joiner: string
  /** Finds any of them. */
  pattern: RegExp
}

const separatorCache = new Map<string, Separators>()

export function separatorsOf(ifs: string | undefined): Separators {
  const all = ifs ?? ' \t\n'
  const known = separatorCache.get(all)
  if (known !== undefined) return known
  const separators = {
    all,
    blanks: [...all].filter((character) => ' \t\n'.includes(character)).join(''),
    pattern: all === '' ? /(?!)/ : new RegExp(`[${all.replace(/[\\\]^-]/g, '\\$&')}]`),
    joiner: ifs === undefined ? ' ' : ([...all][0] ?? ''),
  }
  if (separatorCache.size < 100) separatorCache.set(all, separators)
  return separators
}

/** Collects one text, without splitting. */
export class TextSink implements Sink {
  readonly segments: Segment[] = []

  constructor(readonly separators: Separators) {}

  literal(text: string): void {
    if (text !== '') this.segments.push({ text, quoted: false })
  }

  quoted(text: string): void {
    if (text !== '') this.segments.push({ text, quoted: true })
  }

  split(text: string): void {
    this.literal(text)
  }

  list(values: readonly string[], separate: boolean, quoted: boolean): void {
    const text = values.join(separate ? ' ' : this.separators.joiner)
    if (quoted) this.quoted(text)
    else this.literal(text)
  }

  beginDouble(): void {}

  endDouble(): void {}

  text(): string {
    const [first, ...more] = this.segments
    if (first === undefined) return ''
    return more.length === 0 ? first.text : this.segments.map(({ text }) => text).join('')
  }
}

/** Collects fields, split at the separators. */
export class FieldSink implements Sink {
  readonly fields: Segment[][] = []
  #current: Segment[] = []
  /** There is a field, even if it is empty. */
  #present = false
  #doubles = 0
  /** In a double-quoted string: `$@` stood for nothing, and there was something else. */
  #sawNothing = false
  #sawText = false

  constructor(readonly separators: Separators) {}

  literal(text: string): void {
    if (text === '') return
    this.#present = true
    this.#current.push({ text, quoted: false })
  }

  quoted(text: string): void {
    if (text !== '') this.#current.push({ text, quoted: true })
    if (text === '' && this.#doubles > 0) return
    this.#present = true
    this.#sawText = true
  }

  list(values: readonly string[], separate: boolean, quoted: boolean): void {
    if (!quoted) {
      const { joiner, blanks } = this.separators
      // Then empty values in between are fields too.
      if (values.length > 1 && joiner !== '' && !blanks.includes(joiner)) {
        this.split(values.join(joiner))
        return
      }
      values.forEach((value, at) => {
        if (at > 0) this.#end()
        this.split(value)
      })
      return
    }
    if (!separate) {
      this.quoted(values.join(this.separators.joiner))
      return
    }
    if (values.length === 0) this.#sawNothing = true
    values.forEach((value, at) => {
      if (at > 0) this.#end()
      this.quoted(value)
      this.#present = true
      this.#sawText = true
    })
  }

  beginDouble(): void {
    this.#doubles += 1
    if (this.#doubles > 1) return
    this.#sawNothing = false
    this.#sawText = false
  }

  endDouble(): void {
    this.#doubles -= 1
    if (this.#doubles === 0 && (!this.#sawNothing || this.#sawText)) this.#present = true
  }

  split(text: string): void {
    const { all, blanks } = this.separators
    // Most texts have nothing to split at.
    if (!this.separators.pattern.test(text)) {
      this.literal(text)
      return
    }
    let at = 0
    let start = 0
    while (at < text.length) {
      const character = text[at] as string
      if (!all.includes(character)) {
        at += 1
        continue
      }
      this.literal(text.slice(start, at))
      while (at < text.length && blanks.includes(text[at] as string)) at += 1
      const hard = at < text.length && all.includes(text[at] as string)
      if (hard) {
        at += 1
        while (at < text.length && blanks.includes(text[at] as string)) at += 1
        this.#present = true
      }
      this.#end()
      start = at
    }
    this.literal(start === 0 ? text : text.slice(start))
  }

  finish(): Segment[][] {
    this.#end()
    return this.fields
  }

  #end(): void {
    if (this.#present) this.fields.push(this.#current)
    this.#current = []
    this.#present = false
  }
}

export function joinSegments(segments: readonly Segment[]): string {
  return segments.length === 1 ? (segments[0] as Segment).text : segments.map(({ text }) => text).join('')
}
