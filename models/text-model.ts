/** A model that only completes text, such as the browser's own: tools are described to it in words, and its answers are JSON of a given shape. */
import { parseJson } from '../src/text/parse-json.js'
import { type Message, type Model, ModelError, type ModelPart, type ModelRequest, type ModelTool } from './model.js'

/** Completes a conversation. */
export interface TextCompletion {
  system: string
  messages: readonly { role: 'user' | 'assistant'; content: string }[]
  /** The JSON Schema of the answer, for models that can be held to one. */
  schema: object
  signal: AbortSignal
}

export interface TextModelOptions {
  name: string
  /** The whole answer in pieces, as it is written. */
  complete(request: TextCompletion): AsyncIterable<string>
  /** The tools it is offered, by name: such models are small, and a long list confuses them. Default: all. */
  tools?: readonly string[]
}

const maxWritten = 16 << 20

/** Makes a model that can call tools from one that can't. */
export function textModel({ name, complete, tools: chosen }: TextModelOptions): Model {
  let calls = 0
  return {
    name,
    async *stream(request): AsyncGenerator<ModelPart> {
      const tools = chosen === undefined ? request.tools : request.tools.filter((tool) => chosen.includes(tool.name))
      const { signal, messages } = request
      let written = ''
      for await (const piece of complete({
        system: instructions(request, tools),
        messages: messages.map(asText),
        schema: answerSchema(tools),
        signal,
      })) {
        written += piece
        if (written.length > maxWritten)
          throw new ModelError(`The model’s answer is longer than ${maxWritten} characters`)
        yield { type: 'writing', id: '', tool: '', text: '' }
      }
      const { say, call } = readAnswer(written)
      if (say !== '') yield { type: 'text', text: say }
      if (call === undefined) return
      calls += 1
      yield { type: 'call', id: `text-${calls}`, ...call }
    },
  }
}

function instructions({ system = '' }: ModelRequest, tools: readonly ModelTool[]): string {
  const list = tools.map(({ name, description, inputSchema }) => {
    const [first = ''] = description.split(/(?<=\.)\s/)
    return `- ${name}: ${first} Arguments: ${JSON.stringify(parametersIn(inputSchema))}`
  })
  return [
    system,
    'You work with tools. Answer with one JSON object and nothing else: {"say": TEXT} ends your work, {"say": TEXT, "tool": NAME, "args": {…}} calls a tool first; you then get its result.',
    'The tools:',
    ...list,
  ]
    .filter((line) => line !== '')
    .join('\n')
}

/** Names and types are enough; whole schemas do not fit into a small model. */
function parametersIn(schema: object): Record<string, string> {
  const { properties = {}, required = [] } = schema as {
    properties?: Record<string, { type?: string }>
    required?: string[]
  }
  return Object.fromEntries(
    Object.entries(properties).map(([name, { type = 'any' }]) => [
      name,
      required.includes(name) ? `${type}, required` : type,
    ]),
  )
}

function answerSchema(tools: readonly ModelTool[]): object {
  const call = { tool: { type: 'string', enum: tools.map(({ name }) => name) }, args: { type: 'object' } }
  return { type: 'object', properties: { say: { type: 'string' }, ...call }, required: ['say'] }
}

function asText(message: Message): TextCompletion['messages'][number] {
  if (message.role === 'user') return { role: 'user', content: message.text }
  if (message.role === 'tools') {
    const results = message.results.map(
      ({ tool, text, isError }) => `${isError ? 'Error' : 'Result'} of ${tool}:\n${text}`,
    )
    return { role: 'user', content: results.join('\n\n') }
  }
  const say = message.parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
  const call = message.parts.find((part) => part.type === 'call')
  return {
    role: 'assistant',
    content:
      call === undefined
        ? JSON.stringify({ say })
        : `{"say":${JSON.stringify(say)},"tool":${JSON.stringify(call.tool)},"args":${call.args}}`,
  }
}

/** Small models wrap JSON in words or a code block, or forget it altogether: then all of it is text. */
function readAnswer(written: string): { say: string; call?: { tool: string; args: string } } {
  const [json = ''] = /\{[\s\S]*\}/.exec(written) ?? []
  const parsed = parseJson(json)
  if ('fault' in parsed) return { say: written.trim() }
  // It was found by its braces.
  const answer = parsed.value as { say?: unknown; tool?: unknown; args?: unknown }
  const say = typeof answer.say === 'string' ? answer.say : ''
  if (typeof answer.tool === 'string' && answer.tool !== '') {
    return { say, call: { tool: answer.tool, args: JSON.stringify(answer.args ?? {}) } }
  }
  return { say: say === '' ? written.trim() : say }
}
