/** Names in the browser's storage, apart from the code that reads it: a page that only deletes a workspace needs no more. */

/** Held by every tab that has the trees of this name open. */
export function treesLock(name: string): string {
  return `polyfs:trees:${name}`
}

/** Journals are stored beside the trees, under a prefix that no tree may have. */
export const journalPrefix = '.polyfs-journal-'

/** The same for packs. */
export const packPrefix = '.polyfs-pack-'
