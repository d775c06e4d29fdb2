/** A stand-in for the API of a model: it answers with what is given, in turn, and keeps what was asked. */
import { createServer } from 'node:http'

export async function startEndpoint(answers) {
  const requests = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    requests.push(JSON.parse(body))
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(answers[requests.length - 1]))
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${server.address().port}`, requests, close: () => server.close() }
}
