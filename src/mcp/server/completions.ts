import { ProtocolError, type Server } from '@modelcontextprotocol/server'
import type { Dialect } from '../../tools/dialect.js'
import type { Workspace } from '../../workspace/workspace.js'
import { invalidParams } from './malformed-calls.js'

/** The protocol's limit. */
const mostValues = 100

/** Completes the value of an argument while a user types it. */
export function serveCompletions(server: Server, { resources, prompts }: Dialect, workspace: Workspace): void {
  server.setRequestHandler('completion/complete', async ({ params: { ref, argument } }) => {
    const values = await (ref.type === 'ref/prompt' ? ofPrompt(ref.name, argument) : ofResource(ref.uri, argument))
    const isCut = values.length > mostValues
    return { completion: { values: values.slice(0, mostValues), total: values.length, hasMore: isCut } }
  })

  async function ofPrompt(name: string, { name: argument, value }: Argument): Promise<string[]> {
    const prompt = prompts?.find((each) => each.name === name)
    if (prompt === undefined) throw new ProtocolError(invalidParams, `There is no prompt ${name}`)
    return (await prompt.complete?.(argument, value, workspace)) ?? []
  }

  async function ofResource(uri: string, { value }: Argument): Promise<string[]> {
    if (uri !== resources?.template.uriTemplate) throw new ProtocolError(invalidParams, `There is no template ${uri}`)
    return (await resources.complete?.(value, workspace)) ?? []
  }
}

interface Argument {
  name: string
  value: string
}
