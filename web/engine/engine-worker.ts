/** Runs the engine in a worker, so that a search or a large change never blocks the page. */
import { loadWorker } from './worker-loader.js'

loadWorker(() => import('./engine-methods.js'))
