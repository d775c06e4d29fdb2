import { ProtocolError, type Server } from '@modelcontextprotocol/server'
import type { Prompt } from '../../tools/dialect.js'
import { Questions } from '../../tools/questions.js'
import type { Elicitation } from './elicitation.js'
import { invalidParams } from './malformed-calls.js'
import { rejectCursor } from './protocol-errors.js'

/** Serves the prompts of a dialect. */
export function servePrompts(server: Server, prompts: readonly Prompt[], elicitation?: Elicitation): void {
  server.setRequestHandler('prompts/list', ({ params }) => {
    rejectCursor(params?.cursor)
    return {
      prompts: prompts.map(({ name, title, description, arguments: args }) => ({
        name,
        title,
        description,
        arguments: args.map((argument) => ({ ...argument })),
      })),
    }
  })

  server.setRequestHandler('prompts/get', async ({ params }, context) => {
    const prompt = prompts.find(({ name }) => name === params.name)
    if (prompt === undefined) throw new ProtocolError(invalidParams, `There is no prompt ${params.name}`)
    const given = params.arguments ?? {}
    const missing = prompt.arguments.find(({ name, required }) => required && given[name] === undefined)
    if (missing !== undefined) throw new ProtocolError(invalidParams, `${prompt.name} needs ${missing.name}`)
    try {
      const written = prompt.write(given, elicitation?.contextOf(prompt.name, server, context) ?? {})
      const contents = typeof written === 'string' ? [{ type: 'text' as const, text: written }] : written
      return {
        description: prompt.description,
        messages: contents.map((content) => ({ role: 'user' as const, content })),
      }
    } catch (error) {
      if (error instanceof Questions && elicitation) return elicitation.ask(prompt.name, error)
      throw error
    }
  })
}
