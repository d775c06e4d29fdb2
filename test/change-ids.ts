/** The id of a change ends with the name of its session, which is not repeatable: `[change 3-c384d452]` becomes `[change 3]`. */
export function withoutSessions(text: string): string {
  return text.replace(/(\[change \d+)-[0-9a-f]{8}/g, '$1')
}
