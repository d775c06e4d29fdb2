import { type FairQueue, fairQueue } from '../fair-queue.js'

/** More concurrent searches would not be faster, and each holds its results in memory. */
export function searchQueue(): FairQueue {
  return fairQueue({ what: 'searches', maxRunning: 8, maxPerCaller: 6, maxWaiting: 1000 })
}
