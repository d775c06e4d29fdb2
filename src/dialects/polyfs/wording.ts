/** Words every failure: what is wrong, and what to do next. */
import type {
  ArchiveFault,
  EditExplanation,
  EditFailureCause,
  GitRefusal,
  InputIssue,
  PathClash,
} from '../../errors.js'
import { displayPath as fullPath, shownPath } from '../../ops/shared/display-path.js'
import { cutUnits, splitLines } from '../../text/lines/lines.js'
import { printable } from '../../text/printable.js'
import { forbiddenWords, unapprovedWords, type Wording } from '../../tools/wording.js'
import type { Workspace } from '../../workspace/workspace.js'
import { characterName, encodingName } from './encodings.js'
import { overlapMessage } from './overlap-wording.js'
import { wordMismatch } from './patch-wording.js'
import { some } from './print.js'

/** What is wrong, and what to do next. */
export type Message = [wrong: string, next: string]

/** As `displayPath` of all dialects; a very long path is cut. */
export function displayPath(path: string, workspace: Workspace): string {
  const name = fullPath(path, workspace) || '.'
  return name.length <= maxPathUnits ? name : `${cutUnits(name, maxPathUnits)}…`
}

const maxPathUnits = 300

function about(wrong: (path: string) => string, next: string) {
  return ({ path }: { path: string }, workspace: Workspace): Message => [wrong(displayPath(path, workspace)), next]
}

export const wording: Wording<Message> = {
  NOT_FOUND: about((path) => `${path} does not exist.`, 'Look for it with glob or list_dir.'),
  EXISTS: ({ path }, workspace) => [
    `${displayPath(path, workspace)} exists already.`,
    'Choose another name, or delete it first.',
  ],
  NOT_A_DIRECTORY: about((path) => `${path} is not a directory.`, 'Name a directory, or use read_file for a file.'),
  IS_A_DIRECTORY: about((path) => `${path} is a directory.`, 'Use list_dir to see what is in it.'),
  NOT_EMPTY: about((path) => `${path} is a directory that is not empty.`, 'Delete it with recursive: true.'),
  SPECIAL_FILE: about(
    (path) => `${path} is a device, socket or pipe, which file tools do not open.`,
    'Choose a regular file.',
  ),
  IS_LINK: about((path) => `${path} is a symbolic link.`, 'Name its target; file_info shows it.'),
  NOT_A_LINK: about((path) => `${path} is not a symbolic link.`, 'Use file_info to see what it is.'),
  LINK_LOOP: about((path) => `The links at ${path} lead in a circle.`, 'Delete or replace one of them.'),
  OUTSIDE: about(
    (path) => `${path} is outside the workspace, or leads out of it.`,
    'Only what is inside its roots can be reached; the workspace tool lists them.',
  ),
  READ_ONLY: about((path) => `${path} may only be read.`, 'Write elsewhere; the workspace tool shows where.'),
  PROTECTED: ({ path, name }, workspace) => [
    `${displayPath(path, workspace)} is protected: file tools do not write ${printable(name)}.`,
    name === '.git' ? 'Use git.' : 'Ask the user to change it, or to lift the protection.',
  ],
  FORBIDDEN: (facts, workspace) => [
    `${displayPath(facts.path, workspace)}: ${forbiddenWords(facts)}, whether it exists or not. Nothing was done.`,
    'Do without it, or ask the user.',
  ],
  NEEDS_APPROVAL: (facts, workspace) => [
    `${displayPath(facts.path, workspace)}: ${unapprovedWords(facts)}. Nothing was done.`,
    facts.refused === undefined ? 'Ask the user to do it, or to allow it.' : 'Do without it, or ask the user.',
  ],
  IS_ROOT: about((path) => `${path} is a root of the workspace.`, 'It stays; move or delete what is in it instead.'),
  ROOT_GONE: ({ path }, workspace) => [
    `The root directory ${shownPath(path, workspace)} was removed or replaced since the server was started.`,
    'Ask the user to restart the server.',
  ],
  DENIED: about((path) => `The system refuses access to ${path}.`, 'Ask the user for the permission, or leave it out.'),
  INVALID_PATH: ({ path, reason }, workspace) => [
    `"${displayPath(path, workspace)}" is not a usable path (${reason}).`,
    'Give a plain path, from the workspace root or absolute.',
  ],
  INTO_ITSELF: about((path) => `${path} can't go into itself.`, 'Choose a destination outside of it.'),
  CROSS_DEVICE: about((path) => `${path} lies on another file system than its destination.`, 'Use copy, then delete.'),
  BUSY: ({ path, lock }, workspace) =>
    lock === undefined
      ? [`${displayPath(path, workspace)} is in use by someone else.`, 'Try again in a moment.']
      : [
          `${displayPath(path, workspace)} has a lock whose holder is gone.`,
          `Ask the user to remove ${shownPath(lock, workspace)}, then try again.`,
        ],
  NO_SPACE: about((path) => `No space is left for ${path}.`, 'Delete what is not needed, then try again.'),
  TOO_MANY_OPEN: about((path) => `Too many files are open to open ${path}.`, 'Try again with fewer calls at once.'),
  TOO_LARGE: ({ path, size, limit, files }, workspace) =>
    files === undefined
      ? [
          `${displayPath(path, workspace)} has ${size} bytes, more than the ${limit} that are read or edited whole.`,
          'Read a part with offset and limit, or search it with grep.',
        ]
      : [
          `${files} files up to ${displayPath(path, workspace)} have ${size} bytes before and after, more than the ${limit} that one call edits.`,
          'Nothing was changed. Edit fewer files at a time.',
        ],
  UNENCODABLE: ({ path, encoding, character }, workspace) => [
    `${encodingName(encoding)}, the encoding of ${displayPath(path, workspace)}, has no ${characterName(character)}.`,
    'Nothing was changed. Use characters that it has, or write the whole file with encoding "utf-8".',
  ],
  WRONG_ENCODING: ({ path, encoding }, workspace) => [
    `${displayPath(path, workspace)} is ${encoding}.`,
    'Replace the whole file with write_file.',
  ],
  BINARY: about((path) => `${path} is binary.`, 'Read bytes with format: "base64", or replace it with write_file.'),
  LINE_OUT_OF_RANGE: ({ path, line, lineCount }, workspace) => [
    `${displayPath(path, workspace)} has ${lineCount} lines; there is no line ${line}.`,
    lineCount === 0 ? 'It is empty; write_file fills it.' : `Use 1 to ${lineCount}, or a negative number from the end.`,
  ],
  NO_MATCH: ({ path, edit, explanation, also = [], files }, workspace) =>
    files === undefined
      ? [
          `old_string${ofEdit(edit)} is not in ${displayPath(path, workspace)}: ${causes[explanation.cause]}${at(explanation)}.${alsoNotIn(also, workspace)}`,
          advice(explanation),
        ]
      : files === 0
        ? [
            `No text file below ${displayPath(path, workspace)} matches glob.`,
            'Use the glob tool to see which files exist.',
          ]
        : [
            `old_string${ofEdit(edit)} is in none of the ${files} files that glob selects.`,
            'Nothing was changed. Search for a part of it with grep.',
          ],
  AMBIGUOUS_MATCH: ({ path, edit, lines, count, rule }, workspace) => [
    `old_string${ofEdit(edit)} is in ${displayPath(path, workspace)} ${count} times, at lines ${some(lines)}${tolerated(rule)}.`,
    'Add surrounding lines to make it unique, name start_line and end_line, or set replace_all.',
  ],
  UNEXPECTED_COUNT: ({ expected, actual, files }, workspace) => [
    `There are ${actual} places, not ${expected}: ${countsIn(files, workspace)}.`,
    'Nothing was changed. Look at the places with grep, then correct the edit or expected_count.',
  ],
  NO_CHANGE: ({ path, edit }, workspace) => [
    `${displayPath(path, workspace)} already has the replacement${ofEdit(edit)}.`,
    'There is nothing to do; leave the edit out.',
  ],
  INVALID_EDIT: ({ path, edit, reason, group }, workspace) => [
    `Edit ${edit + 1} of ${displayPath(path, workspace)} makes no sense: ${reasonOf(reason)}${groupOf(group)}.`,
    'Correct it and send all edits again; none was made.',
  ],
  STALE: about(
    (path) => `${path} has changed since it was read or listed.`,
    'Read it again, then decide anew what to change.',
  ),
  CONFLICT: ({ path, overlaps = [] }, workspace) =>
    overlaps.length > 0
      ? overlapMessage(overlaps, (at) => displayPath(at, workspace))
      : [
          `${displayPath(path, workspace)} was changed by someone else in the meantime; that version was kept.`,
          'Read it again, then repeat what still applies.',
        ],
  UNKNOWN_POINT: ({ point }) => [
    point === 'the newest change'
      ? 'There is no change to undo.'
      : `The history has no "${printable(cutUnits(point, 80))}".`,
    'Use history with action "list" to see changes and checkpoints.',
  ],
  NOT_UNDOABLE: ({ point, reason }) =>
    reason === undefined
      ? [`${point} is a checkpoint and changed nothing.`, 'Use history with action "restore" to go back to it.']
      : [
          reason === 'purged'
            ? `What ${point} replaced was purged from the history, so it can't be undone.`
            : `What ${point} replaced was too large for the history, so it can't be undone.`,
          'Restore the files by other means, such as git.',
        ],
  MALFORMED_PATCH: ({ line, reason }) => [
    `The patch can't be read at line ${line}: ${reason}.`,
    'Send a unified diff (---, +++, @@) or a block from *** Begin Patch to *** End Patch.',
  ],
  CLASHING_PATHS: ({ path, other, reason }, workspace) => [
    clashes[reason](displayPath(path, workspace), displayPath(other, workspace)),
    'Nothing was changed. Name each entry and each destination once.',
  ],
  REPEATED_PATH: about((path) => `The patch has several blocks for ${path}.`, 'Put them into one.'),
  PATCH_MISMATCH: (facts, workspace) => {
    const [wrong, next] = wordMismatch(facts, displayPath(facts.path, workspace))
    return [wrong, `Nothing was changed. ${next}`]
  },
  INVALID_PATTERN: ({ pattern, reason }) => [
    `The pattern "${printable(cutUnits(pattern, 120))}" can't be understood: ${reason}.`,
    'Correct it.',
  ],
  PATTERN_TOO_COMPLEX: ({ pattern, reason }) => [
    `The pattern "${printable(cutUnits(pattern, 120))}" would take too long: ${reason}.`,
    'Make it simpler, for instance without nested repetition or back-references.',
  ],
  NOT_A_REPOSITORY: about(
    (path) => `There is no git repository at ${path} or above.`,
    'Make one with git and action "init".',
  ),
  GIT_REFUSED: ({ reason, subject, paths = [] }) => [
    `git: ${gitReasons[reason][0]}${subject === undefined ? '' : `: ${printable(cutUnits(subject, 120))}`}${listed(paths)}.`,
    gitReasons[reason][1],
  ],
  BAD_ARCHIVE: ({ path, reason, entry }, workspace) => [
    `The archive${path === undefined ? '' : ` ${displayPath(path, workspace)}`} is refused: ${archiveFaults[reason]}${entry === undefined ? '' : ` (${printable(cutUnits(entry, 120))})`}.`,
    archiveAdvice[reason] ?? 'Nothing was unpacked. Make or get another archive; no option allows it.',
  ],
  ARCHIVE_TOO_LARGE: ({ what, limit, entry }) => [
    `The archive has more than the ${limit} allowed (${what})${entry === undefined ? '' : `: ${printable(cutUnits(entry, 120))}`}.`,
    'Nothing was done. Take part of it with include, or a smaller one.',
  ],
  UNSUPPORTED: ({ path, operation }, workspace) =>
    operation === 'clone'
      ? [
          'This workspace was given no network to clone from.',
          'Ask the user for a copy, or to allow the network (--allow-network, or network in a page).',
        ]
      : [
          `${operation} is not possible at ${displayPath(path, workspace)}: the file system lacks it.`,
          'The workspace tool lists what is supported.',
        ],
  INVALID_INPUT: ({ issues }) => [
    `Invalid arguments: ${issues.map(wordIssue).join('; ')}.`,
    'Correct them and call again.',
  ],
  UNKNOWN_TOOL: ({ name }) => [
    `There is no tool "${printable(cutUnits(name, 80))}" here.`,
    'Use one of those listed; some are not offered in a read-only workspace or without a shell.',
  ],
  ANSWER_GONE: () => [
    'The rest of that answer is not stored any more; the call was not made again, and nothing was changed.',
    'Check the current state with history, git status or list_dir.',
  ],
  OVERLOADED: ({ what }) => [
    `Too many ${what} are running, and this one was not started.`,
    'Try again in a moment, with fewer at once.',
  ],
  ABORTED: () => ['The call was cancelled; nothing was changed by it.', 'Call again if it is still wanted.'],
  INTERNAL: () => ['An error inside the server.', 'Try once more; if it fails again, tell the user.'],
  IO: ({ path, detail }, workspace) => [
    `The file system failed at ${displayPath(path, workspace)}: ${detail}.`,
    'Try again; if it fails again, tell the user.',
  ],
}

const clashes: Readonly<Record<PathClash, (path: string, other: string) => string>> = {
  'same-source': (path) => `${path} is to go to several places.`,
  'same-target': (path, other) => `Both ${path} and ${other} would become the same entry.`,
  'into-moved': (path, other) => `${path} lies in ${other}, which is moved away by the same call.`,
}

/** Files to name in a message. */
const mostCounted = 20

function countsIn(files: readonly { path: string; count: number }[], workspace: Workspace): string {
  if (files.length === 0) return 'in no file'
  const named = files.slice(0, mostCounted).map(({ path, count }) => `${displayPath(path, workspace)} ${count}`)
  return named.join(', ') + (files.length > mostCounted ? `, and ${files.length - mostCounted} files more` : '')
}

function alsoNotIn(also: readonly string[], workspace: Workspace): string {
  if (also.length === 0) return ''
  const named = also.slice(0, 3).map((path) => displayPath(path, workspace))
  return ` Nor is it in ${named.join(', ')}${also.length > 3 ? ` and ${also.length - 3} files more` : ''}.`
}

const archiveFaults: Readonly<Record<ArchiveFault, string>> = {
  'not-an-archive': 'it is not a zip archive',
  damaged: 'it is cut off or damaged',
  ambiguous: 'programs would read different files from it',
  outside: 'a name leads out of the directory it is unpacked in',
  'invalid-name': 'a name that can not be used, or that Windows takes for a path (with a backslash)',
  'reserved-name': 'a name that Windows reserves, or takes for another file (with a colon)',
  'protected-name': 'a name inside .git',
  'name-too-long': 'a name that is too long',
  link: 'a symbolic link',
  'special-file': 'a device, pipe or socket',
  'duplicate-name': 'the same name twice',
  'file-and-directory': 'a name that is a file and a directory',
  'contradictory-entry': 'an entry that contradicts itself',
  'wrong-size': 'an entry of another size than it says',
  'wrong-checksum': 'an entry whose checksum is wrong',
  'overlapping-entries': 'entries that overlap',
  encrypted: 'it is encrypted',
  'unknown-compression': 'a compression that is not known here',
  split: 'it is one part of several',
}

const renameFirst = 'Nothing was unpacked. Get an archive in which that file has another name; no option allows it.'
const archiveAdvice: Partial<Readonly<Record<ArchiveFault, string>>> = {
  'invalid-name': renameFirst,
  'reserved-name': renameFirst,
}

const gitReasons: Readonly<Record<GitRefusal, Message>> = {
  'unknown-revision': ['there is no such revision', 'Use a branch, a tag or a hash that log shows.'],
  'ambiguous-revision': ['several revisions begin like this', 'Give more of the hash.'],
  'invalid-name': ['git does not allow this name', 'Use letters, digits, - and /, without a - in front.'],
  'branch-exists': ['the branch exists already', 'Choose another name, or check it out.'],
  'unknown-branch': ['there is no such branch', 'Use branch without a name to list them.'],
  'name-conflict': [
    'a branch can not exist beside one whose name continues it with a slash',
    'Choose another name, or delete the other branch.',
  ],
  'no-merge-base': ['the two revisions have no commit in common', 'Compare them with two dots, a..b.'],
  'checked-out-elsewhere': [
    'the branch is checked out in another working tree',
    'Work there, or make a branch of your own with create.',
  ],
  'current-branch': ['it is the branch that is checked out', 'Check out another one first.'],
  'not-merged': ['the branch has commits that are nowhere else', 'Merge it first, or force the deletion.'],
  'no-commits': ['there is no commit yet', 'Commit something first.'],
  'nothing-to-commit': ['nothing is staged', 'Use add first; status shows what has changed.'],
  'missing-author': ['there is no author', 'Give author, or let the user set user.name and user.email.'],
  'missing-message': ['the message is empty', 'Say in message what the commit does.'],
  unmerged: ['there are conflicts', 'Solve them in the files, then add these.'],
  'under-way': [
    'something has been begun that is not finished',
    'Commit it without amend, or take it back with merge and abort.',
  ],
  'nothing-to-abort': ['no merge or cherry-pick is in progress', 'status shows what is.'],
  'unsupported-merge': [
    'a merge of this kind is not supported',
    'Merge an earlier commit of it first, or let the user merge.',
  ],
  'would-overwrite': ['changes that are in no commit would be lost', 'Commit them first, or force it.'],
  'in-the-way': ['other files are in the way', 'Move or delete those first, or name them too.'],
  'unsupported-attribute': [
    'the file has an attribute by which git would change it, which is not supported here',
    'Add it with git in a shell, and other files by naming them.',
  ],
  ignored: ['ignore rules keep it out', 'Leave it out, or force it.'],
  'unmatched-path': ['the path neither exists nor is tracked', 'Look with status or list_dir.'],
  'other-repository': ['the path lies in another repository', 'Call git with a path in that one.'],
  'unsafe-tree': ['the tree names what must not be written', 'It can not be checked out here.'],
  'unsupported-repository': ['the repository needs what is not supported here', 'Use git in a shell instead.'],
  'damaged-repository': ['something in the repository is missing or broken', 'Let the user repair it with git fsck.'],
  'too-large': [
    'the repository holds more than can be read at once',
    'Name fewer paths or another revision, or use git in a shell.',
  ],
  'repository-exists': ['there is a repository already', 'Use it as it is.'],
  network: ['the other side could not be reached, or refused', 'Check the address, and that the network allows it.'],
  'unknown-repository': ['the server has no such repository', 'Check the address with the user.'],
  'login-required': [
    'the server requires a login, and the address has none or it was refused',
    'Check the address; for a private repository ask the user for a copy.',
  ],
  'not-a-git-server': [
    'no git server answers at the address',
    'Give the address that git clone takes, not that of a web page.',
  ],
  'cross-origin': [
    'the server can not be reached, or does not let this page read it (CORS)',
    'Clone from a server that does, or ask the user to give the page a corsProxy.',
  ],
}

function listed(paths: readonly string[]): string {
  if (paths.length === 0) return ''
  return ` (${paths
    .slice(0, 5)
    .map((path) => printable(cutUnits(path, 80)))
    .join(', ')}${paths.length > 5 ? ', …' : ''})`
}

/** With only one edit, its number says nothing. */
function ofEdit(edit: number): string {
  return edit === 0 ? '' : ` of edit ${edit + 1}`
}

const causes: Readonly<Record<EditFailureCause, string>> = {
  'tabs-and-spaces': 'the file has tabs where it has spaces, or the other way round',
  whitespace: 'it differs in white space',
  'line-endings': 'it differs in line endings',
  'byte-order-mark': 'it has a byte-order mark, which is not part of the text',
  'escaped-text': 'it is escaped differently',
  'line-number-prefixes': 'it carries the line numbers of read_file',
  'look-alike-characters': 'it has characters that only look alike, such as typographic quotes',
  'letter-case': 'it differs in upper and lower case',
  'already-applied': 'the replacement is already in the file',
  'matches-earlier-version': 'it was in an earlier version; the file has been changed since',
  'similar-text': 'the file has only similar text',
  'other-lines': 'it is on other lines',
  absent: 'the file has nothing similar',
}

function at({ cause, lines, nearest }: EditExplanation): string {
  if (cause === 'absent') return ''
  if (lines !== undefined && lines.length > 0) return ` (line ${some(lines)})`
  return nearest === undefined ? '' : ` (line ${nearest.line})`
}

function advice({ cause, suggestion, lines, nearest }: EditExplanation): string {
  if (cause === 'already-applied') return 'There is nothing to do.'
  if (cause === 'other-lines') return 'Name the lines it is on, or leave start_line and end_line out.'
  if (suggestion === undefined) {
    const there = cause === 'absent' ? undefined : shownLines(nearest)
    return there === undefined ? 'Read the file again and copy the text from it.' : `The file has:\n${there}`
  }
  if (!suggestion.isWellFormed())
    return 'There are bytes in it that are not UTF-8, and can not be sent: give a part without them, or replace whole lines by start_line and end_line.'
  if (suggestion.length > maxSuggestionUnits) {
    const first = lines?.[0] ?? nearest?.line ?? 1
    return `Read the ${splitLines(suggestion).length} lines from line ${first} on, and copy the text from them.`
  }
  // Line endings need not match: lines sent with LF take the endings of the file.
  return `Send this as old_string instead:\n${suggestion.replace(/\r\n?/g, '\n')}`
}

const maxSuggestionUnits = 2000

/** With their numbers, as they are read; undefined where that would be long. */
function shownLines(nearest: EditExplanation['nearest']): string | undefined {
  if (nearest === undefined || nearest.text.length > maxShownUnits || !nearest.text.isWellFormed()) return undefined
  return splitLines(nearest.text)
    .map((text, index) => `${nearest.line + index}\t${text}`)
    .join('\n')
}

const maxShownUnits = 600

function tolerated(rule: string): string {
  return rule === 'exact' || rule === 'line-endings' ? '' : ` (found by ${rule})`
}

function reasonOf(reason: string): string {
  if (reason === 'overlaps-earlier-edit')
    return 'its lines were changed by an earlier edit of this call; put it before that one'
  if (reason === 'too-many-places') return 'it is found at too many places; name fewer of them'
  return reason.replaceAll('-', ' ')
}

function groupOf(group: { reference: number; count: number } | undefined): string {
  return group === undefined ? '' : ` ($${group.reference}, of ${group.count} groups)`
}

/** Of parameters whose form is not plain from their type. */
const shapes: Readonly<Record<string, string>> = {
  ranges: ', as in [[5, 9], [20]]',
  pairs: ', as in [["old", "new"]]',
  edits: ', as in [{"old_string": "a", "new_string": "b"}]',
}

function wordIssue({ at: place, kind, expected, unit, message }: InputIssue): string {
  const name = place.length === 0 ? 'the arguments' : place.join('.')
  switch (kind) {
    case 'missing':
      return `${name} is required`
    case 'unknown-key':
      return `${place.length === 0 ? '' : `${name}.`}${printable(cutUnits(expected ?? '', 80))} is not known`
    case 'wrong-type':
      return `${name} must be ${/^[aeio]/.test(expected ?? '') ? 'an' : 'a'} ${expected}${shapes[name] ?? ''}`
    case 'too-small':
      return `${name} must be at least ${expected}${unit ? ` ${unit}` : ''}`
    case 'too-big':
      return `${name} must be at most ${expected}${unit ? ` ${unit}` : ''}`
    case 'not-allowed':
      return `${name} must be one of ${expected}`
    case 'other':
      return `${name}: ${message}`
  }
}
