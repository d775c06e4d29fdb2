/** How the tools of a dialect are made: from one operation, from several, or from another tool. */
import * as z from 'zod'
import { parseInput, type Schema } from '../parse-input.js'
import type { CallContext, Operation, Workspace } from '../workspace/workspace.js'
import type { JsonSchema, Tool, ToolAnnotations, ToolGroup, ToolResult } from './dialect.js'

export interface Projection<Args, Given, Result> {
  name: string
  title: string
  description: string
  annotations: ToolAnnotations
  group?: ToolGroup
  /** The parameters as the dialect names them. */
  input: Schema<Args>
  /** Schema of the structured content, failures included: clients check both. */
  output?: Schema
  toOp(args: NoInfer<Args>, workspace: Workspace): Given
  print(result: NoInfer<Result>, args: NoInfer<Args>, workspace: Workspace): string | ToolResult
}

/** Makes a tool from an operation: parameters of the dialect in, its layout out. */
export function project<Args, Given, Input, Result>(
  operation: Operation<Given, Input, Result>,
  { toOp, print, ...projection }: Projection<Args, Given, Result>,
): Tool {
  return compose({
    ...projection,
    mutates: operation.mutates,
    ...(operation.needs && { needs: operation.needs }),
    async run(args, workspace, context) {
      return print(await workspace.run(operation, toOp(args, workspace), context), args, workspace)
    },
    ...(operation.runSync && {
      runSync(args: Args, workspace: Workspace) {
        const result = operation.runSync?.(toOp(args, workspace), workspace)
        return result === undefined ? undefined : print(result, args, workspace)
      },
    }),
  })
}

export interface Composition<Args> extends Omit<Projection<Args, never, never>, 'toOp' | 'print'> {
  mutates: boolean
  needs?: 'shell'
  run(args: NoInfer<Args>, workspace: Workspace, context: CallContext): Promise<string | ToolResult>
  runSync?(args: NoInfer<Args>, workspace: Workspace): string | ToolResult | undefined
}

/** Makes a tool from several operations, or from one that runs several times. */
export function compose<Args>(composition: Composition<Args>): Tool {
  const { name, title, description, annotations, group, input, output, mutates, needs, run, runSync } = composition
  return {
    name,
    ...(group && { group }),
    title,
    description,
    annotations,
    mutates,
    ...(needs && { needs }),
    async call(args, workspace, context) {
      const printed = await run(parseInput(input, args), workspace, context)
      return typeof printed === 'string' ? text(printed) : printed
    },
    ...(runSync && {
      callSync(args: unknown, workspace: Workspace) {
        const printed = runSync(parseInput(input, args), workspace)
        return typeof printed === 'string' ? text(printed) : printed
      },
    }),
    schema: once(() => ({ input: jsonSchema(input), ...(output && { output: jsonSchema(output) }) })),
  }
}

/** Calls `make` once, when the value is first needed: a server that starts needs no schemas yet. */
export function once<Value extends object>(make: () => Value): () => Value {
  let made: Value | undefined
  return () => {
    made ??= make()
    return made
  }
}

/** The tool with some of it replaced. A new `call` removes `callSync`, unless that is replaced too: both have to answer alike. */
export function overrideTool(tool: Tool, changes: Partial<Tool>): Tool {
  const { callSync: _, ...withoutSync } = tool
  return { ...(changes.call ? withoutSync : tool), ...changes }
}

/** The tool for clients that send null for omitted arguments. */
export function takingNulls(tool: Tool): Tool {
  const { callSync } = tool
  return overrideTool(tool, {
    call: (args, workspace, context) => tool.call(withoutNulls(args), workspace, context),
    ...(callSync && { callSync: (args: unknown, workspace: Workspace) => callSync(withoutNulls(args), workspace) }),
  })
}

export function text(body: string): ToolResult {
  return { content: [{ type: 'text', text: body }] }
}

function jsonSchema(schema: Schema): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema as z.ZodType, {
    io: 'input',
    override: ({ jsonSchema: node }) => {
      // By default, every integer has the bounds of a double.
      if (node.minimum === Number.MIN_SAFE_INTEGER) delete node.minimum
      if (node.maximum === Number.MAX_SAFE_INTEGER) delete node.maximum
    },
  })
  return { ...rest, type: 'object' }
}

function withoutNulls(args: unknown): unknown {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return args
  return Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null))
}
