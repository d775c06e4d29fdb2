/** Clones a repository. It may connect to one origin only, so it is a worker of its own, which ends with the clone. */
import { loadWorker } from '../../web/engine/worker-loader.js'

loadWorker(() => import('./serve-clone.js'))
