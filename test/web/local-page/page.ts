import '../../../web/engine/no-eval.js'
import { type CaseResult, contractCases, type Deviations, runContract } from '../../../contract/fs/index.js'
import { isFsError } from '../../../src/errors.js'
import { directoryHandle } from '../../../web/index.js'

const dropped = new Promise<FileSystemDirectoryHandle>((resolve, reject) => {
  document.addEventListener('dragover', (event) => event.preventDefault())
  document.addEventListener('drop', (event) => {
    event.preventDefault()
    const [item] = event.dataTransfer?.items ?? []
    const handle = (item as unknown as DroppedItem | undefined)?.getAsFileSystemHandle()
    if (handle === undefined) reject(new Error('nothing was dropped'))
    else resolve(handle)
  })
})

interface DroppedItem {
  getAsFileSystemHandle(): Promise<FileSystemDirectoryHandle>
}

/** The functions that the test calls. */
const testPage = {
  permission: async () => {
    const handle = (await dropped) as unknown as { queryPermission(options: { mode: 'readwrite' }): Promise<string> }
    return handle.queryPermission({ mode: 'readwrite' })
  },

  async runCase(name: string, deviations: Deviations): Promise<CaseResult> {
    const target = { fs: directoryHandle(await dropped), base: `/${crypto.randomUUID()}` }
    const cases = contractCases.filter((contractCase) => contractCase.name === name)
    const { results } = await runContract(target, { cases, deviations })
    return results.find((result) => result.name === name) ?? { name, outcome: 'failed', message: 'no such case' }
  },

  async write(path: string, text: string): Promise<void> {
    await directoryHandle(await dropped).writeFile(path, new TextEncoder().encode(text))
  },

  async codeOf(method: 'stat' | 'readFile' | 'writeFile', path: string): Promise<string> {
    const fs = directoryHandle(await dropped)
    try {
      if (method === 'writeFile') await fs.writeFile(path, new Uint8Array(1))
      else await fs[method](path)
      return 'ok'
    } catch (error) {
      return isFsError(error) ? error.code : String(error)
    }
  },
}

export type TestPage = typeof testPage

Object.assign(globalThis, { testPage })
