/** What is wrong with the files of a suite. */
export interface TaskProblem {
  /** Its path in the file system that was loaded from. */
  file: string
  /** From 1. */
  line?: number
  message: string
  /** What to do about it. */
  remedy?: string
}

/** A suite that can't be run as it is written. It names all problems, so that one look is enough. */
export class TaskError extends Error {
  override readonly name = 'TaskError'

  constructor(readonly problems: readonly TaskProblem[]) {
    super(problems.map(describeProblem).join('\n'))
  }
}

/** As compilers write it: `file:line: message. remedy` */
export function describeProblem({ file, line, message, remedy }: TaskProblem): string {
  const place = line === undefined ? file : `${file}:${line}`
  return remedy === undefined ? `${place}: ${message}` : `${place}: ${message}. ${remedy}`
}
