/** Shell text; see `src/text/byte-text.ts`. */
export { decodeText, encodeText, isEscapedByte, joinedText, sequenceLength } from '../../src/text/byte-text.js'
