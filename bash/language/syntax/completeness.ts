/** Whether a script is all that was meant, as a shell asks before it runs what was typed. */
import { createParser, SyntaxFault } from './parse.js'

/** `wrong`: a syntax error that no further line can mend. */
export type Completeness = 'complete' | 'incomplete' | 'wrong'

/** What a shell makes of a text after Enter was pressed at its end. */
export function completenessOf(script: string): Completeness {
  const parser = createParser(`${script}\n`)
  try {
    while (parser.next() !== undefined);
  } catch (error) {
    if (!(error instanceof SyntaxFault)) throw error
    // The token that is wrong may be continued.
    return error.wantsMore || parser.isOpen() ? 'incomplete' : 'wrong'
  }
  return parser.isOpen() ? 'incomplete' : 'complete'
}
