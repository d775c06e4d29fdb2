/** The turns of an agent. Only the last one grows, and each step of it is told. */
import type { Answer } from '../models/ask-model.js'
import type { AnswerPart, Message } from '../models/model.js'
import { addUsage } from '../models/usage.js'
import type { AgentEvent } from './agent-options.js'
import { type Call, openCalls, type Turn } from './conversation.js'

export interface Turns {
  all(): readonly Turn[]
  /** For another branch. */
  replaceAll(turns: readonly Turn[]): void
  /** Begins one after the last. */
  begin(turn: Omit<Turn, 'id' | 'messages' | 'calls'>): void
  /** The last one. */
  current(): Turn
  /** The last one, with some of it replaced. */
  update(change: Partial<Turn>): Turn
  add(message: Message): void
  /** A call of the last turn that is new, or in another state. */
  put(call: Call): void
  /** Adds an answer of the model; the turn has its usage. */
  accept(answer: Answer): void
  /** The same answer with an id for every call that no other has. */
  named(answer: Answer): Answer
  /** Ends a last turn that was cut off and is not continued. */
  leaveOpen(): void
}

export interface TurnsOptions {
  now(): number
  onEvent(event: AgentEvent): void
}

export function turnsFrom(given: readonly Turn[], { now, onEvent }: TurnsOptions): Turns {
  let turns: readonly Turn[] = [...given]

  function current(): Turn {
    const turn = turns.at(-1)
    if (turn === undefined) throw new Error('No turn has begun')
    return turn
  }

  function update(change: Partial<Turn>): Turn {
    const turn = { ...current(), ...change }
    turns = [...turns.slice(0, -1), turn]
    return turn
  }

  function add(message: Message): void {
    update({ messages: [...current().messages, message] })
  }

  function put(call: Call): void {
    const { calls } = current()
    const isKnown = calls.some(({ id }) => id === call.id)
    update({ calls: isKnown ? calls.map((each) => (each.id === call.id ? call : each)) : [...calls, call] })
    onEvent({ type: 'call', call })
  }

  function nextId(): string {
    const numbers = turns.map(({ id }) => Number(id.slice('turn-'.length))).filter(Number.isInteger)
    return `turn-${Math.max(0, ...numbers) + 1}`
  }

  return {
    all: () => turns,
    replaceAll(others) {
      turns = [...others]
    },
    current,
    update,
    add,
    put,

    begin(given) {
      const turn = { id: nextId(), ...given, messages: [{ role: 'user' as const, text: given.prompt }], calls: [] }
      turns = [...turns, turn]
      onEvent({ type: 'turn', turn })
    },

    accept({ parts, usage: more }) {
      // Reasoning alone is not a message: it belongs to what follows it.
      if (parts.some(({ type }) => type !== 'reasoning')) add({ role: 'assistant', parts })
      const { usage } = current()
      const sum = more && usage ? addUsage(usage, more) : (more ?? usage)
      onEvent({ type: 'answer', turn: update(sum ? { usage: sum } : {}) })
    },

    // Some servers give every call the same id, or none.
    named(answer) {
      const known = new Set(turns.flatMap(({ calls }) => calls.map(({ id }) => id)))
      const parts = answer.parts.map((part): AnswerPart => {
        if (part.type !== 'call') return part
        const id = part.id !== '' && !known.has(part.id) ? part.id : `${current().id}-${known.size + 1}`
        known.add(id)
        return { ...part, id }
      })
      return { ...answer, parts }
    },

    // Every call needs a result: a model's API refuses a conversation without.
    leaveOpen() {
      const turn = turns.at(-1)
      if (turn === undefined || turn.end !== undefined) return
      const results = openCalls(turn).map(({ id, tool }) => {
        const { output, state } = turn.calls.find((call) => call.id === id) ?? {}
        return { id, tool, text: output ?? notCalled, isError: state !== 'done' }
      })
      for (const call of turn.calls) {
        if (call.endedMs === undefined) put({ ...call, state: 'stopped', output: notCalled, endedMs: now() })
      }
      if (results.length > 0) add({ role: 'tools', results })
      onEvent({ type: 'end', turn: update({ end: { reason: 'interrupted', atMs: now() } }) })
    },
  }
}

const notCalled = 'Not called: the program ended before.'
