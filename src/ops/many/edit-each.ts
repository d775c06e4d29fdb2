import * as z from 'zod'
import { FsError } from '../../errors.js'
import type { Edit } from '../../text/edit/edit-types.js'
import { type EditedText, editFile, editInput, editOptions, expectCount, placesIn, prepareEdits } from '../edit-text.js'
import { operation } from '../operation.js'
import { contentHash } from '../shared/content-hash.js'
import { detectEncoding } from '../shared/detect-encoding.js'
import { twoPhaseProgress } from '../shared/two-phase-progress.js'

export interface EditedEach extends EditedText {
  /** Which of the edits were for this file, by their numbers from 0. */
  numbers: readonly number[]
}

interface Group {
  at: string
  path: string
  numbers: number[]
}

/** Edits text files, each with edits of its own, all of them or none, as one change. */
export const editEach = operation({
  mutates: true,
  input: z.object({
    /** Those of one file are applied in the order given. */
    edits: z.array(z.object({ path: z.string(), edit: editInput })).min(1),
    /** As for the edit of one file. */
    options: editOptions.default({}),
    dryRun: z.boolean().default(false),
    /** Fail with `UNEXPECTED_COUNT` unless so many places are changed in all. */
    expectedCount: z.int().min(0).exactOptional(),
    binaryWindow: z.int().min(1).exactOptional(),
    detectEncoding,
  }),

  async run(input, workspace, context): Promise<EditedEach[]> {
    const { fs, root, changes } = workspace
    const edits = prepareEdits(input.edits.map(({ edit }) => edit))
    const paths = input.edits.map(({ path }) => fs.resolve(path, root))
    const { prepared, changeOptions } = twoPhaseProgress(context)
    const scopes = paths.map((path) => ({ path }))
    const { result } = await changes.run({ label: 'edit', scopes, ...changeOptions }, async (draft, located) => {
      const groups = new Map<string, Group>()
      for (const [number, path] of paths.entries()) {
        const at = located[number] as string
        const group = groups.get(fs.comparable(at)) ?? { at, path, numbers: [] }
        group.numbers.push(number)
        groups.set(fs.comparable(at), group)
      }
      const done: EditedEach[] = []
      for (const { at, path, numbers } of groups.values()) {
        const own = numbers.map((number) => edits[number] as Edit)
        const given = { ...input, edits: own, signal: context.signal }
        const edited = await editFile(workspace, draft, at, path, given).catch((error) => {
          throw withNumber(error, numbers)
        })
        await draft.write(at, edited.bytes)
        done.push({ ...edited.result, hash: await contentHash(edited.bytes, fs.exact), numbers })
        prepared(groups.size)
      }
      expectCount(
        input.expectedCount,
        done.map(({ path, edits }) => ({ path, count: placesIn(edits) })),
      )
      if (input.dryRun) draft.discard()
      return done
    })
    return result
  },
})

/** The failure with the number of its edit among all. */
function withNumber(error: unknown, numbers: readonly number[]): unknown {
  if (!(error instanceof FsError) || !('edit' in error.facts)) return error
  const { edit } = error.facts as { edit: number }
  return new FsError(error.code, { ...error.facts, edit: numbers[edit] ?? edit } as never)
}
