import * as z from 'zod'
import { FsError } from '../errors.js'
import { detectFormat, type TextEncoding, type TextFormat } from '../text/decode/detect.js'
import { encodeAs } from '../text/decode/shown-text.js'
import { utf8Bytes } from '../text/utf8-bytes.js'
import { finalLink, operation, scopeOf } from './operation.js'
import { misread } from './shared/editable-file.js'
import { twoPhaseProgress } from './shared/two-phase-progress.js'

export interface WrittenFile {
  path: string
  created: boolean
  bytes: number
  /** Hash of the content, if requested. */
  hash?: string
  /** What it replaced, if that was not plain UTF-8: text in another encoding or with a byte-order mark, or binary. */
  replaced?: TextFormat | 'binary'
  /** As in `EditedText`. */
  readsAs?: TextFormat | 'binary'
}

const file = z.object({
  path: z.string(),
  content: z.union([z.string(), z.custom<Uint8Array>((value) => value instanceof Uint8Array)]),
  /** Of text; UTF-8 unless given. */
  encoding: z.enum(['utf-8', 'utf-16le', 'utf-16be', 'windows-1252']).exactOptional(),
  /** `new` fails if the file exists, `existing` if it does not. */
  expect: z.enum(['new', 'existing', 'either']).default('either'),
  /** Fail with `STALE` unless the file has this content. */
  expectedHash: z.string().optional(),
})

/**
 * Writes whole files, all of them or none. Text is written exactly as given, except that UTF-16 begins with a byte-order mark, unless it
 * replaces a file of the same encoding without one.
 */
export const writeFiles = operation({
  mutates: true,
  input: z.object({
    files: z.array(file).min(1),
    /** Create missing parent directories. */
    makeParents: z.boolean().default(false),
    finalLink,
    /** Return the hash of each file. */
    hash: z.boolean().exactOptional(),
  }),

  async run({ files, makeParents, finalLink: link, hash: wantsHash }, workspace, context): Promise<WrittenFile[]> {
    const { fs, root, changes } = workspace
    const given = files.map(({ path }) => fs.resolve(path, root))
    const scopes = await Promise.all(given.map((path) => scopeOf(workspace, path, link)))
    const { prepared, changeOptions } = twoPhaseProgress(context)
    const { result } = await changes.run({ label: 'write', scopes, ...changeOptions }, async (draft, paths) => {
      const written: WrittenFile[] = []
      for (const [index, { content, encoding, expect, expectedHash }] of files.entries()) {
        const path = paths[index] as string
        const { image, bytes: was } = await draft.entry(path)
        const { kind } = image
        if (expect === 'new' && kind !== 'absent') throw new FsError('EXISTS', { path })
        if (expect === 'existing' && kind === 'absent') throw new FsError('NOT_FOUND', { path })
        if (kind === 'directory') throw new FsError('IS_A_DIRECTORY', { path })
        if (expectedHash !== undefined) await draft.expect(path, expectedHash)
        if (typeof content === 'string' && !content.isWellFormed()) {
          throw new FsError('INVALID_EDIT', { path, edit: index, reason: 'malformed-text' })
        }
        const replaced = was && detectFormat(was)
        const { bytes, readsAs } =
          typeof content === 'string' ? encode(content, { path, encoding, replaced }) : { bytes: content }
        if (makeParents) await draft.makeParents(path)
        const hash = await draft.write(path, bytes)
        written.push({
          path: given[index] as string,
          created: kind === 'absent',
          bytes: bytes.length,
          ...(wantsHash && hash !== undefined && { hash }),
          ...(replaced !== undefined && !isPlain(replaced) && { replaced }),
          ...(readsAs !== undefined && { readsAs }),
        })
        prepared(files.length)
      }
      return written
    })
    return result
  },
})

function isPlain(format: TextFormat | 'binary'): boolean {
  return format !== 'binary' && format.encoding === 'utf-8' && !format.bom && !format.hasStrayBytes
}

interface Target {
  path: string
  encoding: TextEncoding | undefined
  replaced: TextFormat | 'binary' | undefined
}

function encode(content: string, { path, encoding = 'utf-8', replaced }: Target) {
  if (encoding === 'utf-8') return { bytes: utf8Bytes(content) }
  const isMarked = encoding !== 'windows-1252' && content.startsWith('\ufeff')
  const isUnmarked = replaced !== undefined && replaced !== 'binary' && replaced.encoding === encoding && !replaced.bom
  const format = { encoding, bom: encoding !== 'windows-1252' && (isMarked || !isUnmarked) }
  const text = isMarked ? content.slice(1) : content
  const bytes = encodeAs(text, format)
  if (!(bytes instanceof Uint8Array)) {
    throw new FsError('UNENCODABLE', { path, encoding, character: bytes.unencodable })
  }
  return { bytes, readsAs: misread(bytes, () => text, format) }
}
