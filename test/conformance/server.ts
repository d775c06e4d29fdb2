/** The HTTP server as it is shipped, with what the conformance suite calls by name in place of file tools. */
import { serveHttp } from '../../node/http.js'
import { memory } from '../../src/fs/memory.js'
import { createWorkspace } from '../../src/workspace.js'
import { fixtures } from './fixtures.js'

const server = await serveHttp({
  workspace: createWorkspace({ fs: memory() }),
  dialect: fixtures,
  onFault: (fault) => console.error(fault),
})
console.log(`conformance fixtures at ${server.url} `)
process.once('SIGTERM', () => void server.close())
