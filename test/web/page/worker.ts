/** A client in another thread: the port is all it gets. */
import { MessagePortTransport } from '../../../web/index.js'
import { type ClientName, visit } from './clients.js'

self.onmessage = async ({ data, ports: [port] }: MessageEvent<ClientName>) => {
  if (port === undefined) throw new Error('no port came along')
  self.postMessage(await visit(data, new MessagePortTransport(port)))
}
