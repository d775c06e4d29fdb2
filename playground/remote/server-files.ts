/** The files of a server, for the app. */
import type { RemoteFiles } from '../../web/remote/remote.js'
import { connectFiles } from '../../web/remote/remote.js'
import type { ServerPlace } from '../../web/remote/connection.js'
import type { AppEvents } from '../page/app.js'
import type { Events } from '../page/events.js'

/** Connects, and reports what clients do. */
export async function openServerFiles(
  place: ServerPlace,
  handlers: Parameters<typeof connectFiles>[1],
  { emit }: Pick<Events<AppEvents>, 'emit'>,
): Promise<RemoteFiles> {
  return connectFiles(place, {
    ...handlers,
    onCall: (call) => emit('call', call),
    onPeople: (people) => emit('people', people),
    onState: (isConnected) => emit('link', isConnected),
  })
}
