import { emulatedShell } from '../../../web/engine/emulated-shell.js'
import { describeMemoryBombs } from '../../describe-memory-bombs.js'
import { bombMegabytes, bombWrittenBytes } from '../../memory-bombs.js'

describeMemoryBombs(
  'of a page',
  emulatedShell({ maxMemoryBytes: bombMegabytes << 20, maxWrittenBytes: bombWrittenBytes }),
)
