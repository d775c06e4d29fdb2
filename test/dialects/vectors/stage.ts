import type { Dialect } from '../../../src/tools/dialect.js'
import type { Answer } from './match-answer.js'
import type { Places } from './places.js'
import type { RawTree } from './tree.js'
import type { VectorCase } from './types.js'

/** Where cases are played. */
export interface Backend {
  readonly name: string
  /** Inside and outside of the workspace, both empty. */
  openStage(vector: Vector): Promise<Stage>
  /** Stages share nothing and mostly wait, so several cases can run concurrently. */
  readonly concurrent?: boolean
  /** Closes what stages share. */
  close?(): Promise<void>
  /** By default only a part of the cases is played. */
  readonly isSampled?: boolean
  /** The tools of our own dialect that are offered; all of them unless given. */
  readonly ownTools?: Dialect['tools']
  /** What the backend can't show, by the id of the case, with the reason. */
  readonly unfit?: Readonly<Record<string, string>>
}

/** A case and where it comes from. */
export interface Vector extends VectorCase {
  /** `<dialect>/<tool>: <name>` */
  readonly id: string
  readonly dialect: string
}

export interface Stage {
  readonly places: Places
  readonly raw: RawTree
  /** `calls`: tools are called in process. `messages`: JSON-RPC. `lines`: JSON-RPC as text, so that it may be malformed. */
  readonly speaks: 'calls' | 'messages' | 'lines'
  /** Starts the dialect with the flags of the case, once the trees exist. */
  start(): Promise<Session>
  close(): Promise<void>
}

/** One connection to a server. */
export interface Session {
  request(method: string, params?: unknown): Promise<Answer>
  /** Where the stage speaks in lines: sends one as it is. The answer has the id, or none. */
  sendLine?(line: string, id: number | null): Promise<Answer>
}
