/** The worker that runs commands of the emulated shell. */
import { loadWorker } from './worker-loader.js'

loadWorker(() => import('./emulated-commands.js'))
