/** The network of one command, which ends with what a command may use of it. */
import type { Network, NetworkOutcome } from '../../src/network/types.js'

export function commandNetwork(network: Network): Network {
  const { limits } = network
  let exchanges = 0
  let bytes = 0
  const refused = (message: string): NetworkOutcome => ({ failure: { code: 'REFUSED', message } })
  return {
    ...network,
    async exchange(request, options) {
      exchanges += 1
      bytes += request.url.length + (request.body?.length ?? 0)
      if (exchanges > limits.exchanges) return refused(`a command may make ${limits.exchanges} requests`)
      if (bytes > limits.bytes) return refused(`a command may send and receive ${limits.bytes} bytes`)
      const outcome = await network.exchange(request, options)
      if ('answer' in outcome) bytes += outcome.answer.body.length
      return outcome
    },
  }
}
