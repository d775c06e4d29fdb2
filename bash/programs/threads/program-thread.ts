/** Threads of a platform that run a program, such as the interpreter of a language, and talk with the shell in messages. */

export interface ProgramThread<To, From> {
  /** Answers can be written where it sees them. */
  readonly sharesMemory: boolean
  post(message: To): void
  onMessage(listener: (message: From) => void): void
  /** Called when it ends without being told to. */
  onLost(listener: (reason: string) => void): void
  end(): void
}

export interface ProgramThreads<Thread> {
  /** Fails with a `ProgramError` that says why there is none. */
  take(): Promise<Thread>
  /** It has ended its program and can run another. */
  giveBack(thread: Thread): void
}
