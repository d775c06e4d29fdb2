/** `git for-each-ref`, `show-ref`, `symbolic-ref`, `update-ref`, `merge-base`, `describe` and `name-rev`. */

import { dateQueue } from '../../../../src/git/refs/commit-queue.js'
import { mergeBases } from '../../../../src/git/refs/merge-base.js'
import { isRefName } from '../../../../src/git/refs/ref-name.js'
import { readHead } from '../../../../src/git/refs/refs.js'
import type { Repository } from '../../../../src/git/repository.js'
import { change, type GitContext, identity, open } from '../../context.js'
import { indexPairs, workTreePairs } from '../../diff/pairs.js'
import { fatal, GitError } from '../../git-error.js'
import { ancestors } from '../../history/walk.js'
import { abbreviate, peelTags, typeOf } from '../../objects.js'
import { flag, optional, parseGit, value } from '../../options.js'
import { globPattern } from '../../patterns.js'
import { filterRefs, formatRefs, refNameAs, refsBelow, sortRefs } from '../../ref-list.js'
import { noObject, updateRef as writeRef } from '../../reflog.js'
import { commitNamed, findCommit, findObject, tagMessage } from '../../revisions.js'
import { headTree } from '../diff.js'

const listSpecs = {
  format: value('--format'),
  sort: value('--sort'),
  count: value('--count'),
  contains: value('--contains'),
  noContains: value('--no-contains'),
  merged: value('--merged'),
  noMerged: value('--no-merged'),
  pointsAt: value('--points-at'),
} as const

export async function forEachRef(context: GitContext, args: readonly string[]): Promise<number> {
  const given = parseGit('for-each-ref', args, listSpecs, {
    unsupported: ['--shell', '--perl', '--python', '--tcl', '-s', '-p', '--color', '--ignore-case', '--omit-empty'],
  })
  const repository = await open(context)
  const patterns = given.all
  const matches = (ref: string) =>
    patterns.length === 0 ||
    patterns.some(
      (pattern) =>
        ref === pattern ||
        ref.startsWith(pattern.endsWith('/') ? pattern : `${pattern}/`) ||
        (/[*?[]/.test(pattern) && globPattern(pattern, { component: true }).test(ref)),
    )
  const pointsAt = given.value('pointsAt')
  const listed = await filterRefs(
    repository,
    (await refsBelow(repository, 'refs/')).filter(({ ref }) => matches(ref)),
    {
      contains: given.values('contains'),
      noContains: given.values('noContains'),
      merged: given.values('merged'),
      noMerged: given.values('noMerged'),
      ...(pointsAt !== undefined && { pointsAt }),
    },
  )
  const sorted = await sortRefs(repository, listed, given.values('sort'))
  const count = given.value('count')
  const shown = count === undefined ? sorted : sorted.slice(0, Number(count))
  const lines = await formatRefs(
    repository,
    shown,
    given.value('format') ?? '%(objectname) %(objecttype)\t%(refname)',
    Math.floor(context.now() / 1000),
  )
  context.out.write(lines.map((line) => `${line}\n`).join(''))
  return 0
}

const showRefSpecs = {
  head: flag('--head'),
  heads: flag('--heads', '--branches'),
  tags: flag('--tags'),
  dereference: flag('-d', '--dereference'),
  hash: optional('-s', '--hash'),
  verify: flag('--verify'),
  quiet: flag('-q', '--quiet'),
  abbrev: optional('--abbrev'),
} as const

export async function showRef(context: GitContext, args: readonly string[]): Promise<number> {
  const given = parseGit('show-ref', args, showRefSpecs, { unsupported: ['--exclude-existing', '--exists'] })
  const repository = await open(context)
  const print = async (ref: string, oid: string) => {
    if (given.has('quiet')) return
    const length = given.value('hash') ?? given.value('abbrev')
    const name =
      given.has('abbrev') || length !== undefined ? await abbreviate(repository, oid, Number(length ?? 7)) : oid
    context.out.write(given.has('hash') ? `${name}\n` : `${name} ${ref}\n`)
    if (!given.has('dereference') || (await typeOf(repository, oid)) !== 'tag') return
    context.out.write(`${(await peelTags(repository, oid)).oid} ${ref}^{}\n`)
  }
  if (given.has('verify')) {
    for (const ref of given.all) {
      const oid = ref.startsWith('refs/') || ref === 'HEAD' ? (await repository.refs.resolve(ref)).oid : undefined
      if (oid === undefined) throw given.has('quiet') ? new GitError('', 1) : fatal(`'${ref}' - not a valid ref`)
      await print(ref, oid)
    }
    return 0
  }
  const matches = (ref: string) =>
    given.all.length === 0 || given.all.some((pattern) => ref === pattern || ref.endsWith(`/${pattern}`))
  const isIn = (ref: string) =>
    (!given.has('heads') && !given.has('tags')) ||
    (given.has('heads') && ref.startsWith('refs/heads/')) ||
    (given.has('tags') && ref.startsWith('refs/tags/'))
  let hasFound = false
  const head = (await readHead(repository)).oid
  if (given.has('head') && head !== undefined) {
    await print('HEAD', head)
    hasFound = true
  }
  for (const { ref, oid } of await refsBelow(repository, 'refs/')) {
    if (!matches(ref) || !isIn(ref)) continue
    hasFound = true
    await print(ref, oid)
  }
  return hasFound ? 0 : 1
}

export async function symbolicRef(context: GitContext, args: readonly string[]): Promise<number> {
  const given = parseGit(
    'symbolic-ref',
    args,
    { short: flag('--short'), quiet: flag('-q', '--quiet'), message: value('-m') },
    { unsupported: ['-d', '--delete', '--no-recurse'] },
  )
  const [name, target] = given.all
  if (name === undefined) throw new GitError('usage: git symbolic-ref [-q] [--short] <name>', 129)
  if (target !== undefined) {
    if (!target.startsWith('refs/') || !isRefName(target)) throw fatal(`Refusing to point ${name} outside of refs/`)
    return change(context, 'symbolic-ref', async (repository) => {
      await repository.refs.point(name, target)
      return 0
    })
  }
  const known = await (await open(context)).refs.read(name)
  if (known === undefined || !('target' in known))
    throw given.has('quiet') ? new GitError('', 1) : fatal(`ref ${name} is not a symbolic ref`)
  context.out.write(`${given.has('short') ? refNameAs(known.target, 'short') : known.target}\n`)
  return 0
}

export async function updateRef(context: GitContext, args: readonly string[]): Promise<number> {
  const given = parseGit(
    'update-ref',
    args,
    { delete: flag('-d'), message: value('-m'), noDeref: flag('--no-deref'), createReflog: flag('--create-reflog') },
    { unsupported: ['--stdin', '-z', '--no-deref'] },
  )
  const [ref, to, before] = given.all
  if (ref === undefined) throw new GitError('usage: git update-ref [<options>] <refname> <new-oid> [<old-oid>]', 129)
  return change(context, 'update-ref', async (repository) => {
    const current = (await repository.refs.resolve(ref)).oid ?? noObject
    const expected = given.has('delete') ? to : before
    if (expected !== undefined && expected !== '') {
      const oid = /^0+$/.test(expected) ? noObject : (await findObject(repository, expected))?.oid
      if (oid !== current)
        throw fatal(
          `update_ref failed for ref '${ref}': cannot lock ref '${ref}': is at ${current} but expected ${oid}`,
        )
    }
    if (given.has('delete')) {
      await repository.refs.remove(ref)
      return 0
    }
    const found = to === undefined ? undefined : await findObject(repository, to)
    if (found === undefined) throw fatal(`${to}: not a valid SHA1`)
    if (ref !== 'HEAD' && !(ref.startsWith('refs/') && isRefName(ref)) && !/^[A-Z_]+$/.test(ref))
      throw fatal(`update_ref failed for ref '${ref}': refusing to update ref with bad name '${ref}'`)
    await writeRef(repository, ref, found.oid, {
      by: identity(context, repository.config, 'COMMITTER'),
      message: given.value('message') ?? '',
    })
    return 0
  })
}

export async function mergeBase(context: GitContext, args: readonly string[]): Promise<number> {
  const given = parseGit(
    'merge-base',
    args,
    { all: flag('-a', '--all'), isAncestor: flag('--is-ancestor') },
    { unsupported: ['--octopus', '--independent', '--fork-point'] },
  )
  const repository = await open(context)
  const oids: string[] = []
  for (const name of given.all) {
    const oid = await findCommit(repository, name)
    if (oid === undefined) throw fatal(`Not a valid object name ${name}`)
    oids.push(oid)
  }
  const [one, other, ...more] = oids
  if (one === undefined || other === undefined)
    throw new GitError('usage: git merge-base [-a | --all] <commit> <commit>...', 129)
  if (more.length > 0) throw fatal('merge-base of more than two commits is not supported by this git')
  const bases = await mergeBases(repository, one, other)
  if (given.has('isAncestor')) return bases.includes(one) ? 0 : 1
  for (const base of given.has('all') ? bases : bases.slice(0, 1)) context.out.write(`${base}\n`)
  return bases.length > 0 ? 0 : 1
}

const describeSpecs = {
  all: flag('--all'),
  tags: flag('--tags'),
  always: flag('--always'),
  long: flag('--long'),
  abbrev: optional('--abbrev'),
  dirty: optional('--dirty'),
  exact: flag('--exact-match'),
  match: value('--match'),
  exclude: value('--exclude'),
  firstParent: flag('--first-parent'),
  candidates: value('--candidates'),
} as const

export async function describe(context: GitContext, args: readonly string[]): Promise<number> {
  const given = parseGit('describe', args, describeSpecs, { unsupported: ['--contains', '--broken', '--debug'] })
  const repository = await open(context)
  const tags = await describableTags(repository, {
    all: given.has('all'),
    lightweight: given.has('tags') || given.has('all'),
    match: given.values('match'),
    exclude: given.values('exclude'),
  })
  let dirty = ''
  if (given.has('dirty')) {
    const isDirty =
      (await workTreePairs(repository)).length > 0 ||
      (await indexPairs(repository, await headTree(repository))).length > 0
    if (isDirty) dirty = given.value('dirty') ?? '-dirty'
  }
  for (const name of given.all.length > 0 ? given.all : ['HEAD']) {
    const oid = await findCommit(repository, name)
    if (oid === undefined) throw fatal(`Not a valid object name ${name}`)
    const abbrev = given.value('abbrev') === undefined ? 7 : Number(given.value('abbrev'))
    const found = await nearestTag(repository, oid, tags, given.has('firstParent'))
    if (found === undefined || (given.has('exact') && found.distance > 0)) {
      if (given.has('exact')) throw fatal(`no tag exactly matches '${oid}'`)
      if (!given.has('always'))
        throw fatal(
          tags.size > 0
            ? `No tags can describe '${oid}'.\nTry --always, or create some tags.`
            : 'No names found, cannot describe anything.',
        )
      context.out.write(`${await abbreviate(repository, oid, abbrev === 0 ? 40 : abbrev)}${dirty}\n`)
      continue
    }
    const isPlain = (found.distance === 0 && !given.has('long')) || abbrev === 0
    context.out.write(
      `${found.name}${isPlain ? '' : `-${found.distance}-g${await abbreviate(repository, oid, abbrev)}`}${dirty}\n`,
    )
  }
  return 0
}

interface DescribableTag {
  name: string
  priority: number
  timestamp: number
}

/** The best tag of each commit: annotated ones first. */
async function describableTags(
  repository: Repository,
  options: { all: boolean; lightweight: boolean; match: readonly string[]; exclude: readonly string[] },
): Promise<Map<string, DescribableTag>> {
  const tags = new Map<string, DescribableTag>()
  const [matches, excludes] = [
    options.match.map((glob) => globPattern(glob)),
    options.exclude.map((glob) => globPattern(glob)),
  ]
  for (const { ref, oid } of await refsBelow(repository, options.all ? 'refs/' : 'refs/tags/')) {
    const name = ref.replace(/^refs\/tags\//, '')
    if (matches.length > 0 && !matches.some((each) => each.test(name))) continue
    if (excludes.some((each) => each.test(name))) continue
    const type = await typeOf(repository, oid)
    const isTag = ref.startsWith('refs/tags/')
    const priority = type === 'tag' ? 2 : isTag ? 1 : 0
    if (priority < 2 && !options.lightweight) continue
    const target = await peelTags(repository, oid)
    if (target.type !== 'commit') continue
    const timestamp =
      type === 'tag' ? Number(/> (\d+) /.exec((await tagMessage(repository, oid)).tagger ?? '')?.[1] ?? 0) : 0
    const known = tags.get(target.oid)
    if (
      known === undefined ||
      priority > known.priority ||
      (priority === 2 && known.priority === 2 && timestamp > known.timestamp)
    )
      tags.set(target.oid, { name: options.all ? ref.slice('refs/'.length) : name, priority, timestamp })
  }
  return tags
}

/** The tag with the fewest commits between it and the commit. */
async function nearestTag(
  repository: Repository,
  start: string,
  tags: ReadonlyMap<string, DescribableTag>,
  isFirstParent: boolean,
): Promise<{ name: string; distance: number } | undefined> {
  const exact = tags.get(start)
  if (exact !== undefined) return { name: exact.name, distance: 0 }
  const all = await ancestors(repository, [start], isFirstParent)
  const queue = dateQueue()
  const seen = new Set([start])
  queue.push(await repository.objects.readCommit(start))
  const candidates: { oid: string; name: string; priority: number }[] = []
  for (let commit = queue.shift(); commit !== undefined && candidates.length < 10; commit = queue.shift()) {
    const tag = tags.get(commit.oid)
    if (tag !== undefined) candidates.push({ oid: commit.oid, name: tag.name, priority: tag.priority })
    for (const parent of isFirstParent ? commit.parents.slice(0, 1) : commit.parents) {
      if (seen.has(parent)) continue
      seen.add(parent)
      queue.push(await repository.objects.readCommit(parent))
    }
  }
  let best: { name: string; distance: number } | undefined
  for (const { oid, name } of candidates) {
    const reached = await ancestors(repository, [oid])
    const distance = [...all].filter((each) => !reached.has(each)).length
    if (best === undefined || distance < best.distance) best = { name, distance }
  }
  return best
}

export async function nameRev(context: GitContext, args: readonly string[]): Promise<number> {
  const given = parseGit(
    'name-rev',
    args,
    {
      nameOnly: flag('--name-only'),
      tags: flag('--tags'),
      always: flag('--always'),
      noUndefined: flag('--no-undefined'),
      refs: value('--refs'),
    },
    { unsupported: ['--all', '--stdin', '--annotate-stdin', '--exclude', '--undefined'] },
  )
  const repository = await open(context)
  const names = await revisionNames(repository, given.has('tags'), given.value('refs'))
  for (const name of given.all) {
    const oid = await commitNamed(repository, name).catch(() => undefined)
    if (oid === undefined) {
      context.err.write(`Could not get sha1 for ${name}. Skipping.\n`)
      continue
    }
    const found = names.get(oid)
    const shown =
      found === undefined
        ? given.has('always')
          ? await abbreviate(repository, oid)
          : 'undefined'
        : given.has('nameOnly') && given.has('tags')
          ? found.replace(/^tags\//, '')
          : found
    if (found === undefined && given.has('noUndefined')) throw fatal(`cannot describe '${oid}'`)
    context.out.write(given.has('nameOnly') ? `${shown}\n` : `${name} ${shown}\n`)
  }
  return 0
}

interface RevisionName {
  tip: string
  /** Steps to first parents since the last turn. */
  generation: number
  distance: number
  isTag: boolean
  timestamp: number
}

const mergeCost = 65_535

/** A name such as `main~2` for each commit; tags and older tips are better, then fewer steps. */
async function revisionNames(
  repository: Repository,
  onlyTags: boolean,
  pattern: string | undefined,
): Promise<Map<string, string>> {
  const best = new Map<string, RevisionName>()
  const isBetter = (a: RevisionName, b: RevisionName) => {
    if (a.isTag !== b.isTag) return a.isTag
    if (a.isTag && a.timestamp !== b.timestamp) return a.timestamp < b.timestamp
    if (a.distance !== b.distance) return a.distance < b.distance
    return a.timestamp < b.timestamp
  }
  for (const { ref, oid } of await refsBelow(repository, onlyTags ? 'refs/tags/' : 'refs/')) {
    if (pattern !== undefined && !globPattern(pattern).test(ref) && !globPattern(`*/${pattern}`).test(ref)) continue
    const target = await peelTags(repository, oid)
    if (target.type !== 'commit') continue
    const isTag = ref.startsWith('refs/tags/')
    const short = ref.startsWith('refs/heads/') ? ref.slice('refs/heads/'.length) : ref.replace(/^refs\//, '')
    const { committer } = await repository.objects.readCommit(target.oid)
    const suffix = (await typeOf(repository, oid)) === 'tag' ? '^0' : ''
    const pending: { oid: string; name: RevisionName }[] = [
      {
        oid: target.oid,
        name: { tip: `${short}${suffix}`, generation: 0, distance: 0, isTag, timestamp: committer.timestamp },
      },
    ]
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      const known = best.get(next.oid)
      if (known !== undefined && !isBetter(next.name, known)) continue
      best.set(next.oid, next.name)
      const { parents } = await repository.objects.readCommit(next.oid)
      const { tip, generation, distance } = next.name
      for (const [i, parent] of [...parents.entries()].reverse()) {
        const bare = tip.replace(/\^0$/, '')
        const name =
          i === 0
            ? { ...next.name, generation: generation + 1, distance: distance + 1 }
            : {
                ...next.name,
                tip: generation > 0 ? `${bare}~${generation}^${i + 1}` : `${bare}^${i + 1}`,
                generation: 0,
                distance: distance + mergeCost,
              }
        pending.push({ oid: parent, name })
      }
    }
  }
  return new Map(
    [...best].map(([oid, { tip, generation }]) => [
      oid,
      generation === 0 ? tip : `${tip.replace(/\^0$/, '')}~${generation}`,
    ]),
  )
}
