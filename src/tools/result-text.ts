/** Less than a `ToolResult`, so that results of any MCP server fit. */
export interface PrintableResult {
  content: readonly { type: string; text?: string; mimeType?: string; resource?: { mimeType?: string } }[]
  structuredContent?: object
}

/** A result as one text; content that is not text is only named. */
export function textOf({ content, structuredContent }: PrintableResult): string {
  const texts = content.map(
    ({ type, text, mimeType, resource }) => text ?? `(${type}, ${mimeType ?? resource?.mimeType ?? 'of unknown type'})`,
  )
  return texts.length > 0 ? texts.join('\n') : JSON.stringify(structuredContent ?? {})
}
