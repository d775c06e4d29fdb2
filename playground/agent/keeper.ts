/** Keeps the conversation about a workspace that a reload brings back, and says so where it can't. */
import type { Conversation } from '../../agent/conversation.js'
import type { App } from '../page/app.js'
import { describe } from '../page/describe-error.js'
import { placeLink } from '../page/workspace-places.js'
import { keptConversation, type StoredConversation } from './conversation-store.js'

export interface Keeper {
  /** What was stored, once that is known. */
  readonly stored: Promise<StoredConversation | undefined>
  save(conversation: Conversation): void
  /** Resolves when all that was given to `save` is stored, or can't be. */
  saved(): Promise<void>
  drop(): Promise<void>
}

/** For a conversation that nobody wants back, such as the demo's. */
export const noKeeper: Keeper = {
  stored: Promise.resolve(undefined),
  save() {},
  saved: async () => {},
  async drop() {},
}

/** `isNew` begins a new conversation, whatever is stored. Nothing is kept about files that a reload loses anyway. */
export function keeperOf(app: App, { isNew }: { isNew: boolean }): Keeper {
  const { kind, about } = app.workspace
  if (kind !== 'opfs' && kind !== 'folder' && kind !== 'server') return noKeeper
  const opening = keptConversation(`${placeLink(app.workspace)} ${about.root}`, {
    isNew,
    onFault: (error) =>
      app.notify(`The conversation is no longer stored, so a reload loses it: ${describe(error)}`, 'failed'),
  }).catch((error: unknown) => {
    app.notify(`The conversation can’t be stored, so a reload loses it: ${describe(error)}`, 'failed')
    return undefined
  })
  const stored = opening.then((kept) => {
    if (kept?.isElsewhere)
      app.notify('Another tab has a conversation about these files. It stays there; this tab has its own.')
    return kept?.stored
  })
  return {
    stored,
    save: (conversation) => void opening.then((kept) => kept?.save(conversation)),
    saved: async () => (await opening)?.saved(),
    drop: async () => (await opening)?.drop(),
  }
}
