import type { ErrorFacts, GitRefusal } from '../../errors.js'
import { quotedName } from '../../text/diff/unified-diff.js'

/** Describes why a git operation was refused, in git's words where they exist. One line, then one for each path. */
export function describeRefusal({ reason, subject = '', paths = [] }: ErrorFacts['GIT_REFUSED']): string {
  const list = paths.map((path) => `\n\t${quotedName(path)}`).join('')
  return sentences[reason](subject) + list
}

const sentences: Record<GitRefusal, (subject: string) => string> = {
  'unknown-revision': (name) => `unknown revision or path not in the working tree: '${name}'`,
  'ambiguous-revision': (name) => `short object ID ${name} is ambiguous`,
  'invalid-name': (name) => `'${name}' is not a valid name`,
  'branch-exists': (name) => `a branch named '${name}' already exists`,
  'unknown-branch': (name) => `branch '${name}' not found`,
  'name-conflict': (name) => `cannot create '${name}' beside these branches:`,
  'no-merge-base': (range) => `${range}: no merge base`,
  'checked-out-elsewhere': (name) => `'${name}' is already checked out at:`,
  'current-branch': (name) => `branch '${name}' is checked out`,
  'not-merged': (name) => `the branch '${name}' is not fully merged`,
  'no-commits': () => 'your current branch does not have any commits yet',
  'nothing-to-commit': () => 'nothing to commit',
  'missing-author': () => 'author identity unknown: give an author, or set user.name and user.email in .git/config',
  'missing-message': () => 'aborting commit due to empty commit message',
  unmerged: () => 'paths are unmerged; fix them up in the work tree, and then add them:',
  'under-way': (what) => `you are in the middle of a ${what}; commit or abort it first`,
  'nothing-to-abort': () => 'there is no merge or cherry-pick to abort',
  'unsupported-merge': (what) => `${what} is not supported by this git`,
  'would-overwrite': () => 'your local changes to the following files would be overwritten by checkout:',
  'in-the-way': () => 'the following files are in the way; move or remove them first:',
  'unsupported-attribute': (name) => `files with the attribute '${name}' cannot be added here; use git itself:`,
  ignored: () => 'the following paths are ignored by one of your .gitignore files:',
  'unmatched-path': () => 'pathspec did not match any files:',
  'other-repository': () => 'paths are outside this repository:',
  'unsafe-tree': (name) => `refusing a tree with the entry '${name}'`,
  'unsupported-repository': (what) => `repository not supported: ${what}`,
  'damaged-repository': (what) => `missing or broken object: ${what}`,
  'too-large': (what) => `too large: ${what}`,
  'repository-exists': (path) => `there is a repository already: ${path}`,
  network: (url) => `could not fetch from ${url}`,
  'unknown-repository': (url) => `repository '${url}' not found`,
  'login-required': (url) => `could not read Username for '${url}'`,
  'not-a-git-server': (url) => `${url}/info/refs not valid: is this a git repository?`,
  'cross-origin': (url) => `could not fetch from ${url}: not reached, or pages may not read it (CORS)`,
}
