/** The agent: a conversation with a model that works on the open workspace, or with a script that shows how. Loaded when it is first opened. */
import { type ApprovalRules, cautiousRules } from '../../agent/approvals.js'
import type { Turn } from '../../agent/conversation.js'
import { toJsonl, toMarkdown } from '../../agent/transcript.js'
import type { Model } from '../../models/model.js'
import { addUsage, costOf, type Usage } from '../../models/usage.js'
import type { App, Visit } from '../page/app.js'
import { openMenu } from '../page/dialogs.js'
import { button, download, h, iconButton } from '../page/dom.js'
import { samplePlace } from '../page/workspace-places.js'
import { agentTools } from './agent-files.js'
import { showApprovals } from './approvals-dialog.js'
import { formatDuration } from './call-card.js'
import { chosenModel } from './chosen-model.js'
import { demoModel, demoPrompt } from './demo.js'
import { type Keeper, keeperOf, noKeeper } from './keeper.js'
import { createSession, type Session } from './session.js'
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
  const rules: ApprovalRules = { rules: { ...cautiousRules }, tools: {} }
  const model = chosenModel()
  /** Conversations by workspace, so that one that comes back has its own. */
  const sessions = new Map<string, Session>()
  let demo: { session: Session; visit: Visit } | undefined
  let isDemoShown = false
  /** The workspace is changed for the demo, not by the user. */
  let isVisiting = false

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
  const demoBar = h('div', { class: 'banner', hidden: true })
  const place = h('div', { class: 'conversation-place' })
  const prompt = h('textarea', { rows: 2, 'aria-label': 'Message to the agent' })
  const send = h('button', { type: 'submit', class: 'primary' }, 'Send')
  const stop = button('Stop', () => shown().agent.stop(), { hidden: true })
  const waiting = h('p', { class: 'waiting', role: 'status', hidden: true })
  const composer = h('form', { class: 'composer' }, prompt, h('div', { class: 'composer-buttons' }, stop, send))
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
    demoBar,
    place,
    waiting,
    totals,
    composer,
  )

  composer.addEventListener('submit', (event) => {
    event.preventDefault()
    void submit()
  })
  prompt.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
    event.preventDefault()
    void submit()
  })
  app.on('opened', () => {
    if (isVisiting) return
    // Its tools would work on other files now.
    for (const { agent } of sessions.values()) agent.stop()
    demo?.session.agent.stop()
    demo = undefined
    isDemoShown = false
    draw()
  })
  setInterval(() => shown().agent.isRunning && drawTotals(), 1000)

  function shown(): Session {
    if (isDemoShown && demo) return demo.session
    return sessions.get(workspaceName()) ?? begin()
  }

  /** `isNew`: not the conversation that is stored. */
  function begin({ isNew = false } = {}): Session {
    const session = newSession(model, keeperOf(app, { isNew }))
    sessions.set(workspaceName(), session)
    return session
  }

  function workspaceName(): string {
    const { kind, title } = app.workspace
    return `${kind}:${title}`
  }

  function newSession(
    its: Model,
    keeper: Keeper,
    own: ApprovalRules = rules,
    beforeFiles?: () => Promise<void>,
  ): Session {
    const session: Session = createSession(app, {
      model: its,
      keeper,
      mayContinue: async () => model.isChosen() || chooseModel(),
      tools: agentTools(app),
      system: loadSettings()?.system || instructions,
      rules: own,
      follows: () => follow.checked,
      describeUsage: (turn) => describeUsage([turn]),
      onState: () => shown() === session && draw(),
      onRetry(text) {
        prompt.value = text
        prompt.focus()
      },
      ...(beforeFiles && { beforeFiles }),
    })
    session.element.append(emptyConversation())
    return session
  }

  function emptyConversation(): HTMLElement {
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
        button('Use your model…', () => void chooseModel(), { class: 'primary' }),
        button('Watch the demo', () => void startDemo()),
      ),
    )
  }

  async function submit(): Promise<void> {
    const text = prompt.value.trim()
    if (text === '') return
    await shown().restored
    const { agent } = shown()
    if (agent.isRunning) {
      prompt.value = ''
      agent.steer(text)
      return draw()
    }
    await endDemo()
    if (!model.isChosen() && !(await chooseModel())) return
    prompt.value = ''
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
    if (isChosen) prompt.focus()
    return isChosen
  }

  async function startDemo(): Promise<void> {
    if (shown().agent.isRunning) return app.notify('The agent is at work: stop it first')
    await endDemo()
    isVisiting = true
    const visit = await app.attempt('start the demo', () => app.visit({ ...samplePlace(), title: 'Demo' }))
    isVisiting = false
    if (visit === undefined) return
    const allowed: ApprovalRules = { rules: { read: 'allow', add: 'allow', change: 'allow' }, tools: {} }
    const session = newSession(demoModel(), noKeeper, allowed, () => visiting(() => visit.enter()))
    demo = { session, visit }
    isDemoShown = true
    draw()
    await session.send(demoPrompt)
    await visiting(() => visit.leave())
    draw()
  }

  async function visiting(go: () => Promise<void>): Promise<void> {
    isVisiting = true
    await go().finally(() => {
      isVisiting = false
    })
  }

  /** Back to the user's own conversation and files. */
  async function endDemo(): Promise<void> {
    const ended = demo
    if (ended === undefined) return
    ended.session.agent.stop()
    demo = undefined
    isDemoShown = false
    await visiting(() => ended.visit.leave())
    await ended.visit.close()
    draw()
  }

  function draw(): void {
    const session = shown()
    const { agent, branches } = session
    const settings = loadSettings()
    if (place.firstChild !== session.element) place.replaceChildren(session.element)
    modelButton.textContent = isDemoShown
      ? 'Demo script'
      : settings === undefined
        ? 'Choose a model…'
        : describeModel(settings)
    stop.hidden = !agent.isRunning
    send.textContent = agent.isRunning ? 'Steer' : 'Send'
    prompt.placeholder = agent.isRunning
      ? 'Tell it something in the middle…'
      : 'What should the agent do? (Enter sends)'
    waiting.hidden = agent.waiting.length === 0
    waiting.textContent = `Gets it next: ${agent.waiting.join(' / ')}`
    branchBar.hidden = branches.count < 2
    branchName.textContent = `Branch ${branches.current + 1} of ${branches.count}`
    drawTotals()
    drawDemoBar()
  }

  function drawDemoBar(): void {
    demoBar.hidden = !isDemoShown || demo === undefined
    if (demo === undefined || demoBar.hidden) return
    const { visit, session } = demo
    if (session.agent.isRunning) {
      demoBar.replaceChildren(
        h('span', {}, 'The demo works on a sample of its own. Your files come back when it ends.'),
      )
      return
    }
    demoBar.replaceChildren(
      h('span', {}, visit.isHere ? 'These are the demo’s files.' : 'The demo has ended, and your files are back.'),
      visit.isHere
        ? button('Back to your files', () => void visiting(() => visit.leave()).then(draw))
        : button('Look at the demo’s files', () => void visiting(() => visit.enter()).then(draw)),
      button('Close the demo', () => void endDemo()),
    )
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
      const name = isDemoShown ? 'demo script' : (loadSettings()?.model ?? '')
      const title = `Agent on ${isDemoShown ? 'the demo' : app.workspace.title}`
      download(`conversation.${ending}`, write(conversation, { model: name, title }), 'text/plain')
    }
  }

  async function startAnew(): Promise<void> {
    const before = shown()
    before.agent.stop()
    if (isDemoShown) return endDemo()
    begin({ isNew: true })
    draw()
    prompt.focus()
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
