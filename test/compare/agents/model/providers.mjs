/**
 * The two formats of APIs. A conversation keeps its messages in the format of the API; what goes in and out of it is the same for both:
 *
 * @typedef {object} Turn what the model said
 * @property {string} text
 * @property {{ id: string, name: string, written: string, args: Record<string, unknown> | undefined }[]} calls `args` is absent if
 *   `written` is not the JSON of an object
 * @property {{ input: number, output: number }} tokens
 */
import { NoAnswer } from './request.mjs'

/** Most tokens of one message, which Anthropic's API requires. Every model of the last years can write as many. */
const messageTokens = 8192

export const providers = {
  openai: {
    baseUrl: 'https://api.openai.com/v1',
    keyVariable: 'OPENAI_API_KEY',
    path: '/chat/completions',
    headers: (key) => (key ? { authorization: `Bearer ${key}` } : {}),
    open: openAiConversation,
  },
  anthropic: {
    baseUrl: 'https://api.anthropic.com/v1',
    keyVariable: 'ANTHROPIC_API_KEY',
    path: '/messages',
    headers: (key) => ({ 'anthropic-version': '2023-06-01', ...(key && { 'x-api-key': key }) }),
    open: anthropicConversation,
  },
}

function openAiConversation({ model, system, prompt, tools }) {
  const messages = [
    { role: 'system', content: system },
    { role: 'user', content: prompt },
  ]
  const functions = tools.map(({ name, description, inputSchema }) => ({
    type: 'function',
    function: { name, description, parameters: inputSchema },
  }))
  return {
    body: () => ({ model, messages, tools: functions }),

    /** @returns {Turn} */
    take(answer) {
      const message = answer?.choices?.[0]?.message
      if (message === undefined) throw new NoAnswer(`the answer has no message: ${shortened(answer)}`)
      const { content = null, tool_calls } = message
      const calls = (tool_calls ?? []).map((call) => readCall(call.id, call.function?.name, call.function?.arguments))
      // APIs reject a message that comes back with members that they added, or with arguments that are not JSON.
      const echoed = calls.map(({ id, name, written, args }) => ({
        id,
        type: 'function',
        function: { name, arguments: args === undefined ? '{}' : written },
      }))
      messages.push({ role: 'assistant', content, ...(calls.length > 0 && { tool_calls: echoed }) })
      return {
        text: textOf(content) || message.refusal || '',
        calls,
        tokens: { input: answer.usage?.prompt_tokens ?? 0, output: answer.usage?.completion_tokens ?? 0 },
      }
    },

    add(results) {
      messages.push(...results.map(({ id, text }) => ({ role: 'tool', tool_call_id: id, content: text })))
    },
  }
}

function anthropicConversation({ model, system, prompt, tools }) {
  const messages = [{ role: 'user', content: prompt }]
  const definitions = tools.map(({ name, description, inputSchema }) => ({
    name,
    description,
    input_schema: inputSchema,
  }))
  return {
    body: () => ({ model, max_tokens: messageTokens, system, messages, tools: definitions }),

    /** @returns {Turn} */
    take(answer) {
      if (!Array.isArray(answer?.content)) throw new NoAnswer(`the answer has no content: ${shortened(answer)}`)
      const calls = answer.content
        .filter(({ type }) => type === 'tool_use')
        .map(({ id, name, input }) => readCall(id, name, input))
      const isUnread = (block) => block.type === 'tool_use' && calls.some(({ id, args }) => id === block.id && !args)
      const echoed = answer.content.map((block) => (isUnread(block) ? { ...block, input: {} } : block))
      messages.push({ role: 'assistant', content: echoed })
      const { input_tokens, cache_creation_input_tokens, cache_read_input_tokens, output_tokens } = answer.usage ?? {}
      return {
        text: textOf(answer.content),
        calls,
        tokens: {
          input: (input_tokens ?? 0) + (cache_creation_input_tokens ?? 0) + (cache_read_input_tokens ?? 0),
          output: output_tokens ?? 0,
        },
      }
    },

    add(results) {
      const content = results.map(({ id, text, isError }) => ({
        type: 'tool_result',
        tool_use_id: id,
        content: text,
        is_error: isError,
      }))
      messages.push({ role: 'user', content })
    },
  }
}

/** Arguments come as text or, from Anthropic and some servers that imitate OpenAI, as an object. */
function readCall(id, name, given = {}) {
  const written = typeof given === 'string' ? given : JSON.stringify(given)
  return { id: String(id), name: String(name), written: written || '{}', args: objectIn(written || '{}') }
}

function objectIn(text) {
  try {
    const value = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Content is a text, a list of parts, or nothing. */
function textOf(content) {
  if (!Array.isArray(content)) return content ?? ''
  return content.map((part) => part.text ?? '').join('')
}

function shortened(answer) {
  return String(JSON.stringify(answer)).slice(0, 300)
}
