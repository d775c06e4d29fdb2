import { openOpfs } from '../../../web/opfs/opfs-workspace.js'
import { describeFollowing } from '../../describe-progress-and-abort.js'

describeFollowing('in OPFS', async () => {
  const name = `following-${crypto.randomUUID()}`
  const workspace = await openOpfs(name)
  const top = await navigator.storage.getDirectory()
  return { workspace, names: async () => namesBelow(await top.getDirectoryHandle(name)), dispose: workspace.close }
})

async function namesBelow(directory: FileSystemDirectoryHandle): Promise<string[]> {
  const names: string[] = []
  for await (const [name, handle] of directory.entries()) {
    names.push(name)
    if (handle instanceof FileSystemDirectoryHandle) names.push(...(await namesBelow(handle)))
  }
  return names
}
