/** How answers lie in memory that a waiting thread and the one that answers share. */
import type { Bytes } from '../../../src/fs/types.js'

/** Bytes beside a value. */
export class WithBytes<Value> {
  constructor(
    readonly value: Value,
    readonly bytes: Bytes,
  ) {}
}

/** Shared memory for answers: words, then the bytes of one piece. */
export const answerBytes = 1 << 20
export const dataAt = 64
export const word = {
  /** 0 while the thread waits. */
  state: 0,
  /** Lengths of the value as text and of the bytes behind it. */
  text: 1,
  bytes: 2,
  /** How much of both is here. */
  piece: 3,
} as const
