/** Loaded into a process with `--import`: at SIGUSR2 it collects its garbage, and writes what it holds then into a file. */
import fs from 'node:fs'

const file = process.env.POLYFS_HEAP_FILE
process.on('SIGUSR2', () => {
  for (let round = 0; round < 3; round += 1) globalThis.gc()
  fs.writeFileSync(`${file}.part`, String(process.memoryUsage().heapUsed))
  fs.renameSync(`${file}.part`, file)
})
