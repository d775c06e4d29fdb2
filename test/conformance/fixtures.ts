/** A dialect with the tools, resources and prompts that the protocol's conformance suite calls by name. */
import { setTimeout as sleep } from 'node:timers/promises'
import { FsError } from '../../src/errors.js'
import type { Content, Dialect, Prompt, Resources, Tool, ToolResult } from '../../src/tools/dialect.js'
import { text } from '../../src/tools/make-tool.js'
import type { CallContext } from '../../src/workspace/workspace.js'
import { prompt, tool } from './define.js'
import { askingPrompt, askingTools } from './elicitation-fixtures.js'

const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='
const silence = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAAAAA=='

const image: Content = { type: 'image', data: pixel, mimeType: 'image/png' }

/** Longer than the server's minimum pause between two notifications. */
const stepMs = 120

const tools: Tool[] = [
  tool('test_simple_text', async () => text('This is a simple text response for testing.')),
  tool('test_image_content', async () => ({ content: [image] })),
  tool('test_audio_content', async () => ({ content: [{ type: 'audio', data: silence, mimeType: 'audio/wav' }] })),
  tool('test_embedded_resource', async () => ({
    content: [embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
  })),
  tool('test_multiple_content_types', async () => ({
    content: [
      { type: 'text', text: 'Multiple content types test:' },
      image,
      embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ],
  })),
  tool('test_error_handling', async () => ({
    ...text('This tool intentionally returns an error for testing'),
    isError: true,
  })),
  tool('test_tool_with_logging', logging),
  tool('test_logging_tool', logging),
  tool('test_tool_with_progress', async ({ onProgress }) => {
    for (const done of [0, 50, 100]) {
      onProgress?.({ done, total: 100 })
      await sleep(stepMs)
    }
    return text('Progress was reported.')
  }),
  tool('test_reconnection', async ({ detach }) => {
    detach?.()
    await sleep(stepMs)
    return text('The client came back for this.')
  }),
  tool('test_header_argument', async () => text('The header said the same.'), {
    type: 'object',
    properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
  }),
  ...askingTools,
  tool('json_schema_2020_12_tool', async () => text('Not looked at.'), {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    $defs: {
      address: {
        $anchor: 'addressDef',
        type: 'object',
        properties: { street: { type: 'string' }, city: { type: 'string' } },
      },
    },
    properties: {
      name: { type: 'string' },
      address: { $ref: '#/$defs/address' },
      contactMethod: { type: 'string', enum: ['phone', 'email'] },
      phone: { type: 'string' },
      email: { type: 'string' },
    },
    allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
    if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
    then: { required: ['phone'] },
    else: { required: ['email'] },
    additionalProperties: false,
  }),
]

const resources: Resources = {
  template: { uriTemplate: 'test://template/{id}/data', name: 'Data', description: 'Data of an id.' },
  async list() {
    const uris = ['test://static-text', 'test://static-binary', 'test://watched-resource']
    return { resources: uris.map((uri) => ({ uri, name: uri })) }
  },
  async read(uri) {
    const [, id] = /^test:\/\/template\/([^/]+)\/data$/.exec(uri) ?? []
    if (id !== undefined) {
      const data = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` })
      return { uri, mimeType: 'application/json', text: data }
    }
    if (uri === 'test://static-text') {
      return { uri, mimeType: 'text/plain', text: 'This is the content of the static text resource.' }
    }
    if (uri === 'test://static-binary') return { uri, mimeType: 'image/png', blob: pixel }
    if (uri === 'test://watched-resource') return { uri, mimeType: 'text/plain', text: 'Watched resource content' }
    throw new FsError('NOT_FOUND', { path: uri })
  },
  uriOf: (path) => `test:/${path}`,
  pathOf: (uri) => uri.replace(/^test:\//, ''),
}

const prompts: Prompt[] = [
  prompt('test_simple_prompt', [], () => 'This is a simple prompt for testing.'),
  {
    ...prompt(
      'test_prompt_with_arguments',
      ['arg1', 'arg2'],
      ({ arg1, arg2 }) => `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`,
    ),
    complete: async (_argument, value) =>
      ['paris', 'park', 'party', 'testing'].filter((each) => each.startsWith(value)),
  },
  prompt('test_prompt_with_embedded_resource', ['resourceUri'], ({ resourceUri = '' }) => [
    embedded(resourceUri, 'text/plain', 'Embedded resource content for testing.'),
    { type: 'text', text: 'Please process the embedded resource above.' },
  ]),
  prompt('test_prompt_with_image', [], () => [image, { type: 'text', text: 'Please analyze the image above.' }]),
  askingPrompt,
]

export const fixtures: Dialect = {
  name: 'conformance',
  tools,
  resources,
  prompts,
  logs: true,
  asks: true,
  fail: (error) => ({ result: text(error.code) }),
}

async function logging({ onLog }: CallContext): Promise<ToolResult> {
  for (const message of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
    onLog?.({ level: 'info', message })
    await sleep(50)
  }
  return text('It was reported.')
}

function embedded(uri: string, mimeType: string, body: string): Content {
  return { type: 'resource', resource: { uri, mimeType, text: body } }
}
