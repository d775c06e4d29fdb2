/** Plain text from what a program writes to a terminal, piece by piece. */
export interface TerminalText {
  /** The text of a piece, as far as it is certain. */
  push(piece: string): string
  /** What was held back. */
  end(): string
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about.
const sequences = /\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)|[ -/]*[0-~])/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: the beginning of one that may go on in the next piece.
const openSequence = /\x1b(?:\[[0-?]*[ -/]*|[\]PX^_][^\x07\x1b]*\x1b?|[ -/]*)?$/
// biome-ignore lint/suspicious/noControlCharactersInRegex: bells and the like say nothing in a text.
const silent = /[\x00\x07\x08\x1b]/g

/** Leaves out colours, titles and cursor movements. A line ends with `\n` alone; a lone carriage return ends one too. */
export function terminalText(): TerminalText {
  const withoutSequences = inPieces(openSequence, (text) => text.replace(sequences, '').replace(silent, ''))
  const lines = inPieces(/\r+$/, (text) => text.replace(/\r+\n/g, '\n').replace(/\r/g, '\n'))
  return {
    push: (piece) => lines.push(withoutSequences.push(piece)),
    end: () => lines.push(withoutSequences.end()) + lines.end(),
  }
}

/** What is held back of something that never ends: then it is text. */
const maxHeld = 4096

/** Translates pieces as if they were one text: what may go on in the next piece is held back till then. */
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
