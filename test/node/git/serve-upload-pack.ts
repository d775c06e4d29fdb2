/** A git server that sends what a test wants, byte by byte. */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface UploadPackServer {
  url: string
  close(): Promise<void>
}

/** Has the branch `main` at `oid`, and answers every request for objects with `send`. */
export async function serveUploadPack(
  oid: string,
  send: (response: ServerResponse) => Promise<void>,
): Promise<UploadPackServer> {
  const server = createServer((request, response) => {
    if (request.method === 'GET') {
      const refs = [`${oid} HEAD\0side-band-64k ofs-delta symref=HEAD:refs/heads/main\n`, `${oid} refs/heads/main\n`]
      const lines = [line('# service=git-upload-pack\n'), '0000', ...refs.map(line), '0000']
      response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-advertisement' })
      response.end(lines.join(''))
      return
    }
    request.resume()
    response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-result' })
    response.write(line('NAK\n'))
    void send(response)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/x.git`,
    async close() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

function line(text: string): string {
  return (text.length + 4).toString(16).padStart(4, '0') + text
}

/** Bytes of the pack as the protocol wraps them; at most 65,515 at a time. */
export function packPiece(bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${(bytes.length + 5).toString(16).padStart(4, '0')}\x01`), bytes])
}
