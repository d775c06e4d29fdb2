/** Questions to the client: the newest revision answers a call with them, older ones are sent requests; the SDK knows which. */
import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  createRequestStateCodec,
  type InputRequests,
  type InputRequiredResult,
  inputRequired,
  ProtocolError,
  type Server,
  type ServerContext,
  type ServerOptions,
} from '@modelcontextprotocol/server'
import type { CallContext, Questions, Session } from '../../tools/dialect.js'
import { invalidParams } from './malformed-calls.js'

/** What a connection remembers, and the key by which it knows its own state again. */
export interface Remembered extends Session {
  stateKey?: Uint8Array
}

export interface Asking {
  options: Pick<ServerOptions, 'requestState'>
  /** What is known from the questions that `name` asked before. */
  contextOf(name: string, server: Server, context: ServerContext): Pick<CallContext, 'asked'>
  /** The answer that is a question. */
  ask(name: string, questions: Questions): Promise<InputRequiredResult>
}

/** State goes through the hands of the client, so it is signed, with the name of what it is for. */
export function createAsking(remembered: Remembered): Asking {
  remembered.stateKey ??= crypto.getRandomValues(new Uint8Array(32))
  const states = createRequestStateCodec<State>({ key: remembered.stateKey })
  return {
    options: { requestState: { verify: states.verify } },
    contextOf(name, server, { mcpReq }) {
      const kept = mcpReq.requestState<State>()
      if (kept !== undefined && kept.of !== name) throw new ProtocolError(invalidParams, 'The state is of another call')
      // What the SDK declares of the envelope is less than what it puts there.
      const envelope = mcpReq.envelope as { [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities } | undefined
      const declared = envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities()
      const { elicitation, sampling, roots } = declared ?? {}
      const can = {
        elicitation: elicitation !== undefined,
        sampling: sampling !== undefined,
        roots: roots !== undefined,
      }
      return { asked: { can, answers: mcpReq.inputResponses ?? {}, ...(kept && { state: kept.state }) } }
    },
    async ask(name, { questions, state }) {
      const requestState = state === undefined ? undefined : await states.mint({ of: name, state })
      // The protocol's own words, which the SDK checks.
      const inputRequests = questions as InputRequests
      return inputRequired({ inputRequests, ...(requestState !== undefined && { requestState }) })
    },
  }
}

interface State {
  of: string
  state: string
}
