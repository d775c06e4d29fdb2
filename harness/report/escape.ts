/** Names and reasons come from tasks and models: they are text, whatever they look like. */

/** For text and attributes of HTML and XML. Characters that XML can't contain become U+FFFD. */
export function escapeMarkup(text: string): string {
  return text
    .toWellFormed()
    .replace(forbidden, '\ufffd')
    .replace(/[&<>"']/g, (character) => entities[character] ?? character)
}

/** What XML 1.0 allows in no form, not even as a reference. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
const forbidden = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
