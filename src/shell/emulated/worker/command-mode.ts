/**
 * Changes to file operations while certain commands run. Each field counts those commands; everything else that runs at
 * the same time is affected too.
 */
export interface CommandMode {
  /** Listings with kinds omit links. */
  hidesLinks: number
  /** Copies get the times of their originals. */
  keepsTimes: number
}

/** Runs `run` with one of the changes in effect. */
export async function withMode<Result>(
  mode: CommandMode,
  change: keyof CommandMode,
  run: () => Promise<Result>,
): Promise<Result> {
  mode[change] += 1
  try {
    return await run()
  } finally {
    mode[change] -= 1
  }
}
