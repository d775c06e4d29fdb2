/** Defines a tool of this dialect: its budget, its one channel for results, its failures. */
import * as z from 'zod'
import { FsError } from '../../errors.js'
import { cutBytes } from '../../text/lines/lines.js'
import {
  asRootGone,
  type CallContext,
  type Content,
  compose,
  type JsonSchema,
  once,
  overrideTool,
  type Tool,
  type ToolAnnotations,
  type ToolGroup,
  type ToolResult,
} from '../../tools/dialect.js'
import type { Workspace } from '../../workspace.js'
import { failure } from './failure.js'
import { withNotUndoableNote } from './paging/not-undoable-note.js'
import { pagedReply } from './paging/paged-reply.js'
import {
  bytesPerToken,
  defaultTokens,
  estimateTokens,
  isSurelyWithin,
  maxTokens,
  minTokens,
} from './paging/token-budget.js'
import { joinNotes, type Reply } from './reply.js'

export interface Definition<Shape extends z.ZodRawShape> {
  name: string
  title: string
  description: string
  annotations: ToolAnnotations
  group: ToolGroup
  mutates?: boolean
  /**
   * For a tool that `mutates`: whether a call with these arguments is certain to change nothing. Only such a call is repeated for a cursor.
   * Default: none is.
   */
  reads?(args: z.output<z.ZodObject<Shape>>): boolean
  needs?: 'shell'
  input: Shape
  /** Schema of the facts; see `channel`. */
  facts: z.ZodRawShape
  /**
   * `facts`: the facts say everything, so they are sent as structured content, and the text repeats them in a line for clients that show
   * only text. `payload`: there is text to read, and no structured content, because clients that get some show nothing else.
   */
  channel: 'payload' | 'facts'
  run(args: z.output<z.ZodObject<Shape>>, workspace: Workspace, call: ToolCall): Promise<Reply>
  /** As `run` without a promise; see `Tool.callSync`. */
  runSync?(args: z.output<z.ZodObject<Shape>>, workspace: Workspace, call: Pick<ToolCall, 'room'>): Reply | undefined
}

export interface ToolCall extends CallContext {
  /** Bytes that payload and notes may take in a message, as counted by `sentBytes`. */
  room: number
}

/** Parameters of every tool with a potentially long answer. */
export const paging = {
  cursor: z.string().exactOptional(),
  // Both bounds are checked. The schema, which is sent in every listing, states only the one that callers meet.
  max_tokens: z
    .int()
    .refine((tokens) => tokens >= minTokens && tokens <= maxTokens, `must be ${minTokens} to ${maxTokens}`)
    .meta({ minimum: minTokens })
    .exactOptional(),
}

/** Bytes that a result takes besides its texts. */
const envelopeBytes = 100

/** Bytes that facts take beside a payload: a cursor, a path, a few counts. */
const factsBytes = 320

export function define<Shape extends z.ZodRawShape>(definition: Definition<Shape>): Tool {
  return { ...toolOf(definition, definition.channel), structured: () => toolOf(definition, 'both') }
}

/** `both`: facts are sent as structured content even beside a payload, and those of failures too. */
function toolOf<Shape extends z.ZodRawShape>(
  definition: Definition<Shape>,
  channel: 'payload' | 'facts' | 'both',
): Tool {
  const { facts, input, mutates = false, reads = () => !mutates, runSync, ...rest } = definition
  const output = z.object(channel === 'both' ? { ...facts, error: z.string() } : facts).partial()
  const taken = envelopeBytes + (channel === 'both' && definition.channel === 'payload' ? factsBytes : 0)
  const tool = compose({
    ...rest,
    mutates,
    input: z.strictObject(input),
    ...(channel !== 'payload' && { output }),
    async run(args, workspace, context) {
      const tokens = tokensOf(args, workspace)
      const room = tokens * bytesPerToken - taken
      // The schema is made from this shape.
      const given = args as z.output<z.ZodObject<Shape>>
      const acts = !reads(given)
      const make = acts
        ? () => withNotUndoableNote(workspace, room, (own) => definition.run(given, own, { ...context, room }))
        : () => definition.run(given, workspace, { ...context, room })
      const call = { tool: definition.name, args: given, acts, room, make }
      const reply = await pagedReply(call, workspace)
      return within(tokens, asResult(reply, channel))
    },
    // Only calls that change nothing: a mutating call has to pass through `pagedReply`.
    ...(runSync &&
      !mutates && {
        runSync(args: object, workspace: Workspace) {
          const tokens = tokensOf(args, workspace)
          const room = tokens * bytesPerToken - taken
          const reply = runSync(args as z.output<z.ZodObject<Shape>>, workspace, { room })
          return reply && within(tokens, asResult(reply, channel))
        },
      }),
  })
  return overrideTool(tool, {
    schema: once(() => {
      const { input: full, ...schema } = tool.schema()
      return { input: withoutPlainDefaults(full), ...schema }
    }),
    async call(args, workspace, context) {
      try {
        return await tool.call(args, workspace, context)
      } catch (error) {
        if (!(error instanceof FsError)) throw error
        const failed = await failure(await asRootGone(error, workspace), workspace, { tool: tool.name, args })
        const result = channel === 'both' && failed.facts ? { ...failed, structuredContent: failed.facts } : failed
        return { ...within(tokensOf(args, workspace), result), isError: true }
      }
    },
    ...(tool.callSync && { callSync: tool.callSync }),
  })
}

/** The budget of the call; its arguments may not be checked yet. */
function tokensOf(args: unknown, workspace: Workspace): number {
  const { max_tokens: given } = Object(args) as { max_tokens?: unknown }
  const isBudget = typeof given === 'number' && given >= minTokens && given <= maxTokens
  return isBudget ? given : defaultTokens(workspace)
}

/** A default of `false` is obvious, so it is left out of listings. */
function withoutPlainDefaults({ properties, ...schema }: JsonSchema): JsonSchema {
  const leaner = Object.entries((properties ?? {}) as Record<string, { default?: unknown }>).map(([key, property]) => {
    const { default: value, ...rest } = property
    return [key, value === false ? rest : property]
  })
  return { ...schema, properties: Object.fromEntries(leaner) }
}

function asResult(reply: Reply, channel: 'payload' | 'facts' | 'both'): ToolResult {
  const { payload, media = [], notes, facts, failed } = reply
  const said = joinNotes(notes)
  const texts = [payload, said].filter((body) => body !== undefined && body !== '') as string[]
  const [first, ...rest] = texts.map((body): Content => ({ type: 'text', text: body.toWellFormed() }))
  return {
    content: [...(first ? [first] : []), ...media, ...rest],
    ...(channel !== 'payload' && { structuredContent: facts }),
    ...(failed && { isError: true }),
    facts,
  }
}

/** Cuts a result that exceeds its budget in spite of `room`, such as a message with a very long name. */
function within(tokens: number, result: ToolResult): ToolResult {
  if (isSurelyWithin(tokens, result) || estimateTokens(result) <= tokens) return result
  const { structuredContent, ...rest } = result
  const textAlone = { ...rest, structuredContent: {} }
  if (structuredContent !== undefined && estimateTokens(textAlone) <= tokens) return textAlone
  const text = result.content.map((item) => item.text ?? '').join('\n')
  for (let room = tokens * bytesPerToken - envelopeBytes; room > 0; room = Math.floor(room / 2)) {
    const cut: ToolResult = { ...rest, content: [{ type: 'text', text: `${cutBytes(text, room)}…` }] }
    const bare = structuredContent === undefined ? cut : { ...cut, structuredContent: {} }
    if (estimateTokens(bare) <= tokens) return bare
  }
  return { ...rest, content: [] }
}
