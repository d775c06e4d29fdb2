/** The agent: a conversation with a model that works on the open workspace, or with a script that shows how. Loaded when it is first opened. */
import { type ApprovalRules, cautiousRules } from '../../agent/approvals.js'
import type { Turn } from '../../agent/conversation.js'
import { toJsonl, toMarkdown } from '../../agent/transcript.js'
import { addUsage, costOf, type Usage } from '../../models/usage.js'
import type { App } from '../page/app.js'
import { openMenu } from '../page/dialogs.js'
import { button, download, h, iconButton } from '../page/dom.js'
import { agentTools } from './agent-files.js'
import { showApprovals } from './approvals-dialog.js'
import { formatDuration } from './call-card.js'
import { chosenModel } from './chosen-model.js'
import { composer } from './composer.js'
import { demoModel } from './demo.js'
import { demoVisit } from './demo-visit.js'
import { keeperOf, noKeeper } from './keeper.js'
import { createSession, type Session, type SessionOptions } from './session.js'
import '../page/form.css'
import './agent.css'
import { describeModel, loadSettings } from './settings.js'
import { askForModel } from './settings-dialog.js'

const instructions =
  'You are an agent that works on the files of the user with the tools you have. Look before you change, change no more than was asked, and say in a few words what you do. Paths are relative to the root of the workspace.'

export interface AgentPanel {
  readonly element: HTMLElement
  startDemo(): Promise<void>
  chooseModel(): Promise<void>
}

export function agentPanel(app: App): AgentPanel {
  const rules: ApprovalRules = { kinds: { ...cautiousRules }, tools: {} }
  const model = chosenModel()
  /** Conversations by workspace, so that one that comes back has its own. */
  const sessions = new Map<string, Session>()
  const demo = demoVisit(app, {
    newSession: (allowed, beforeFiles) =>
      newSession({ model: demoModel(), keeper: noKeeper, rules: allowed, beforeFiles }),
    onState: draw,
  })

  const modelButton = button('', () => void chooseModel(), { class: 'agent-model', title: 'Choose the model' })
  const totals = h('p', { class: 'agent-totals' })
  const branchName = h('span')
  const branchBar = h(
    'span',
    { class: 'branches', hidden: true },
    iconButton('‹', 'Previous branch', () => void shown().switchBranch(-1)),
    branchName,
    iconButton('›', 'Next branch', () => void shown().switchBranch(1)),
  )
  const follow = h('input', { type: 'checkbox', checked: true })
  const place = h('div', { class: 'conversation-place' })
  const message = composer({ onSubmit: () => void submit(), onStop: () => shown().agent.stop() })
  const more = iconButton('⋯', 'Export and more', () => openMore())
  const element = h(
    'section',
    { class: 'panel agent', 'aria-label': 'Agent' },
    h(
      'div',
      { class: 'toolbar' },
      modelButton,
      button('Approvals…', () => showApprovals(rules)),
      h('label', { class: 'inline', title: 'The editor opens what the agent changes' }, follow, 'Follow'),
      branchBar,
      h('span', { class: 'spacer' }),
      more,
    ),
    demo.bar,
    place,
    message.waiting,
    totals,
    message.element,
  )

  app.on('opened', () => {
    if (demo.isMoving) return
    // Its tools would work on other files now.
    for (const { agent } of sessions.values()) agent.stop()
    demo.drop()
    draw()
  })
  setInterval(() => shown().agent.isRunning && drawTotals(), 1000)

  function shown(): Session {
    return demo.session ?? sessions.get(workspaceName()) ?? begin()
  }

  /** `isNew`: not the conversation that is stored. */
  function begin({ isNew = false } = {}): Session {
    const session = newSession({ model, keeper: keeperOf(app, { isNew }), rules })
    sessions.set(workspaceName(), session)
    return session
  }

  function workspaceName(): string {
    const { kind, title } = app.workspace
    return `${kind}:${title}`
  }

  function newSession(own: Pick<SessionOptions, 'model' | 'keeper' | 'rules' | 'beforeFiles'>): Session {
    const session: Session = createSession(app, {
      ...own,
      mayContinue: async () => model.isChosen() || chooseModel(),
      tools: agentTools(app),
      system: loadSettings()?.system || instructions,
      follows: () => follow.checked,
      describeUsage: (turn) => describeUsage([turn]),
      onState: () => shown() === session && draw(),
      onRetry: message.fill,
    })
    session.element.append(
      emptyConversation({ chooseModel: () => void chooseModel(), startDemo: () => void startDemo() }),
    )
    return session
  }

  async function submit(): Promise<void> {
    const text = message.text()
    if (text === '') return
    await shown().restored
    const { agent } = shown()
    if (agent.isRunning) {
      message.clear()
      agent.steer(text)
      return draw()
    }
    await demo.end()
    if (!model.isChosen() && !(await chooseModel())) return
    message.clear()
    const session = shown()
    draw()
    await session.send(text)
  }

  /** True when there is one now. */
  async function chooseModel(): Promise<boolean> {
    if (shown().agent.isRunning) {
      app.notify('The model can be changed when the agent has ended')
      return false
    }
    const isChosen = await askForModel()
    if (isChosen) model.forget()
    draw()
    if (isChosen) message.focus()
    return isChosen
  }

  async function startDemo(): Promise<void> {
    if (shown().agent.isRunning) return app.notify('The agent is at work: stop it first')
    await demo.start()
  }

  function draw(): void {
    const session = shown()
    const { agent, branches } = session
    if (place.firstChild !== session.element) place.replaceChildren(session.element)
    modelButton.textContent = modelName()
    message.draw(agent)
    branchBar.hidden = branches.count < 2
    branchName.textContent = `Branch ${branches.current + 1} of ${branches.count}`
    drawTotals()
    demo.draw()
  }

  function modelName(): string {
    if (demo.session) return 'Demo script'
    const settings = loadSettings()
    return settings === undefined ? 'Choose a model…' : describeModel(settings)
  }

  function drawTotals(): void {
    const { turns } = shown().agent.conversation
    totals.textContent = turns.length === 0 ? '' : [describeUsage(turns), formatDuration(timeOf(turns))].join(' · ')
  }

  function openMore(): void {
    const { left, bottom } = more.getBoundingClientRect()
    const session = shown()
    openMenu({ x: left, y: bottom }, [
      { label: 'New conversation', run: () => void startAnew() },
      { label: 'Export as Markdown', run: () => save('md', toMarkdown) },
      { label: 'Export as JSON Lines', run: () => save('jsonl', toJsonl) },
    ])

    function save(ending: string, write: typeof toMarkdown): void {
      const { conversation } = session.agent
      if (conversation.turns.length === 0) {
        app.notify('There is no conversation to export yet')
        return
      }
      const name = demo.session ? 'demo script' : (loadSettings()?.model ?? '')
      const title = `Agent on ${demo.session ? 'the demo' : app.workspace.title}`
      download(`conversation.${ending}`, write(conversation, { model: name, title }), 'text/plain')
    }
  }

  async function startAnew(): Promise<void> {
    const before = shown()
    before.agent.stop()
    if (demo.session) return demo.end()
    begin({ isNew: true })
    draw()
    message.focus()
    await app.attempt('delete the conversation', () => before.forget())
  }

  draw()
  return {
    element,
    startDemo,
    async chooseModel() {
      await chooseModel()
    },
  }
}

function emptyConversation(actions: { chooseModel(): void; startDemo(): void }): HTMLElement {
  return h(
    'div',
    { class: 'empty agent-empty' },
    h('strong', {}, 'An agent on these files'),
    h(
      'p',
      {},
      'Use a model of yours: any OpenAI-compatible endpoint (Ollama and LM Studio too), Anthropic, or the one in your browser. You see each call, allow or deny it, and undo what you do not like.',
    ),
    h(
      'div',
      { class: 'actions' },
      button('Use your model…', actions.chooseModel, { class: 'primary' }),
      button('Watch the demo', actions.startDemo),
    ),
  )
}

function describeUsage(turns: readonly Turn[]): string {
  const usage = turns.reduce<Usage | undefined>(
    (sum, turn) => (sum && turn.usage ? addUsage(sum, turn.usage) : (turn.usage ?? sum)),
    undefined,
  )
  const calls = turns.reduce((sum, turn) => sum + turn.calls.length, 0)
  const prices = loadSettings()?.prices
  const number = (value: number) => value.toLocaleString('en')
  return [
    `${calls} ${calls === 1 ? 'call' : 'calls'}`,
    usage && `${number(usage.inputTokens)} tokens in, ${number(usage.outputTokens)} out`,
    usage && prices && `cost ${costOf(usage, prices).toFixed(4)}`,
  ]
    .filter((part) => typeof part === 'string')
    .join(' · ')
}

function timeOf(turns: readonly Turn[]): number {
  return turns.reduce((sum, { startedMs, end }) => sum + (end?.atMs ?? Date.now()) - startedMs, 0)
}
