/** Runs the engine in a worker, so that a search or a large change never blocks the page. */
import { loadWorker } from './load-worker.js'

loadWorker(() => import('./engine-methods.js'))
