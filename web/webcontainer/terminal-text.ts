/** Extracts plain text from terminal output, chunk by chunk. */
export interface TerminalText {
  /** The text of a chunk, as far as it is complete. */
  push(piece: string): string
  /** The text that was held back. */
  end(): string
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: matches control sequences.
const sequences = /\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)|[ -/]*[0-~])/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: the start of a sequence that may continue in the next chunk.
const openSequence = /\x1b(?:\[[0-?]*[ -/]*|[\]PX^_][^\x07\x1b]*\x1b?|[ -/]*)?$/
// biome-ignore lint/suspicious/noControlCharactersInRegex: bells and other characters without text.
const silent = /[\x00\x07\x08\x1b]/g

/** Removes colours, titles and cursor movements. Lines end with `\n`; a lone carriage return also ends a line. */
export function terminalText(): TerminalText {
  const withoutSequences = inPieces(openSequence, (text) => text.replace(sequences, '').replace(silent, ''))
  const lines = inPieces(/\r+$/, (text) => text.replace(/\r+\n/g, '\n').replace(/\r/g, '\n'))
  return {
    push: (piece) => lines.push(withoutSequences.push(piece)),
    end: () => lines.push(withoutSequences.end()) + lines.end(),
  }
}

/** An incomplete sequence longer than this counts as text. */
const maxHeld = 4096

/** Translates chunks as if they were one text: a possible start of a sequence is held back until the next chunk. */
function inPieces(open: RegExp, translate: (text: string) => string): TerminalText {
  let held = ''
  return {
    push(piece) {
      const text = held + piece
      const rest = open.exec(text)?.[0] ?? ''
      held = rest.length <= maxHeld ? rest : ''
      return translate(text.slice(0, text.length - held.length))
    },
    end() {
      const rest = held
      held = ''
      return translate(rest)
    },
  }
}
