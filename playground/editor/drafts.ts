/** Text that was typed and not stored when the page was left. It is kept for this tab of the browser, and shown again. */
import type { Place } from '../page/place.js'
import { placeLink } from '../page/workspace-places.js'

export interface Draft {
  path: string
  text: string
  /** The versions of the file that it may replace without a question. */
  hashes: readonly string[]
}

const prefix = 'polyfs-draft'

/** Stores the drafts of a workspace in place of those before. Nothing is kept of workspaces that a reload loses anyway. */
export function keepDrafts(place: Place, drafts: readonly Draft[]): void {
  if (place.kind !== 'opfs' && place.kind !== 'folder' && place.kind !== 'server') return
  const key = `${prefix} ${placeLink(place)}`
  try {
    if (drafts.length === 0) sessionStorage.removeItem(key)
    else sessionStorage.setItem(key, JSON.stringify(drafts))
  } catch {
    // No space: the browser's own question before leaving is what remains.
  }
}

/** The drafts of a workspace, each returned once. */
export function takeDrafts(place: Place): Draft[] {
  const key = `${prefix} ${placeLink(place)}`
  const kept = sessionStorage.getItem(key)
  sessionStorage.removeItem(key)
  return kept === null ? [] : JSON.parse(kept)
}
