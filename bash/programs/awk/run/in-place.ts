/** `-i inplace`: what is printed while a file is read takes its place. */
import { encodeText } from '../../../io/byte-text.js'
import { AwkArray } from '../values/array.js'
import type { Scalar } from '../values/values.js'
import type { Runtime } from './runtime.js'

export class InPlace {
  private name = ''

  constructor(private readonly runtime: Runtime) {}

  begin(): void {
    const { runtime } = this
    this.name = this.textOf('FILENAME')
    if (this.name !== '-') runtime.diverted = []
  }

  async end(): Promise<void> {
    const { runtime } = this
    const { diverted } = runtime
    if (diverted === undefined) return
    runtime.diverted = undefined
    const { fs } = runtime.io
    const suffix = this.textOf('inplace::suffix') || this.textOf('INPLACE_SUFFIX')
    if (suffix !== '') await fs.writeFile(this.name + suffix, await fs.readFile(this.name))
    await fs.writeFile(this.name, encodeText(diverted.join('')))
  }

  private textOf(variable: string): string {
    const { runtime } = this
    if (!runtime.hasGlobal(variable)) return ''
    const value = runtime.globals[runtime.slotOf(variable)]
    return value instanceof AwkArray ? '' : runtime.text(value as Scalar)
  }
}
