/** Python's side: runs as text inside the interpreter, in this order. */
import boot from './library/boot.py?raw'
import environments from './library/environments.py?raw'
import errors from './library/errors.py?raw'
import modules from './library/modules.py?raw'
import network from './library/network.py?raw'
import older from './library/older.py?raw'
import pip from './library/pip.py?raw'
import pools from './library/pools.py?raw'
import processes from './library/processes.py?raw'
import projects from './library/projects.py?raw'
import system from './library/system.py?raw'
import threads from './library/threads.py?raw'
import workers from './library/workers.py?raw'

export const librarySource = [
  boot,
  errors,
  system,
  network,
  processes,
  threads,
  workers,
  pools,
  older,
  pip,
  projects,
  environments,
  modules,
].join('\n')
