/** What a name or path of a command stands for. */
import type { Program } from '../../../io/program.js'

export type Found =
  | { kind: 'program'; program: Program; path: string }
  /** `denied`: nobody may run it, and there is no other one. */
  | { kind: 'script'; path: string; denied?: true }
  /** It cannot be run: what to say, and the status. */
  | { kind: 'failure'; message: string; status: number }
