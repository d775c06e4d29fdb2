/** For Deno: `TOKEN=... deno run --allow-env --allow-net --allow-read deno.ts`. */
import { startEndpoint } from './endpoint.ts'

const endpoint = startEndpoint(Deno.env.get('TOKEN'))

Deno.serve(
  {
    hostname: '127.0.0.1',
    port: Number(Deno.env.get('PORT') ?? 8787),
    onListen: ({ port }) => console.log(`http://127.0.0.1:${port}/mcp/NAME`),
  },
  (request) => endpoint.fetch(request),
)
