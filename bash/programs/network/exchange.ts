/** Requests of programs: through the gate, or refused as on a machine that is offline. */
import type { NetworkAnswer, NetworkFailure, NetworkRequest } from '../../../src/network/types.js'
import type { ProgramIo } from '../../io/program.js'

/** `OFFLINE`: the shell has no network at all. */
export type Failure = Omit<NetworkFailure, 'code'> & { code: NetworkFailure['code'] | 'OFFLINE' }

export type Outcome = { answer: NetworkAnswer } | { failure: Failure }

/** An answer is counted as memory of the program. */
export async function exchange({ network, account, step }: ProgramIo, request: NetworkRequest): Promise<Outcome> {
  step()
  if (network === undefined) return { failure: { code: 'OFFLINE', message: 'this shell has no network' } }
  const outcome = await network.exchange(request)
  if ('answer' in outcome) account(outcome.answer.body.length)
  return outcome
}

/** Nothing was sent: the name is then as unknown as on a machine without a network. */
export function isOffline({ code }: Failure): boolean {
  return code === 'OFFLINE' || code === 'REFUSED'
}

/** The line that says how it could be reached; empty when it was tried. */
export function howAllowed({ network }: ProgramIo, { code, message }: Failure, url: URL, method = 'GET'): string {
  if (code !== 'OFFLINE' && code !== 'REFUSED') return ''
  const rule = `${method === 'GET' || method === 'HEAD' ? '' : `GET,${method} `}${url.origin}`
  const how = `its host allows it with a rule such as '${rule}' (--network)`
  if (code === 'OFFLINE') return `This shell has no network; ${how}.\n`
  const allowed = network?.allowed.join('; ') ?? ''
  return `This shell may not do this: ${message}. It may reach: ${allowed === '' ? 'nothing' : allowed}; ${how}.\n`
}

/** An address of the machine itself or of another by number: that has no name that could be unknown. */
export function isNumbered({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname.startsWith('[') || /^\d+(?:\.\d+){3}$/.test(hostname)
}

export function headerOf({ headers }: Pick<NetworkAnswer, 'headers'>, name: string): string | undefined {
  return headers.find(([key]) => key.toLowerCase() === name)?.[1]
}
