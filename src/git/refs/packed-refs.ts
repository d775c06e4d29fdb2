/** The file `packed-refs`: many refs, one per line. */
import { FsError } from '../../errors.js'
import { limits, tooLarge } from '../limits.js'
import type { StagedFiles } from '../staged-files.js'

export interface PackedRefs {
  /** Object ids by ref name. */
  read(): Promise<ReadonlyMap<string, string>>
  /** Removes a ref from the file, if present. */
  remove(name: string): Promise<void>
}

export function packedRefs(staged: StagedFiles, path: string): PackedRefs {
  let known: { text: string; refs: ReadonlyMap<string, string> } | undefined

  async function load() {
    if (known !== undefined) return known
    const stat = await staged.stat(path)
    if ((stat?.size ?? 0) > limits.packedRefsBytes) throw tooLarge('packed-refs', limits.packedRefsBytes)
    const text = stat === undefined ? '' : new TextDecoder().decode(await staged.reader(path)())
    known = { text, refs: parse(text) }
    return known
  }

  return {
    read: async () => (await load()).refs,

    async remove(name) {
      const { text, refs } = await load()
      if (!refs.has(name)) return
      const lock = `${path}.lock`
      if ((await staged.stat(lock)) !== undefined) throw new FsError('BUSY', { path: lock })
      known = undefined
      await staged.write(path, new TextEncoder().encode(without(text, name)))
    },
  }
}

function parse(text: string): Map<string, string> {
  const refs = new Map<string, string>()
  for (const line of text.split('\n')) {
    // A line with ^ is the target of the tag before it.
    if (/^[0-9a-f]{40} ./.test(line)) refs.set(line.slice(41), line.slice(0, 40))
  }
  return refs
}

function without(text: string, name: string): string {
  let dropping = false
  const lines = text.split('\n').filter((line) => {
    if (!line.startsWith('^')) dropping = line.slice(40) === ` ${name}`
    return !dropping
  })
  return lines.join('\n')
}
