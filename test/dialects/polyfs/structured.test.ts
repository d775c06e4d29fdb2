/** With `--structured`: every result of every case is also structured content, matches its schema, and is sent once. */
import Ajv from 'ajv'
import { expect, test } from 'vitest'
import { estimateTokens } from '../../../src/dialects/polyfs/paging/token-budget.js'
import { polyfs } from '../../../src/dialects/polyfs/tools.js'
import { tools } from '../../../src/dialects/tool-definitions.js'
import { memory } from '../../../src/fs/backends/memory.js'
import type { JsonSchema, ToolResult } from '../../../src/tools/dialect.js'
import { withStructuredResults } from '../../../src/tools/structured-results.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'
import { vectors } from '../vectors/cases.js'
import { directoryStage } from '../vectors/directory-stage.js'
import { inProcess } from '../vectors/in-process.js'
import { play } from '../vectors/play.js'
import type { Connector } from '../vectors/workspace-stage.js'

const structured = withStructuredResults(polyfs)
const ajv = new Ajv({ strict: true })
const schemas = new Map(
  structured.tools.map(({ name, schema }) => [name, schema().output ?? ({ type: 'object' } as JsonSchema)]),
)
const validators = new Map([...schemas].map(([name, schema]) => [name, ajv.compile(schema)]))
/** Tools whose facts are not their payload; all their facts have to be in the schema. */
const onlyFacts = ['file_info', 'write_file', 'move', 'copy', 'delete', 'make_dir', 'workspace']
const besidesText = polyfs.tools.map(({ name }) => name).filter((name) => !onlyFacts.includes(name))

test('every tool has an output schema that describes each value', () => {
  expect(structured.tools.filter(({ schema }) => schema().output === undefined)).toEqual([])
  expect(besidesText.length).toBe(10)
  expect(polyfs.tools.filter(({ schema }) => schema().output !== undefined)).toEqual([])
  for (const schema of schemas.values()) {
    const properties = schema.properties as Record<string, { type?: string; items?: { type?: string } }>
    for (const property of Object.values(properties)) {
      expect(property).toHaveProperty('type')
      if (property.type === 'array') expect(property.items).toHaveProperty('type')
    }
  }
})

/** Plays a case, and checks every result on its way. */
const examining: Connector = {
  speaks: 'calls',
  async connect(workspace) {
    const connection = await inProcess.connect(workspace, structured)
    return {
      ...connection,
      async request(method, params) {
        const answer = await connection.request(method, params)
        if (method === 'tools/call' && 'result' in answer) {
          const { name, arguments: args } = params as { name: string; arguments: { max_tokens?: number } }
          examine(name, args, answer.result as unknown as ToolResult)
        }
        return answer
      },
    }
  },
}

const seen = new Set<string>()

function examine(tool: string, { max_tokens: budget = 10_000 }: { max_tokens?: number }, result: ToolResult): void {
  const { content, structuredContent = {}, isError = false } = result
  const validate = validators.get(tool)
  if (validate === undefined) return
  if (!isError) expect({ tool, result }).toHaveProperty('result.structuredContent')
  expect({ tool, structuredContent, errors: validate(structuredContent) ? [] : validate.errors }).toMatchObject({
    errors: [],
  })
  if (budget >= 256) expect({ tool, fits: estimateTokens(result) <= budget }).toEqual({ tool, fits: true })
  if (isError) return
  seen.add(tool)
  if (!besidesText.includes(tool)) return
  const properties = schemas.get(tool)?.properties as object
  expect({ tool, unnamed: Object.keys(structuredContent).filter((key) => !(key in properties)) }).toEqual({
    tool,
    unnamed: [],
  })
  // No fact repeats the payload, which is one longer text.
  const [payload = ''] = content.map(({ text }) => text)
  const facts = Object.values(structuredContent).filter((fact) => typeof fact === 'string')
  if (payload.length > 40) expect(facts.filter((fact) => fact.includes(payload))).toEqual([])
}

const own = vectors.filter(
  ({ dialect, calls }) => dialect === 'polyfs' && !JSON.stringify(calls).includes('tools/list'),
)

test.each(own.map((vector) => [vector.id, vector] as const))('%s', async (_id, vector) => {
  const stage = await directoryStage(vector, examining)
  try {
    const outcome = await play(vector, stage)
    // The text is the same as without, except where a page is smaller because facts use part of the budget.
    const isPaged = /max_tokens|cursor/.test(JSON.stringify(vector.calls))
    if ('faults' in outcome && !isPaged) expect(outcome.faults).toEqual([])
  } finally {
    await stage.close()
  }
})

test('a failure reports its code', async () => {
  const { structuredContent, isError } = await tools(createWorkspace({ fs: memory() }), { structured: true }).call(
    'read_file',
    { path: 'no.txt' },
  )
  expect({ structuredContent, isError }).toEqual({
    structuredContent: { error: 'not_found', path: 'no.txt' },
    isError: true,
  })
})

test('that was every tool', () => {
  expect([...seen].sort()).toEqual(polyfs.tools.map(({ name }) => name).sort())
})
