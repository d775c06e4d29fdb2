import * as z from 'zod'

/** Two line numbers. A list, as the models know it: a tuple is another schema. */
export const numberRange = z
  .array(z.int())
  .length(2)
  .transform((pair) => pair as unknown as readonly [number, number])
  .exactOptional()
