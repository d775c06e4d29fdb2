/** Changes an OPFS workspace repeatedly until it is terminated; reports its start and each acknowledged change. */
import { openOpfs } from '../../../web/opfs/opfs-workspace.js'

export interface CrashOrder {
  workspace: string
  files: number
  /** The first version to write; each change writes the next one into all files. */
  from: number
  /** Stored as a pack, and flushed before a change is acknowledged. */
  packed?: boolean
}

self.onmessage = async ({ data: { workspace: name, files, from, packed = false } }: MessageEvent<CrashOrder>) => {
  const { changes, ready, flush } = await openOpfs(name, packed ? { inMemory: {}, packed } : {})
  await ready
  const paths = Array.from({ length: files }, (_, index) => `/d${index % 3}/f${index}.txt`)
  self.postMessage(from - 1)
  for (let version = from; ; version += 1) {
    const scopes = paths.map((path) => ({ path }))
    await changes.run({ label: `version ${version}`, scopes }, async (draft) => {
      for (const path of paths) {
        await draft.makeParents(path)
        await draft.write(path, new TextEncoder().encode(`version ${version}\n${'x'.repeat(2000)}`))
      }
    })
    await flush()
    self.postMessage(version)
  }
}
