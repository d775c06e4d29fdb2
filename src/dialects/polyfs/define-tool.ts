/** How a tool of this dialect is made: its budget, its answer in one channel, its failures. */
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
import { sayingWhenFinal } from './paging/not-undoable-note.js'
import { pagedReply } from './paging/paged-reply.js'
import {
  bytesPerToken,
  defaultTokens,
  estimateTokens,
  isSurelyWithin,
  leastTokens,
  mostTokens,
  sentBytes,
} from './paging/token-budget.js'

/** What a tool answers. The payload is told once, as text; facts are what a program would want of it. */
export interface Reply {
  payload?: string
  /** A list that may be longer than a result: the payload is as much of it as there is room for. */
  rows?: Rows
  /** Pictures and the like. */
  media?: Content[]
  /** Said after the payload, and never part of it. */
  notes?: readonly (string | false | undefined)[]
  facts: Record<string, unknown>
  /** The call did what it could, and that is a failure. */
  failed?: boolean
}

export interface Rows {
  all: readonly string[]
  /** What a row is, of several: `lines`. */
  what: string
  /** The payload where there are no rows. */
  empty: string
  /** What the list is of, for the failure when it has changed; the workspace unless given. */
  path?: string
}

export interface Definition<Shape extends z.ZodRawShape> {
  name: string
  title: string
  description: string
  annotations: ToolAnnotations
  group: ToolGroup
  mutates?: boolean
  /**
   * Of a tool that `mutates`: whether a call with these arguments changes nothing for certain. Only such a call is made again for a
   * cursor; without this no call is.
   */
  reads?(args: z.output<z.ZodObject<Shape>>): boolean
  needs?: 'shell'
  input: Shape
  /** Of the facts; see `channel`. */
  facts: z.ZodRawShape
  /**
   * `facts`: they are all there is to tell, so they go into the structured content, and the text says them in a line: either is
   * enough for a client that shows only one. `payload`: there is text to read, and clients that are given structured content
   * besides show nothing else, so there is none.
   */
  channel: 'payload' | 'facts'
  run(args: z.output<z.ZodObject<Shape>>, workspace: Workspace, call: ToolCall): Promise<Reply>
  /** As `run` without a promise; see `Tool.callSync`. */
  runSync?(args: z.output<z.ZodObject<Shape>>, workspace: Workspace, call: Pick<ToolCall, 'room'>): Reply | undefined
}

export interface ToolCall extends CallContext {
  /** Bytes that payload and notes may take in a message, as `sentBytes` counts. */
  room: number
}

/** Of every tool that may have much to tell. */
export const paging = {
  cursor: z.string().exactOptional(),
  // Bounds that are not in the schema need not be told in every listing.
  max_tokens: z
    .int()
    .refine((tokens) => tokens >= leastTokens && tokens <= mostTokens, `must be ${leastTokens} to ${mostTokens}`)
    .exactOptional(),
}

/** What is around texts in a result. */
const envelopeBytes = 100

/** What facts take beside a payload: a cursor, a path, a few counts. */
const factsBytes = 320

export function define<Shape extends z.ZodRawShape>(definition: Definition<Shape>): Tool {
  return { ...toolOf(definition, definition.channel), structured: () => toolOf(definition, 'both') }
}

/** `both`: facts go into the structured content whether or not there is a payload, and those of failures too. */
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
      // The schema is made of the shape, whatever the shape is.
      const given = args as z.output<z.ZodObject<Shape>>
      const acts = !reads(given)
      const make = acts
        ? () => sayingWhenFinal(workspace, room, (own) => definition.run(given, own, { ...context, room }))
        : () => definition.run(given, workspace, { ...context, room })
      const call = { tool: definition.name, args: given, acts, room, make }
      const reply = await pagedReply(call, workspace)
      return within(tokens, asResult(reply, channel))
    },
    // What acts is never called past the one place that knows of cursors.
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
        const told = await failure(await asRootGone(error, workspace), workspace, { tool: tool.name, args })
        const result = channel === 'both' && told.facts ? { ...told, structuredContent: told.facts } : told
        return { ...within(tokensOf(args, workspace), result), isError: true }
      }
    },
    ...(tool.callSync && { callSync: tool.callSync }),
  })
}

/** What the call may cost; arguments that were not checked yet may be anything. */
function tokensOf(args: unknown, workspace: Workspace): number {
  const { max_tokens: given } = Object(args) as { max_tokens?: unknown }
  const isBudget = typeof given === 'number' && given >= leastTokens && given <= mostTokens
  return isBudget ? given : defaultTokens(workspace)
}

/** That what is not asked for is not done goes without saying. */
function withoutPlainDefaults({ properties, ...schema }: JsonSchema): JsonSchema {
  const leaner = Object.entries((properties ?? {}) as Record<string, { default?: unknown }>).map(([key, property]) => {
    const { default: value, ...rest } = property
    return [key, value === false ? rest : property]
  })
  return { ...schema, properties: Object.fromEntries(leaner) }
}

/** What notes that are known beforehand take, with what is between them. */
export function notesBytes(notes: Reply['notes']): number {
  return sentBytes(joined(notes)) + 40
}

function joined(notes: Reply['notes'] = []): string {
  return notes.filter((note) => note !== false && note !== undefined && note !== '').join('\n')
}

function asResult(reply: Reply, channel: 'payload' | 'facts' | 'both'): ToolResult {
  const { payload, media = [], notes, facts, failed } = reply
  const said = joined(notes)
  const texts = [payload, said].filter((body) => body !== undefined && body !== '') as string[]
  const [first, ...rest] = texts.map((body): Content => ({ type: 'text', text: body }))
  return {
    content: [...(first ? [first] : []), ...media, ...rest],
    ...(channel !== 'payload' && { structuredContent: facts }),
    ...(failed && { isError: true }),
    facts,
  }
}

/** Tools keep to their room; what is still too much, such as a message with a very long name in it, is cut here. */
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
