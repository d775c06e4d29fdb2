import { readdirSync } from 'node:fs'
import { openDirectories } from '../../../node/workspace/directory-workspace.js'
import { memory } from '../../../src/fs/backends/memory.js'
import { walk } from '../../../src/fs/walk/walk.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'
import { describeFollowing } from '../../describe-progress-and-abort.js'
import { remove, temporaryDirectory } from '../../dialects/vectors/disk.js'

describeFollowing('in memory', async () => {
  const fs = memory()
  return {
    workspace: createWorkspace({ fs }),
    async names() {
      const names: string[] = []
      for await (const { path } of walk(fs, '/')) names.push(path)
      return names
    },
  }
})

describeFollowing('in a real directory', async () => {
  const [directory, stateDirectory] = [temporaryDirectory(), temporaryDirectory()]
  const workspace = await openDirectories([{ directory, access: 'read-write' }], { stateDirectory, fsync: false })
  return {
    workspace,
    names: async () => readdirSync(directory, { recursive: true, encoding: 'utf8' }),
    dispose() {
      workspace.close()
      for (const made of [directory, stateDirectory]) remove(made)
    },
  }
})
