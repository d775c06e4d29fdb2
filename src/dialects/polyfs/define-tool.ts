/** Defines a tool of this dialect: its budget, its one channel for results, its failures. */
import * as z from 'zod'
import { FsError } from '../../errors.js'
import { cutBytes } from '../../text/lines/lines.js'
import type { Content, JsonSchema, Tool, ToolAnnotations, ToolGroup, ToolResult } from '../../tools/dialect.js'
import { compose, once, overrideTool } from '../../tools/make-tool.js'
import { asRootGone } from '../../tools/root-gone.js'
import type { CallContext, Workspace } from '../../workspace/workspace.js'
import { changeNotesBytes, withChangeNotes } from './change-notes.js'
import { failure } from './failure.js'
import { understand as understandArguments } from './forgive/arguments.js'
import { doubtfulPaths, mendPaths } from './forgive/mend-paths.js'
import type { ValueSchema } from './forgive/take-value.js'
import { pagedReply } from './paging/paged-reply.js'
import {
  bytesPerToken,
  defaultTokens,
  estimateTokens,
  isSurelyWithin,
  maxTokens,
  minTokens,
} from './paging/token-budget.js'
import { joinNotes, notesBytes, type Reply } from './reply.js'

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
  unlistedBesideShell?: Tool['unlistedBesideShell']
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
  // The bounds are checked, and not stated in the schema, which is sent in every listing.
  max_tokens: z
    .int()
    .refine((tokens) => tokens >= minTokens && tokens <= maxTokens, `must be ${minTokens} to ${maxTokens}`)
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
  const { facts, input, mutates = false, reads = () => !mutates, runSync, unlistedBesideShell, ...rest } = definition
  const change = mutates ? { change: z.string() } : {}
  const output = z.object(channel === 'both' ? { ...facts, ...change, error: z.string() } : facts).partial()
  const schema = z.strictObject(input)
  const taken = envelopeBytes + (channel === 'both' && definition.channel === 'payload' ? factsBytes : 0)

  /** With arguments that are checked. */
  async function run(
    args: object,
    workspace: Workspace,
    { assumed, ...context }: UnderstoodContext,
  ): Promise<ToolResult> {
    const tokens = tokensOf(args, workspace)
    // The schema is made from this shape.
    const given = args as z.output<z.ZodObject<Shape>>
    const acts = !reads(given)
    const notes = (assumed === undefined ? 0 : notesBytes([assumed])) + (acts ? changeNotesBytes : 0)
    const room = tokens * bytesPerToken - taken - notes
    const make = acts
      ? () => withChangeNotes(workspace, (own) => definition.run(given, own, { ...context, room }))
      : () => definition.run(given, workspace, { ...context, room })
    const call = { tool: definition.name, args: given, acts, room, make }
    const reply = await pagedReply(call, workspace)
    return within(tokens, asResult(withNote(reply, assumed), channel))
  }

  const tool = compose({
    ...rest,
    mutates,
    input: schema,
    // The text says the same, so only those who ask for structured results get schemas of them.
    ...(channel === 'both' && { output }),
    run,
    // Only calls that change nothing: a mutating call has to pass through `pagedReply`.
    ...(runSync &&
      !mutates && {
        runSync(args: object, workspace: Workspace) {
          if (doubtfulPaths(definition.name, args, workspace) !== undefined) return undefined
          const tokens = tokensOf(args, workspace)
          const room = tokens * bytesPerToken - taken
          const reply = runSync(args as z.output<z.ZodObject<Shape>>, workspace, { room })
          return reply && within(tokens, asResult(reply, channel))
        },
      }),
  })
  /** Arguments that are right are left as they are; others, and paths that lead nowhere, are read as what they can only mean. */
  async function understand(args: unknown, workspace: Workspace): Promise<Understood> {
    const right = schema.safeParse(args)
    const meant = right.success ? { args, assumed: [] } : understandArguments(tool.name, tool.schema().input, args)
    if (typeof meant.args !== 'object' || meant.args === null) return { args }
    const doubtful = doubtfulPaths(tool.name, meant.args, workspace)
    if (right.success && doubtful === undefined) return { args, checked: right.data }
    const mended =
      doubtful === undefined
        ? { args: meant.args, assumed: [] }
        : await mendPaths(tool.name, meant.args, doubtful, workspace)
    const notes = [...(meant.assumed.length > 0 ? [`read ${listed(meant.assumed)}`] : []), ...mended.assumed]
    return { args: mended.args, ...(notes.length > 0 && { assumed: `[${listed(notes)}]` }) }
  }

  return overrideTool(tool, {
    ...(unlistedBesideShell && { unlistedBesideShell }),
    schema: once(() => {
      const { input: full, output: facts } = tool.schema()
      return { input: forListing(full), ...(facts && { output: facts }) }
    }),
    async call(args, workspace, context) {
      let understood: Understood = { args }
      try {
        understood = await understand(args, workspace)
        const { args: meant, checked, assumed } = understood
        if (checked !== undefined) return await run(checked, workspace, context)
        const own: UnderstoodContext = assumed === undefined ? context : { ...context, assumed }
        return await tool.call(meant, workspace, own)
      } catch (error) {
        if (!(error instanceof FsError)) throw error
        const call = { tool: tool.name, args: understood.args, parameters: tool.schema().input as ValueSchema }
        const failed = await failure(await asRootGone(error, workspace), workspace, call)
        const said = withNoteOnFailure(failed, understood.assumed)
        const result = channel === 'both' && said.facts ? { ...said, structuredContent: said.facts } : said
        return { ...within(tokensOf(understood.args, workspace), result), isError: true }
      }
    },
    ...(tool.callSync && { callSync: tool.callSync }),
  })
}

/** Arguments as they are meant. */
interface Understood {
  args: unknown
  /** With their defaults, where they were right as sent. */
  checked?: object
  /** A note on what was assumed. */
  assumed?: string
}

type UnderstoodContext = CallContext & Pick<Understood, 'assumed'>

const mostNotes = 6

function listed(notes: readonly string[]): string {
  return notes.slice(0, mostNotes).join('; ') + (notes.length > mostNotes ? '; …' : '')
}

function withNote(reply: Reply, assumed: string | undefined): Reply {
  if (assumed === undefined) return reply
  return { ...reply, notes: [...(reply.notes ?? []), assumed], facts: { ...reply.facts, note: assumed.slice(1, -1) } }
}

function withNoteOnFailure(failed: ToolResult, assumed: string | undefined): ToolResult {
  if (assumed === undefined) return failed
  const text = failed.content.map((item) => item.text ?? '').join('\n')
  return {
    content: [{ type: 'text', text: `${text}\n${assumed}` }],
    facts: { ...failed.facts, note: assumed.slice(1, -1) },
  }
}

/** The budget of the call; its arguments may not be checked yet. */
function tokensOf(args: unknown, workspace: Workspace): number {
  const { max_tokens: given } = Object(args) as { max_tokens?: unknown }
  const isBudget = typeof given === 'number' && given >= minTokens && given <= maxTokens
  return isBudget ? given : defaultTokens(workspace)
}

/**
 * The schema as listed, which takes room in every conversation. A default that is `false` or the first choice is obvious, so it is left out; so
 * are bounds that only refuse nothing at all (0 lines, an empty name), and `additionalProperties: false`, because other names of parameters are
 * understood.
 */
function forListing(schema: JsonSchema): JsonSchema {
  return shortened(schema) as JsonSchema
}

function shortened(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(shortened)
  if (!isNode(node)) return node
  const { additionalProperties: _, default: usual, minimum, minLength: __, properties, ...rest } = node
  const own = Object.entries(rest).map(([key, value]) => [key, key === 'enum' ? value : shortened(value)])
  const isObvious = usual === undefined || usual === false || (Array.isArray(node.enum) && node.enum[0] === usual)
  return {
    ...Object.fromEntries(own),
    ...(Number(minimum ?? 0) > 1 && { minimum }),
    ...(!isObvious && { default: usual }),
    // The keys are names of parameters, not of the schema language.
    ...(isNode(properties) && { properties: mapValues(properties, shortened) }),
  }
}

function isNode(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function mapValues(object: object, map: (value: unknown) => unknown): object {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value)]))
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
