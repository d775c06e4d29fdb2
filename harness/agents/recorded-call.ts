/** A call of a tool as agents make it. */
import { ToolProtocolError } from '../../src/tools/call-tool.js'
import type { ToolResult } from '../../src/tools/dialect.js'
import type { Episode } from '../types.js'

/** A dialect that answers with protocol errors has no other way to say that a call is wrong: here that is a result, too. */
export async function recordedCall(
  episode: Episode,
  tool: string,
  args: unknown,
  signal?: AbortSignal,
): Promise<ToolResult> {
  try {
    return await episode.tools.call(tool, args, signal ? { signal } : {})
  } catch (error) {
    if (!(error instanceof ToolProtocolError)) throw error
    return { content: [{ type: 'text', text: error.message }], isError: true }
  }
}

export function isToolError({ isError }: ToolResult): boolean {
  return isError === true
}
