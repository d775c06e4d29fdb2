import * as z from 'zod'
import { FsError } from '../errors.js'
import { isUtf8 } from '../text/decode/decode.js'
import { finalLink, operation, scopeOf } from './operation.js'
import { twoPhaseProgress } from './shared/two-phase-progress.js'

export interface WrittenFile {
  path: string
  created: boolean
  bytes: number
  /** It replaced content that was not UTF-8: text in another encoding, or binary. */
  replacedOther?: true
}

const file = z.object({
  path: z.string(),
  content: z.union([z.string(), z.custom<Uint8Array>((value) => value instanceof Uint8Array)]),
  /** `new` fails if the file exists, `existing` if it does not. */
  expect: z.enum(['new', 'existing', 'either']).default('either'),
  /** Fail with `STALE` unless the file has this content. */
  expectedHash: z.string().optional(),
})

/** Writes whole files, all of them or none. Text is written as UTF-8, exactly as given. */
export const writeFiles = operation({
  mutates: true,
  input: z.object({
    files: z.array(file).min(1),
    /** Create missing parent directories. */
    makeParents: z.boolean().default(false),
    finalLink,
  }),

  async run({ files, makeParents, finalLink: link }, workspace, context): Promise<WrittenFile[]> {
    const { fs, root, changes } = workspace
    const given = files.map(({ path }) => fs.resolve(path, root))
    const scopes = await Promise.all(given.map((path) => scopeOf(workspace, path, link)))
    const { prepared, changeOptions } = twoPhaseProgress(context)
    const { result } = await changes.run({ label: 'write', scopes, ...changeOptions }, async (draft, paths) => {
      const written: WrittenFile[] = []
      for (const [index, { content, expect, expectedHash }] of files.entries()) {
        const path = paths[index] as string
        const { image, bytes: was } = await draft.look(path)
        const { kind } = image
        if (expect === 'new' && kind !== 'absent') throw new FsError('EXISTS', { path })
        if (expect === 'existing' && kind === 'absent') throw new FsError('NOT_FOUND', { path })
        if (kind === 'directory') throw new FsError('IS_A_DIRECTORY', { path })
        if (expectedHash !== undefined) await draft.expect(path, expectedHash)
        if (typeof content === 'string' && !content.isWellFormed()) {
          throw new FsError('INVALID_EDIT', { path, edit: index, reason: 'malformed-text' })
        }
        const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
        if (makeParents) await draft.makeParents(path)
        await draft.write(path, bytes)
        written.push({
          path: given[index] as string,
          created: kind === 'absent',
          bytes: bytes.length,
          ...(was !== undefined && !isUtf8(was) && { replacedOther: true }),
        })
        prepared(files.length)
      }
      return written
    })
    return result
  },
})
