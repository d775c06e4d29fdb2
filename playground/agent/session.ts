/** One conversation with an agent on the screen: follows its events, and offers what can be done with them. */
import { type Agent, type AgentEvent, type Branch, createAgent } from '../../agent/agent.js'
import { type ApprovalRules, approvals } from '../../agent/approvals.js'
import type { Call, Turn } from '../../agent/conversation.js'
import type { AgentTools } from '../../agent/tools.js'
import type { Model } from '../../models/model.js'
import { isFsError, type Overlaps, type UndoOverlap } from '../../src/errors.js'
import type { App } from '../page/app.js'
import { describe } from '../page/describe-error.js'
import { choose } from '../page/dialogs.js'
import { button, h } from '../page/dom.js'
import { agentHistory } from './agent-files.js'
import { approvalQuestion } from './approval-question.js'
import { changesBody } from './call-body.js'
import { type CallCard, callCard, formatDuration } from './call-card.js'
import { describeOverlaps } from './describe-overlaps.js'
import type { Keeper } from './keeper.js'
import { prose } from './prose.js'
import { changedTexts, showInEditor } from './show-work.js'

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
  const { rules, keeper, follows, onState, onRetry, beforeFiles = async () => {} } = options
  const element = h('div', { class: 'conversation', role: 'log', 'aria-label': 'Conversation', tabindex: 0 })
  const cards = new Map<string, CallCard>()
  /** Cards of calls that are still being written, in order. */
  let drafts = new Map<string, CallCard>()
  let turnElement = h('section')
  let answer: { text: string; reasoning: string; element: HTMLElement } | undefined
  let isDrawPlanned = false
  /** What is added does not scroll by itself, so this is where the user has scrolled to. */
  let isAtEnd = true
  element.addEventListener('scroll', () => {
    isAtEnd = element.scrollHeight - element.scrollTop - element.clientHeight < 60
  })
  /** Changes that are being read to be shown. */
  const beingShown = new Set<Promise<void>>()
  /** How many files the user has opened. */
  let opened = 0
  app.on('show', ({ changed }) => {
    if (changed === undefined) opened += 1
  })
  let branches: (Branch | undefined)[] = [undefined]
  let current = 0

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

  async function ask(call: Parameters<Parameters<typeof approvals>[0]['ask']>[0]) {
    const card = cards.get(call.id)
    const question = approvalQuestion(call, rules)
    card?.ask(question.element)
    keepInView()
    const decision = await question.answer
    card?.ask(undefined)
    return decision
  }

  const handlers: { [Type in AgentEvent['type']]: (event: AgentEvent & { type: Type }) => void } = {
    turn: ({ turn }) => beginTurn(turn),
    text: ({ text }) => addText('text', text),
    reasoning: ({ text }) => addText('reasoning', text),
    writing: (event) => event.tool !== '' && draftOf(event).write(event.text),
    answer: endAnswer,
    call: ({ call }) => showCall(call),
    steered: ({ text }) => add(said(text, 'You, in the middle')),
    retry({ failure, delayMs }) {
      dropAnswer()
      add(h('p', { class: 'remark' }, `${failure.message}. Trying again in ${formatDuration(delayMs)}.`))
    },
    end: ({ turn }) => endTurn(turn),
  }

  function onEvent(event: AgentEvent): void {
    // The table pairs each type with its event.
    ;(handlers[event.type] as (event: AgentEvent) => void)(event)
    if (!isPiece[event.type]) keeper.save(agent.conversation)
    onState()
  }

  function add(child: HTMLElement): void {
    turnElement.append(child)
    keepInView()
  }

  /** Follows the end, unless the user reads further up. */
  function keepInView(): void {
    if (isAtEnd) element.scrollTop = element.scrollHeight
  }
  // What appears above or below takes space.
  new ResizeObserver(keepInView).observe(element)

  function beginTurn(turn: Turn): void {
    element.querySelector('.agent-empty')?.remove()
    turnElement = h('section', { class: 'turn', 'aria-label': 'Turn' }, said(turn.prompt, 'You'))
    element.append(turnElement)
    isAtEnd = true
    keepInView()
  }

  function addText(type: 'text' | 'reasoning', text: string): void {
    if (answer === undefined) {
      answer = { text: '', reasoning: '', element: h('div', { class: 'answer' }) }
      add(answer.element)
    }
    answer[type === 'text' ? 'text' : 'reasoning'] += text
    if (isDrawPlanned) return
    isDrawPlanned = true
    requestAnimationFrame(() => {
      isDrawPlanned = false
      drawAnswer()
    })
  }

  function drawAnswer(): void {
    if (answer === undefined) return
    answer.element.replaceChildren(...answerParts(answer))
    keepInView()
  }

  function draftOf({ id, tool }: { id: string; tool: string }): CallCard {
    const known = drafts.get(id)
    if (known) return known
    const card = callCard(app, tool)
    drafts.set(id, card)
    add(card.element)
    return card
  }

  function endAnswer(): void {
    drawAnswer()
    answer = undefined
  }

  function dropAnswer(): void {
    answer?.element.remove()
    answer = undefined
    dropDrafts()
  }

  function dropDrafts(): void {
    for (const { element: draft } of drafts.values()) draft.remove()
    drafts = new Map()
  }

  function showCall(call: Call): void {
    const card = cards.get(call.id) ?? newCard(call)
    card.show(call)
    if (call.state !== 'asking') card.ask(undefined)
    keepInView()
    if (call.endedMs === undefined || call.changes.length === 0) return
    const shown = showChanges(call, card, { inEditor: follows() })
    beingShown.add(shown)
    void shown.finally(() => beingShown.delete(shown))
  }

  /** Takes the card that showed how the call was written. */
  function newCard(call: Call): CallCard {
    const [id, draft] = [...drafts].find(([, { tool }]) => tool === call.tool) ?? []
    if (id !== undefined) drafts.delete(id)
    const card = draft ?? callCard(app, call.tool)
    cards.set(call.id, card)
    if (draft === undefined) add(card.element)
    return card
  }

  async function showChanges(call: Call, card: CallCard, { inEditor }: { inEditor: boolean }): Promise<void> {
    const before = opened
    const { files } = app.workspace
    const found = await changedTexts(app, call.changes).catch(() => undefined)
    if (found === undefined) return
    if (found.texts.length > 0) card.showBody(changesBody(app, call, found))
    // Not over a file that the user has just opened, and not in another workspace.
    if (inEditor && opened === before && files === app.workspace.files) showInEditor(app, found.texts)
    keepInView()
  }

  function endTurn(turn: Turn): void {
    dropDrafts()
    endAnswer()
    add(turnEnd(turn))
    offerUndo()
  }

  function turnEnd(turn: Turn): HTMLElement {
    const { id, prompt, end, startedMs } = turn
    const took = end === undefined ? '' : formatDuration(end.atMs - startedMs)
    const failure = end?.reason === 'failed' ? h('p', { class: 'remark failed' }, end.message) : undefined
    const words = end === undefined ? '' : endings[end.reason]
    const line = [words, options.describeUsage(turn), took].filter((part) => part !== '').join(' · ')
    return h(
      'footer',
      { class: 'turn-end' },
      failure,
      h('span', { class: 'turn-facts' }, line),
      button('Undo this turn', () => void undoTurn(id), { 'data-turn': id }),
      button('Try again from here', () => void retry(id, prompt), {
        title: 'Go back to before this prompt, with the conversation and the files',
      }),
    )
  }

  /** Only what can be undone is offered, and nothing while the agent works. */
  function offerUndo(): void {
    for (const { calls, id: turnId } of agent.conversation.turns) {
      for (const { id, changes } of calls) {
        const isUndone = changes.length > 0 && !agent.isUndoable(id)
        cards.get(id)?.offerUndo(isUndone ? 'undone' : changes.length > 0 ? () => void undoCall(id) : undefined)
      }
      const undo = element.querySelector<HTMLButtonElement>(`button[data-turn="${turnId}"]`)
      if (undo) undo.hidden = !calls.some(({ id }) => agent.isUndoable(id))
    }
  }

  async function withFiles(what: string, run: () => Promise<void>): Promise<void> {
    await app.attempt(what, async () => {
      await beforeFiles()
      await run()
    })
    offerUndo()
    keeper.save(agent.conversation)
    onState()
  }

  const undoCall = (id: string) => undo('undo this call', () => agent.undoCall(id, { overlaps: 'skip' }))
  const undoTurn = (id: string) => undo('undo this turn', () => agent.undoTurn(id, { overlaps: 'skip' }))

  /** Undoes what can be, and says what can't. */
  const undo = (what: string, run: () => Promise<readonly UndoOverlap[]>) =>
    withFiles(what, async () => {
      const overlaps = await run()
      if (overlaps.length > 0)
        app.notify(`Could not ${what} everywhere: ${await describeOverlaps(app, overlaps)}`, 'failed')
    })

  const retry = (id: string, prompt: string) =>
    withFiles('go back', async () => {
      const left = await keepingOthers((overlaps) => agent.rewind(id, { overlaps }))
      if (left === undefined) return
      branches[current] = left
      branches = [...branches, undefined]
      current = branches.length - 1
      draw()
      onRetry(prompt)
    })

  /** Keeps what others have changed. Where that is in the way, the user decides; undefined when they cancel. */
  async function keepingOthers<Result>(run: (overlaps: Overlaps) => Promise<Result>): Promise<Result | undefined> {
    try {
      return await run('refuse')
    } catch (error) {
      const { overlaps = [] } = isFsError(error, 'CONFLICT') ? error.facts : {}
      if (overlaps.length === 0) throw error
      const answer = await choose(
        'Some files were changed since',
        `Not all of the agent’s work can be taken back without what was done since: ${await describeOverlaps(app, overlaps)}. All else that was changed since stays.`,
        [keepTheirs, discardTheirs],
      )
      if (answer === undefined) return undefined
      return run(answer === keepTheirs ? 'skip' : 'discard')
    }
  }

  /** The whole conversation again, from its data. */
  function draw(): void {
    cards.clear()
    drafts = new Map()
    answer = undefined
    element.replaceChildren()
    for (const turn of agent.conversation.turns) drawTurn(turn)
    offerUndo()
    keeper.save(agent.conversation)
  }

  function drawTurn(turn: Turn): void {
    beginTurn(turn)
    for (const message of turn.messages.slice(1)) {
      if (message.role === 'user') add(said(message.text, 'You, in the middle'))
      if (message.role !== 'assistant') continue
      for (const part of message.parts) {
        if (part.type === 'text') add(h('div', { class: 'answer' }, ...prose(part.text)))
        const call = part.type === 'call' ? turn.calls.find(({ id }) => id === part.id) : undefined
        if (call === undefined) continue
        const card = newCard(call)
        card.show(call)
        if (call.changes.length > 0) void showChanges(call, card, { inEditor: false })
      }
    }
    add(turn.end === undefined ? cutOff() : turnEnd(turn))
  }

  function cutOff(): HTMLElement {
    return h(
      'footer',
      { class: 'turn-end cut-off' },
      h('span', { class: 'turn-facts' }, 'interrupted: the page was closed or loaded again'),
      button('Continue', () => void goOn()),
    )
  }

  async function goOn(): Promise<void> {
    if (await options.mayContinue()) await go(() => agent.continueTurn())
  }

  async function go(run: () => Promise<Turn>): Promise<Turn | undefined> {
    try {
      await beforeFiles()
      element.querySelector('.cut-off')?.remove()
      const turn = await run()
      await Promise.all(beingShown)
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
      element.prepend(h('p', { class: 'remark' }, `${stored.left} earlier turns were too much to store.`))
    onState()
    const isAsking = ({ state, kind }: Call) => state === 'asking' && kind !== 'read'
    if (stored.turns.at(-1)?.calls.some(isAsking)) void go(() => agent.continueTurn())
  }

  // After this function, whose result `onState` needs.
  const restored = Promise.resolve().then(restore)

  return {
    agent,
    element,
    get branches() {
      return { count: branches.length, current }
    },
    switchBranch: (step) =>
      withFiles('go to the other branch', async () => {
        const next = (current + step + branches.length) % branches.length
        const branch = branches[next]
        if (branch === undefined) return
        const left = await keepingOthers((overlaps) => agent.resume(branch, { overlaps }))
        if (left === undefined) return
        branches[current] = left
        branches[next] = undefined
        current = next
        draw()
      }),
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

const keepTheirs = 'Keep these changes'
const discardTheirs = 'Discard them'
/** Pieces of an answer, which is stored when it is complete. */
const isPiece: Partial<Record<AgentEvent['type'], true>> = { text: true, reasoning: true, writing: true, retry: true }

const endings = {
  done: '',
  length: 'the answer reached its limit of length',
  refused: 'the model’s host refused to go on',
  steps: 'the limit of steps was reached',
  stopped: 'stopped',
  interrupted: 'interrupted',
  failed: 'failed',
} as const

function said(text: string, who: string): HTMLElement {
  return h('div', { class: 'prompt' }, h('span', { class: 'unseen' }, `${who}: `), text)
}

function answerParts({ text, reasoning }: { text: string; reasoning: string }): HTMLElement[] {
  if (reasoning === '') return prose(text)
  return [h('details', { class: 'reasoning' }, h('summary', {}, 'Thoughts'), h('p', {}, reasoning)), ...prose(text)]
}
