import type * as z from 'zod'
import type { Workspace } from '../workspace.js'

/** What a call carries besides its input. */
export interface CallContext {
  signal?: AbortSignal
}

/** Something that can be done to a workspace, in neutral names; dialects decide how it is called and how the result reads. */
export interface Operation<Input extends z.ZodType, Result> {
  /** True when it can change something; not offered in a read-only workspace. */
  readonly mutates: boolean
  readonly input: Input
  run(input: z.output<Input>, workspace: Workspace, context: CallContext): Promise<Result>
}

/** Keeps an operation's input and result types together. */
export function operation<Input extends z.ZodType, Result>(
  definition: Operation<Input, Result>,
): Operation<Input, Result> {
  return definition
}
