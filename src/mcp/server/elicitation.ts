/** Questions to the client. In the newest revision a call is answered with them, in older ones they are requests; the SDK chooses. */
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
import type { Questions } from '../../tools/questions.js'
import type { CallContext, Session } from '../../workspace/workspace.js'
import { invalidParams } from './malformed-calls.js'

/** State of a connection, and the key that signs what it sends through the client. */
export interface ConnectionState extends Session {
  stateKey?: Uint8Array
}

export interface Elicitation {
  options: Pick<ServerOptions, 'requestState'>
  /** The client's answers to earlier questions of the tool or prompt `name`. */
  contextOf(name: string, server: Server, context: ServerContext): Pick<CallContext, 'asked'>
  /** A result that asks the questions. */
  ask(name: string, questions: Questions): Promise<InputRequiredResult>
}

/** State passes through the client, so it is signed, together with the name of the tool or prompt it belongs to. */
export function createElicitation(connection: ConnectionState): Elicitation {
  connection.stateKey ??= crypto.getRandomValues(new Uint8Array(32))
  const states = createRequestStateCodec<State>({ key: connection.stateKey })
  return {
    options: { requestState: { verify: states.verify } },
    contextOf(name, server, { mcpReq }) {
      const stored = mcpReq.requestState<State>()
      if (stored !== undefined && stored.of !== name) {
        throw new ProtocolError(invalidParams, 'The state belongs to another call')
      }
      // The SDK's type of the envelope lacks the capabilities that it has.
      const envelope = mcpReq.envelope as { [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities } | undefined
      const declared = envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities()
      const { elicitation, sampling, roots } = declared ?? {}
      const can = {
        elicitation: elicitation !== undefined,
        sampling: sampling !== undefined,
        roots: roots !== undefined,
      }
      return { asked: { can, answers: mcpReq.inputResponses ?? {}, ...(stored && { state: stored.state }) } }
    },
    async ask(name, { questions, state }) {
      const requestState = state === undefined ? undefined : await states.mint({ of: name, state })
      // In the protocol's format, which the SDK checks.
      const inputRequests = questions as InputRequests
      return inputRequired({ inputRequests, ...(requestState !== undefined && { requestState }) })
    },
  }
}

interface State {
  of: string
  state: string
}
