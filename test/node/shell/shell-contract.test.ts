import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { nodeFs } from '../../../node/disk/node-fs.js'
import { nodeShell } from '../../../node/shell/node-shell.js'
import { describeShellContract } from '../../describe-shell-contract.js'

describeShellContract('the shell of this computer', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'polyfs-shell-'))
  const fs = nodeFs(directory)
  const shell = nodeShell({
    hostPath: (virtual) => join(directory, virtual),
    virtualPath: (host) => (host.startsWith(`${directory}/`) ? host.slice(directory.length) : undefined),
  })
  return {
    shell,
    fs,
    base: '/base',
    async dispose() {
      await shell.close()
      fs.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
})
