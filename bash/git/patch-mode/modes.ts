/** What hunks are chosen for, with git's words. */

export type Place = 'index' | 'worktree' | 'both'

export interface Mode {
  /** The hunks are taken back. */
  isReverse: boolean
  place: Place
  /** `Stage`, in front of what it is about. */
  verb: string
  /** ` from worktree`, behind it. */
  where: string
  hint: string
  help: string
}

function mode(
  { isReverse, place }: Pick<Mode, 'isReverse' | 'place'>,
  [verb, where, hinted]: [string, string, string],
  [yes, no]: [string, string],
): Mode {
  return {
    isReverse,
    place,
    verb,
    where,
    hint: hinted,
    help: `y - ${yes} this hunk${where}
n - ${no} this hunk${where}
q - quit; ${no} this hunk or any of the remaining ones
a - ${yes} this hunk and all later hunks in the file
d - ${no} this hunk or any of the later hunks in the file
`,
  }
}

const forward = (place: Place) => ({ isReverse: false, place })
const backward = (place: Place) => ({ isReverse: true, place })

export const modes = {
  add: mode(forward('index'), ['Stage', '', 'staging'], ['stage', 'do not stage']),
  stash: mode(forward('index'), ['Stash', '', 'stashing'], ['stash', 'do not stash']),
  unstage: mode(backward('index'), ['Unstage', '', 'unstaging'], ['unstage', 'do not unstage']),
  toIndex: mode(forward('index'), ['Apply', ' to index', 'applying'], ['apply', 'do not apply']),
  discard: mode(backward('worktree'), ['Discard', ' from worktree', 'discarding'], ['discard', 'do not discard']),
  discardBoth: mode(
    backward('both'),
    ['Discard', ' from index and worktree', 'discarding'],
    ['discard', 'do not discard'],
  ),
  toBoth: mode(forward('both'), ['Apply', ' to index and worktree', 'applying'], ['apply', 'do not apply']),
  toWorktree: mode(forward('worktree'), ['Apply', ' to worktree', 'applying'], ['apply', 'do not apply']),
} as const
