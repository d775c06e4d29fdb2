/** The commands of git that exist, and those that do not. */
import type { GitContext } from '../context.js'
import { add, clean, mv, rm } from './add.js'
import { am } from './am.js'
import { apply, formatPatch } from './apply.js'
import { archive } from './archive.js'
import { bisect } from './bisect.js'
import { blame } from './blame.js'
import { branch } from './branch.js'
import { checkIgnore } from './check-ignore.js'
import { checkout, switchBranch } from './checkout.js'
import { pick } from './cherry-pick.js'
import { clone } from './clone.js'
import { commit } from './commit.js'
import { config, init } from './config.js'
import { countObjects } from './count-objects.js'
import { diff, diffPlumbing } from './diff.js'
import { fetch, lsRemote } from './fetch.js'
import { grep } from './grep.js'
import { log, reflog, show, whatchanged } from './log.js'
import { merge } from './merge.js'
import { fsck, gc, helpWith, version } from './misc.js'
import { catFile, commitTree, hashObject, writeTree } from './plumbing/cat-file.js'
import { lsFiles, lsTree } from './plumbing/ls-files.js'
import { describe, forEachRef, mergeBase, nameRev, showRef, symbolicRef, updateRef } from './plumbing/refs.js'
import { revList, shortlog } from './plumbing/rev-list.js'
import { revParse } from './plumbing/rev-parse.js'
import { readTree, updateIndex } from './plumbing/update-index.js'
import { pull } from './pull.js'
import { push } from './push.js'
import { rebase } from './rebase.js'
import { remote } from './remote.js'
import { reset } from './reset.js'
import { restore } from './restore.js'
import { stash } from './stash.js'
import { status } from './status.js'
import { tag } from './tag.js'
import { worktree } from './worktree.js'

export type Command = (context: GitContext, args: readonly string[]) => Promise<number>

export const commands: Readonly<Record<string, Command>> = {
  add,
  am,
  annotate: blame,
  apply,
  archive,
  bisect,
  blame,
  branch,
  'cat-file': catFile,
  'check-ignore': checkIgnore,
  checkout,
  'cherry-pick': (context, args) => pick(context, args, 'cherry-pick'),
  clean,
  clone,
  commit,
  'commit-tree': commitTree,
  config,
  'count-objects': countObjects,
  describe,
  diff,
  'diff-files': (context, args) => diffPlumbing(context, args, 'diff-files'),
  'diff-index': (context, args) => diffPlumbing(context, args, 'diff-index'),
  'diff-tree': (context, args) => diffPlumbing(context, args, 'diff-tree'),
  fetch,
  'for-each-ref': forEachRef,
  'format-patch': formatPatch,
  fsck,
  gc,
  grep,
  'hash-object': hashObject,
  help: helpWith(() => Object.keys(commands)),
  init,
  log: (context, args) => log(context, args),
  'ls-files': lsFiles,
  'ls-remote': lsRemote,
  'ls-tree': lsTree,
  merge,
  'merge-base': mergeBase,
  mv,
  'name-rev': nameRev,
  pull,
  push,
  'read-tree': readTree,
  rebase,
  reflog,
  remote,
  reset,
  restore,
  'rev-list': revList,
  'rev-parse': revParse,
  revert: (context, args) => pick(context, args, 'revert'),
  rm,
  shortlog,
  show,
  'show-ref': showRef,
  stage: add,
  stash,
  status,
  switch: switchBranch,
  'symbolic-ref': symbolicRef,
  tag,
  'update-index': updateIndex,
  'update-ref': updateRef,
  version: (context) => version(context),
  whatchanged,
  worktree,
  'write-tree': writeTree,
}

/** Commands of git that are missing here. */
export const missing: ReadonlySet<string> = new Set([
  'bundle',
  'checkout-index',
  'cherry',
  'daemon',
  'difftool',
  'fast-export',
  'fast-import',
  'filter-branch',
  'fmt-merge-msg',
  'gui',
  'gitk',
  'index-pack',
  'instaweb',
  'interpret-trailers',
  'maintenance',
  'merge-file',
  'merge-tree',
  'mergetool',
  'mktag',
  'mktree',
  'notes',
  'pack-objects',
  'pack-refs',
  'patch-id',
  'prune',
  'range-diff',
  'repack',
  'replace',
  'request-pull',
  'rerere',
  'send-email',
  'show-branch',
  'sparse-checkout',
  'submodule',
  'subtree',
  'unpack-objects',
  'var',
  'verify-commit',
  'verify-pack',
  'verify-tag',
  'check-attr',
  'check-ref-format',
  'check-mailmap',
  'credential',
  'stripspace',
  'shell',
  'svn',
])
