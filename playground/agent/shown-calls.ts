/** The calls of a conversation on the screen, from the first piece that the model writes of them to what they have changed. */
import type { Call } from '../../agent/conversation.js'
import type { App } from '../page/app.js'
import { changesBody } from './call-body.js'
import { type CallCard, callCard } from './call-card.js'
import type { ConversationLog } from './conversation-log.js'
import { changedTexts, showInEditor } from './show-work.js'

export interface ShownCalls {
  cardOf(id: string): CallCard | undefined
  /** Shows a piece of a call that is still being written. */
  write(piece: { id: string; tool: string; text: string }): void
  /** Takes calls off the screen that were begun, and will not be made. */
  dropDrafts(): void
  /** Shows a call as it is now. What it has changed is opened in the editor too, if that follows. */
  show(call: Call): void
  /** Shows a call of a conversation that is drawn again. */
  showAgain(call: Call): void
  /** Resolves when all that was changed is shown. */
  allShown(): Promise<void>
  clear(): void
}

/** `follows` says whether the editor opens what is changed. */
export function shownCalls(app: App, { log, follows }: { log: ConversationLog; follows(): boolean }): ShownCalls {
  const cards = new Map<string, CallCard>()
  /** Cards of calls that are still being written, in order. */
  let drafts = new Map<string, CallCard>()
  /** Changes that are being read to be shown. */
  const beingShown = new Set<Promise<void>>()
  /** How many files the user has opened. */
  let opened = 0
  app.on('show', ({ changed }) => {
    if (changed === undefined) opened += 1
  })

  function addCard(tool: string): CallCard {
    const card = callCard(app, tool)
    log.add(card.element)
    return card
  }

  /** Takes the card that showed how the call was written. */
  function newCard({ id, tool }: Call): CallCard {
    const [draftId, draft] = [...drafts].find(([, each]) => each.tool === tool) ?? []
    if (draftId !== undefined) drafts.delete(draftId)
    const card = draft ?? addCard(tool)
    cards.set(id, card)
    return card
  }

  function dropDrafts(): void {
    for (const { element } of drafts.values()) element.remove()
    drafts = new Map()
  }

  async function showChanges(call: Call, card: CallCard, { inEditor }: { inEditor: boolean }): Promise<void> {
    const before = opened
    const { files } = app.workspace
    const found = await changedTexts(app, call.changes).catch(() => undefined)
    if (found === undefined) return
    if (found.texts.length > 0) card.showBody(changesBody(app, call, found))
    // Not over a file that the user has just opened, and not in another workspace.
    if (inEditor && opened === before && files === app.workspace.files) showInEditor(app, found.texts)
    log.keepInView()
  }

  return {
    cardOf: (id) => cards.get(id),
    write({ id, tool, text }) {
      const draft = drafts.get(id) ?? addCard(tool)
      drafts.set(id, draft)
      draft.write(text)
    },
    dropDrafts,
    show(call) {
      const card = cards.get(call.id) ?? newCard(call)
      card.show(call)
      if (call.state !== 'asking') card.ask(undefined)
      log.keepInView()
      if (call.endedMs === undefined || call.changes.length === 0) return
      const shown = showChanges(call, card, { inEditor: follows() })
      beingShown.add(shown)
      void shown.finally(() => beingShown.delete(shown))
    },
    showAgain(call) {
      const card = newCard(call)
      card.show(call)
      if (call.changes.length > 0) void showChanges(call, card, { inEditor: false })
    },
    async allShown() {
      await Promise.all(beingShown)
    },
    clear() {
      dropDrafts()
      cards.clear()
    },
  }
}
