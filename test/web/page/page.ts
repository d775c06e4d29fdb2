import '../../../web/no-eval.js'
import { clarvis, createWorkspace, memory } from '../../../src/index.js'
import { serveFiles } from '../../../web/index.js'
import { type ClientName, visit } from './clients.js'

const violations: string[] = []
document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
  violations.push(`${violatedDirective} ${blockedURI}`)
})

const workspace = createWorkspace({ fs: memory({ '/notes/todo.txt': 'one\ntwo\n', '/readme.md': '# Hello\n' }) })
const files = serveFiles({ workspace, dialect: clarvis })

function visitFromWorker(name: ClientName): Promise<unknown> {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' })
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => resolve(data)
    worker.onerror = ({ message }) => reject(new Error(message))
    worker.postMessage(name, [files.port()])
  }).finally(() => worker.terminate())
}

/** What the test calls from outside. */
const testPage = {
  violations,
  visit: (name: ClientName) => visit(name, files.connect()),
  visitFromWorker,
  close: () => files.close(),
  connectAfterClose: () => {
    try {
      files.connect()
      return 'connected'
    } catch (error) {
      return String(error)
    }
  },
}

Object.assign(globalThis, { testPage })

export type TestPage = typeof testPage
