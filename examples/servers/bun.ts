/** For Bun: `TOKEN=... bun bun.ts`. */
import { startEndpoint } from './endpoint.ts'

const endpoint = startEndpoint(process.env.TOKEN)

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: Number(process.env.PORT ?? 8787),
  fetch: (request) => endpoint.fetch(request),
})

console.log(`http://127.0.0.1:${server.port}/mcp/NAME`)
