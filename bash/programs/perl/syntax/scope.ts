/** The lexical variables that are visible at a place of a program. */
import type { Sigil, Sub, Variable } from './ast.js'
import { Unsupported } from './perl-error.js'

interface Declared {
  variable: Variable
  /** In a block that can run more than once. */
  isRepeated: boolean
}

export class SubScope {
  readonly sub: Sub
  private readonly levels: Array<Map<string, Declared>> = [new Map()]
  private repeated = 0

  constructor(
    name: string | undefined,
    private readonly outer: SubScope | undefined,
  ) {
    this.sub = { name, body: { statements: [], hasLocal: false }, slots: { count: 0 }, captures: [] }
  }

  get isSub(): boolean {
    return this.outer !== undefined
  }

  /** Not before the statement ends, or a block begins. */
  private waiting: Array<() => void> = []

  open(isRepeated: boolean): void {
    this.introduce()
    this.levels.push(new Map())
    if (isRepeated) this.repeated += 1
  }

  close(isRepeated: boolean): void {
    this.introduce()
    this.levels.pop()
    if (isRepeated) this.repeated -= 1
  }

  /** Visible from the end of the statement on. */
  declareLater(variable: Variable, name: string): void {
    this.waiting.push(() => this.declare(variable, name))
  }

  introduce(): void {
    const { waiting } = this
    this.waiting = []
    for (const declare of waiting) declare()
  }

  /** Visible from now on. */
  declare(variable: Variable, name: string): void {
    this.levels.at(-1)?.set(variable.sigil + name, { variable, isRepeated: this.repeated > 0 })
  }

  newLexical(sigil: Sigil, name: string): Variable {
    const { slots } = this.sub
    slots.count += 1
    return { kind: 'lexical', sigil, slot: slots.count - 1, name }
  }

  /** What a declaration here would hide. */
  declaredHere(sigil: Sigil, name: string): Variable | undefined {
    return this.levels.at(-1)?.get(sigil + name)?.variable
  }

  find(sigil: Sigil, name: string): Variable | undefined {
    return this.lookUp(sigil, name)?.variable
  }

  private lookUp(sigil: Sigil, name: string): Declared | undefined {
    const key = sigil + name
    for (let at = this.levels.length - 1; at >= 0; at -= 1) {
      const found = this.levels[at]?.get(key)
      if (found !== undefined) return found
    }
    const outside = this.outer?.lookUp(sigil, name)
    if (outside === undefined || outside.variable.kind === 'global') return outside
    if (this.sub.name !== undefined && (outside.isRepeated || this.outer?.outer !== undefined)) {
      throw new Unsupported(`the variable ${key} of a loop or sub in the named sub ${this.sub.name}`)
    }
    const inner = this.newLexical(sigil, name)
    if (inner.kind === 'lexical') {
      this.sub.captures.push({ sigil, outer: outside.variable.slot, inner: inner.slot })
    }
    const declared = { variable: inner, isRepeated: this.sub.name === undefined && outside.isRepeated }
    this.levels[0]?.set(key, declared)
    return declared
  }
}
