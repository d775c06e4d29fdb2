/** One conversation with an agent on the screen: follows its events, and offers what can be done with them. */
import { type Agent, createAgent } from '../../agent/agent.js'
import type { AgentEvent } from '../../agent/agent-options.js'
import { type ApprovalRules, approvals } from '../../agent/approvals.js'
import type { Call, Turn } from '../../agent/conversation.js'
import type { AgentTools } from '../../agent/tools.js'
import type { Model } from '../../models/model.js'
import type { App } from '../page/app.js'
import { describe } from '../page/describe-error.js'
import { h } from '../page/dom.js'
import { agentHistory } from './agent-files.js'
import { approvalQuestion } from './approval-question.js'
import { formatDuration } from './call-card.js'
import { conversationLog } from './conversation-log.js'
import type { Keeper } from './keeper.js'
import { prose } from './prose.js'
import { shownCalls } from './shown-calls.js'
import { streamedAnswer } from './streamed-answer.js'
import { takingBack } from './taking-back.js'
import { cutOffEnd, turnEnd } from './turn-end.js'

export interface Session {
  readonly agent: Agent
  readonly element: HTMLElement
  readonly branches: { count: number; current: number }
  switchBranch(step: 1 | -1): Promise<void>
  send(prompt: string): Promise<Turn | undefined>
  /** Resolves when a conversation that was stored is shown. */
  readonly restored: Promise<void>
  /** Stops, and deletes what is stored. */
  forget(): Promise<void>
}

export interface SessionOptions {
  model: Model
  tools: AgentTools
  system: string
  rules: ApprovalRules
  /** Whether the editor opens what is changed. */
  follows(): boolean
  /** The words that end a turn's line, such as its cost. */
  describeUsage(turn: Turn): string
  /** Something is different: it runs or not, has other branches, or used more. */
  onState(): void
  keeper: Keeper
  /** The user wants to go on with a turn that was cut off: true when there is a model for it. */
  mayContinue(): Promise<boolean>
  /** The user wants to try a prompt again. */
  onRetry(prompt: string): void
  /** Before the files of this conversation are used: another workspace may be shown. */
  beforeFiles?(): Promise<void>
}

export function createSession(app: App, options: SessionOptions): Session {
  const { rules, keeper, follows, describeUsage, onState, onRetry, beforeFiles = async () => {} } = options
  const log = conversationLog()
  const answer = streamedAnswer(log)
  const calls = shownCalls(app, { log, follows })
  const agent = createAgent({
    model: options.model,
    tools: options.tools,
    system: options.system,
    ...(!app.workspace.about.readOnly && { history: agentHistory(app) }),
    approve: approvals({ rules, ask }),
    onEvent,
    // Reading twice does no harm.
    beforeCall: async ({ kind }) => (kind === 'read' ? undefined : keeper.saved()),
  })
  const back = takingBack(app, agent, {
    beforeFiles,
    onBranch: draw,
    onRetry,
    onEnd() {
      offerUndo()
      keeper.save(agent.conversation)
      onState()
    },
  })

  async function ask(call: Parameters<Parameters<typeof approvals>[0]['ask']>[0]) {
    const card = calls.cardOf(call.id)
    const question = approvalQuestion(call, rules)
    card?.ask(question.element)
    log.keepInView()
    const decision = await question.answer
    card?.ask(undefined)
    return decision
  }

  const handlers: { [Type in AgentEvent['type']]: (event: AgentEvent & { type: Type }) => void } = {
    turn: ({ turn }) => log.beginTurn(turn.prompt),
    text: ({ text }) => answer.write('text', text),
    reasoning: ({ text }) => answer.write('reasoning', text),
    writing: (event) => event.tool !== '' && calls.write(event),
    answer: answer.end,
    call: ({ call }) => calls.show(call),
    steered: ({ text }) => log.addSteering(text),
    retry({ failure, delayMs }) {
      answer.drop()
      calls.dropDrafts()
      log.add(h('p', { class: 'remark' }, `${failure.message}. Trying again in ${formatDuration(delayMs)}.`))
    },
    end({ turn }) {
      calls.dropDrafts()
      answer.end()
      addEnd(turn)
      offerUndo()
    },
  }

  function onEvent(event: AgentEvent): void {
    // The table pairs each type with its event.
    ;(handlers[event.type] as (event: AgentEvent) => void)(event)
    if (!isPiece[event.type]) keeper.save(agent.conversation)
    onState()
  }

  function addEnd(turn: Turn): void {
    const undo = (id: string) => void back.undoTurn(id)
    const retry = (id: string, prompt: string) => void back.retry(id, prompt)
    log.add(turnEnd(turn, { describeUsage, undo, retry }))
  }

  /** Only what can be undone is offered, and nothing while the agent works. */
  function offerUndo(): void {
    for (const turn of agent.conversation.turns) {
      for (const { id, changes } of turn.calls) {
        const isUndone = changes.length > 0 && !agent.isUndoable(id)
        const undo = changes.length > 0 ? () => void back.undoCall(id) : undefined
        calls.cardOf(id)?.offerUndo(isUndone ? 'undone' : undo)
      }
      const undo = log.element.querySelector<HTMLButtonElement>(`button[data-turn="${turn.id}"]`)
      if (undo) undo.hidden = !turn.calls.some(({ id }) => agent.isUndoable(id))
    }
  }

  /** The whole conversation again, from its data. */
  function draw(): void {
    answer.drop()
    calls.clear()
    log.clear()
    for (const turn of agent.conversation.turns) drawTurn(turn)
    offerUndo()
    keeper.save(agent.conversation)
  }

  function drawTurn(turn: Turn): void {
    log.beginTurn(turn.prompt)
    for (const message of turn.messages.slice(1)) {
      if (message.role === 'user') log.addSteering(message.text)
      if (message.role !== 'assistant') continue
      for (const part of message.parts) {
        if (part.type === 'text') log.add(h('div', { class: 'answer' }, ...prose(part.text)))
        const call = part.type === 'call' ? turn.calls.find(({ id }) => id === part.id) : undefined
        if (call !== undefined) calls.showAgain(call)
      }
    }
    if (turn.end === undefined) log.add(cutOffEnd(() => void goOn()))
    else addEnd(turn)
  }

  async function goOn(): Promise<void> {
    if (await options.mayContinue()) await go(() => agent.continueTurn())
  }

  async function go(run: () => Promise<Turn>): Promise<Turn | undefined> {
    try {
      await beforeFiles()
      log.element.querySelector('.cut-off')?.remove()
      const turn = await run()
      await calls.allShown()
      return turn
    } catch (error) {
      app.notify(`Could not ask the model: ${describe(error)}`, 'failed')
      return undefined
    } finally {
      onState()
    }
  }

  /** Shows what was stored, and asks again what was asked when its page ended: the model is asked only after the answer. */
  async function restore(): Promise<void> {
    const stored = await keeper.stored
    if (stored === undefined || stored.turns.length === 0) return
    await agent.resume({ conversation: stored })
    draw()
    if (stored.left > 0)
      log.element.prepend(h('p', { class: 'remark' }, `${stored.left} earlier turns were too much to store.`))
    onState()
    const isAsking = ({ state, kind }: Call) => state === 'asking' && kind !== 'read'
    if (stored.turns.at(-1)?.calls.some(isAsking)) void go(() => agent.continueTurn())
  }

  // After this function, whose result `onState` needs.
  const restored = Promise.resolve().then(restore)

  return {
    agent,
    element: log.element,
    get branches() {
      return back.branches
    },
    switchBranch: back.switchBranch,
    restored,
    async send(prompt) {
      await restored
      return go(() => agent.send(prompt))
    },
    async forget() {
      agent.stop()
      await keeper.drop()
    },
  }
}

/** Pieces of an answer, which is stored when it is complete. */
const isPiece: Partial<Record<AgentEvent['type'], true>> = { text: true, reasoning: true, writing: true, retry: true }
