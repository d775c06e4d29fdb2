/** The worker that runs commands of the emulated shell. */
import { loadWorker } from './load-worker.js'

loadWorker(() => import('./emulated-commands.js'))
