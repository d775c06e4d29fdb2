/** How files are worked on while a command runs that asks for it; each counts those commands. What else runs at that moment is treated so too. */
export interface Manner {
  /** Listings with kinds leave links out. */
  hidesLinks: number
  /** Copies have the times of what was copied. */
  keepsTimes: number
}

/** Runs something in a manner. */
export async function inManner<Result>(
  manner: Manner,
  what: keyof Manner,
  run: () => Promise<Result>,
): Promise<Result> {
  manner[what] += 1
  try {
    return await run()
  } finally {
    manner[what] -= 1
  }
}
