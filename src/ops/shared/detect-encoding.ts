import * as z from 'zod'

/**
 * Recognise every encoding that `detectFormat` knows, and work on the text that `openShown` shows. Default: only byte-order marks are
 * recognised, and bytes that are not UTF-8 stay as they are, but have no character.
 */
export const detectEncoding = z.boolean().exactOptional()
