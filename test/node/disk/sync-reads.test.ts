import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach } from 'vitest'
import { type NodeFileSystem, nodeFs } from '../../../node/disk/node-fs.js'
import { startTree, testSyncReads } from '../../sync-reads.js'

const opened: { files: NodeFileSystem; root: string }[] = []
afterEach(() => {
  for (const { files, root } of opened.splice(0)) {
    files.close()
    fs.rmSync(root, { recursive: true })
  }
})

for (const anchor of ['descriptor', 'walk'] as const) {
  const open = async () => {
    const root = fs.mkdtempSync(path.join(os.tmpdir(), 'polyfs-test-sync-'))
    for (const [at, text] of Object.entries(startTree)) {
      fs.mkdirSync(path.dirname(root + at), { recursive: true })
      fs.writeFileSync(root + at, text)
    }
    const files = nodeFs(root, { fsync: false, anchor })
    opened.push({ files, root })
    return files
  }
  testSyncReads(`a disk anchored by ${anchor}`, open, { keepsReaders: false, rounds: 50 })
}
