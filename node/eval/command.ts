/** What subcommands of `polyfs eval` are. */

/** What subcommands need of the place they run in. */
export interface EvalPlace {
  /** The module that the workers of the emulated shell load. */
  commandWorker: string
  /** The module that the threads of `--threads` load. */
  episodeWorker: string
  /** To standard output. */
  write(text: string): void
  /** One line to standard error, with the name of the program. */
  warn(line: string): void
  /** To standard error, as it is. */
  show(text: string): void
}

/** Resolves with the exit code. */
export type EvalCommand = (argv: readonly string[], place: EvalPlace) => Promise<number>
