import * as z from 'zod'
import { FsError, isFsError } from '../../../errors.js'
import { dirname } from '../../../fs/path.js'
import { type WrittenFile, writeFiles } from '../../../ops/write-files.js'
import { fromLatin1 } from '../../../text/decode/byte-encodings.js'
import type { TextEncoding } from '../../../text/decode/detect.js'
import type { CallContext, Workspace } from '../../../workspace/workspace.js'
import { define } from '../define-tool.js'
import { replacementNote } from '../encodings.js'
import { shortHash } from '../failure.js'
import { openFile } from '../open-file.js'
import { sentBytes } from '../paging/token-budget.js'
import { plural } from '../print.js'
import { displayPath } from '../wording.js'

export const hash = z
  .string()
  .refine((given) => /^[0-9a-f]{8,64}$/.test(given), 'must be a hash as read_file gives it')
  .exactOptional()

/** For callers that want to change only the version they have read. */
export const expectedHash = hash.describe('From read_file; refuses if the file has changed since')

const file = { path: z.string(), content: z.string() }

export const writeFile = define({
  name: 'write_file',
  title: 'Write files',
  description:
    'Create or replace one file (path, content) or several (files), all or none; missing directories are made. To change part of a file use edit_file, which keeps its encoding and line endings.',
  annotations: { destructiveHint: true, idempotentHint: true, openWorldHint: false },
  group: 'edit',
  channel: 'facts',
  mutates: true,
  input: {
    path: file.path.exactOptional(),
    content: file.content.exactOptional(),
    files: z.array(z.strictObject({ ...file, expected_hash: hash })).exactOptional(),
    encoding: z.enum(['utf-8', 'utf-16le', 'utf-16be', 'windows-1252', 'base64']).default('utf-8'),
    create_only: z.boolean().default(false),
    parents: z.boolean().default(true),
    expected_hash: expectedHash,
  },
  facts: { files: z.array(z.object({ path: z.string() }).partial()) },

  async run(args, workspace, call) {
    const wanted = wantedFiles(args)
    const { encoding } = args
    const contents = wanted.map(({ content }) =>
      encoding === 'base64' ? { content: bytesOf(content) } : { content, encoding },
    )
    const written = await workspace
      .run(
        writeFiles,
        {
          files: await Promise.all(
            wanted.map(async ({ path, expected_hash }, index) => ({
              path,
              ...(contents[index] as (typeof contents)[number]),
              ...(args.create_only && { expect: 'new' as const }),
              ...(expected_hash !== undefined && {
                expectedHash: await wholeHash(path, expected_hash, workspace, call),
              }),
            })),
          ),
          makeParents: args.parents,
          hash: true,
        },
        call,
      )
      .catch((error) => {
        if (args.parents || !isFsError(error, 'NOT_FOUND')) throw error
        // The directory is missing, not the file.
        throw new FsError('NOT_FOUND', { path: dirname(error.facts.path) })
      })
    const files = written.map(({ path, created, bytes, hash = '' }) => ({
      path: displayPath(path, workspace),
      created,
      bytes,
      hash: shortHash(hash),
    }))
    const rows = files.map(
      (one) => `${one.created ? 'created' : 'replaced'} ${one.path} (${plural(one.bytes, 'byte')}, hash ${one.hash})`,
    )
    const placeholder = wanted.findIndex(({ content }, index) => !files[index]?.created && omission.test(content))
    const isShort = sentBytes(JSON.stringify(files)) + sentBytes(rows.join('\n')) <= call.room - 400
    return {
      payload: isShort
        ? rows.join('\n')
        : `wrote ${plural(files.length, 'file')}, ${files.filter(({ created }) => created).length} of them new`,
      notes: [
        ...(encoding === 'base64' ? [] : encodingWarnings(written, wanted, encoding, workspace)),
        placeholder >= 0 &&
          `[warning: ${files[placeholder]?.path} now has a line that looks like a placeholder for left-out code; undo the write with history, action "undo"]`,
      ],
      facts: isShort ? { files } : { files: [] },
    }
  },
})

/** A comment that stands for code the writer left out. */
const omission =
  /^\s*(?:\/\/|#|\/\*|<!--|--|;)\s*(?:\.\.\.|…)\s*(?:the )?(?:rest|remaining|existing|other|unchanged|previous)\b/im

interface WantedFile {
  path: string
  content: string
  expected_hash?: string
}

function wantedFiles(args: {
  path?: string
  content?: string
  files?: WantedFile[]
  expected_hash?: string
}): WantedFile[] {
  const { path, content, files = [], expected_hash } = args
  const isMissing = path !== undefined ? content === undefined && 'content' : files.length === 0 && 'path'
  if (isMissing) throw new FsError('INVALID_INPUT', { issues: [{ at: [isMissing], kind: 'missing', message: '' }] })
  if (path === undefined || content === undefined) return files
  return [{ path, content, ...(expected_hash !== undefined && { expected_hash }) }, ...files]
}

function bytesOf(content: string): Uint8Array {
  try {
    return fromLatin1(atob(content.replace(/\s+/g, '')))
  } catch {
    const message = 'it is not base64'
    throw new FsError('INVALID_INPUT', { issues: [{ at: ['content'], kind: 'other', message }] })
  }
}

/** More are not listed. */
const maxWarnings = 3

/** For files that had another encoding before, or will be taken for another one. */
function encodingWarnings(
  written: readonly WrittenFile[],
  wanted: readonly WantedFile[],
  encoding: TextEncoding,
  workspace: Workspace,
): string[] {
  const warnings = written.flatMap((file, index) => {
    const text = replacementNote(file, { encoding, content: wanted[index]?.content ?? '' })
    return text === undefined ? [] : [`[warning: ${displayPath(file.path, workspace)} ${text}]`]
  })
  const more = warnings.length - maxWarnings
  return [...warnings.slice(0, maxWarnings), ...(more > 0 ? [`[${more} more such warnings]`] : [])]
}

/** Completes a short hash. If the file has another one, the short hash is returned, and the change refuses it. */
export async function wholeHash(
  path: string,
  given: string,
  workspace: Workspace,
  context: CallContext,
): Promise<string> {
  try {
    const { hash: actual } = await openFile({ path }, workspace, context)
    return actual.startsWith(given) ? actual : given
  } catch (error) {
    // Tools return no hash for files that are too large to be read whole.
    if (isFsError(error) && error.code !== 'TOO_LARGE') return given
    throw error
  }
}
