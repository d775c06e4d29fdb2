import { bootWebContainer, type Container } from '../../../web/webcontainer/webcontainer.js'

/** The container of this page, from the stand-in on the test server. */
export function bootFromStandIn(): Promise<Container> {
  Object.assign(globalThis, { WEBCONTAINER_API_IFRAME_URL: location.origin })
  return bootWebContainer({ coep: 'require-corp', timeoutMs: 60_000 })
}
