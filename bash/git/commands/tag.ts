import { lastValue } from '../../../src/git/config.js'
import { writtenPerson } from '../../../src/git/objects/person.js'
import { isRefName } from '../../../src/git/refs/ref-name.js'
import type { Repository } from '../../../src/git/repository.js'
import { decodeText } from '../../io/byte-text.js'
import { change, type GitContext, identity, open } from '../context.js'
import { fatal } from '../git-error.js'
import { abbreviate, parseTagObject, readAny, typeOf } from '../objects.js'
import { flag, optional, parseGit, value } from '../options.js'
import { globPattern } from '../patterns.js'
import { filterRefs, formatRefs, type ListedRef, refsBelow, sortRefs } from '../ref-list.js'
import { findObject } from '../revisions.js'
import { withValues } from './branch.js'
import { cleanMessage } from './commit.js'

const tagSpecs = {
  list: flag('-l', '--list'),
  lines: optional('-n'),
  annotate: flag('-a', '--annotate'),
  message: value('-m', '--message'),
  file: value('-F', '--file'),
  force: flag('-f', '--force'),
  delete: flag('-d', '--delete'),
  contains: value('--contains', '--with'),
  noContains: value('--no-contains', '--without'),
  pointsAt: value('--points-at'),
  sort: value('--sort'),
  format: value('--format'),
  ignoreCase: flag('-i', '--ignore-case'),
  noColumn: flag('--no-column'),
  color: optional('--color'),
  createReflog: flag('--create-reflog'),
  cleanup: value('--cleanup'),
} as const

export async function tag(context: GitContext, args: readonly string[]): Promise<number> {
  const merged = withValues(args, ['--merged', '--no-merged'])
  const filled = merged.args.flatMap((arg, i) =>
    (arg === '--contains' || arg === '--no-contains' || arg === '--points-at') &&
    (merged.args[i + 1] === undefined || merged.args[i + 1]?.startsWith('-'))
      ? [`${arg}=HEAD`]
      : [arg],
  )
  const given = parseGit('tag', filled, tagSpecs, {
    unsupported: [
      '-s',
      '--sign',
      '-u',
      '--local-user',
      '-v',
      '--verify',
      '--column',
      '-e',
      '--edit',
      '--trailer',
      '--omit-empty',
    ],
  })
  const operands = given.all
  if (given.has('delete')) return deleteTags(context, operands)
  const isListing =
    given.has('list') ||
    given.has('lines') ||
    given.has('contains') ||
    given.has('noContains') ||
    given.has('pointsAt') ||
    merged.values.size > 0 ||
    operands.length === 0
  if (!isListing) return createTag(context, operands, given)
  const repository = await open(context)
  const matches = operands.map((glob) => globPattern(glob))
  const pointsAt = given.value('pointsAt')
  const listed = await filterRefs(
    repository,
    (await refsBelow(repository, 'refs/tags/')).filter(
      ({ ref }) => matches.length === 0 || matches.some((each) => each.test(ref.slice('refs/tags/'.length))),
    ),
    {
      contains: given.values('contains'),
      noContains: given.values('noContains'),
      merged: merged.values.get('--merged') ?? [],
      noMerged: merged.values.get('--no-merged') ?? [],
      ...(pointsAt !== undefined && { pointsAt }),
    },
  )
  const keys = given.values('sort')
  const configured = lastValue(repository.config, 'tag.sort')
  const sorted = await sortRefs(repository, listed, keys.length > 0 || configured === undefined ? keys : [configured])
  const format = given.value('format')
  if (format !== undefined) {
    for (const line of await formatRefs(repository, sorted, format, Math.floor(context.now() / 1000)))
      context.out.write(`${line}\n`)
    return 0
  }
  const lines = given.has('lines') ? Number(given.value('lines') ?? 1) : 0
  for (const each of sorted) context.out.write(`${await tagLine(repository, each, lines)}\n`)
  return 0
}

async function tagLine(repository: Repository, { ref, oid }: ListedRef, lines: number): Promise<string> {
  const name = ref.slice('refs/tags/'.length)
  if (lines === 0) return name
  const type = await typeOf(repository, oid)
  const message =
    type === 'tag'
      ? parseTagObject((await readAny(repository, oid)).bytes).message
      : type === 'commit'
        ? (await repository.objects.readCommit(oid)).message
        : ''
  const text = message.trimEnd().split('\n').slice(0, lines)
  return `${name.padEnd(15)} ${text.join('\n    ')}`
}

async function deleteTags(context: GitContext, names: readonly string[]): Promise<number> {
  return change(context, 'tag', async (repository) => {
    let status = 0
    for (const name of names) {
      const { oid } = await repository.refs.resolve(`refs/tags/${name}`)
      if (oid === undefined) {
        context.err.write(`error: tag '${name}' not found.\n`)
        status = 1
        continue
      }
      await repository.refs.remove(`refs/tags/${name}`)
      context.out.write(`Deleted tag '${name}' (was ${await abbreviate(repository, oid)})\n`)
    }
    return status
  })
}

interface TagArguments {
  has(key: 'annotate' | 'force' | 'message' | 'file'): boolean
  value(key: 'file' | 'cleanup'): string | undefined
  values(key: 'message'): string[]
}

async function createTag(context: GitContext, operands: readonly string[], given: TagArguments): Promise<number> {
  const [name = '', target = 'HEAD', ...more] = operands
  if (more.length > 0) throw fatal('too many arguments')
  const file = given.value('file')
  const isAnnotated = given.has('annotate') || given.has('message') || file !== undefined
  return change(context, 'tag', async (repository) => {
    if (name.startsWith('-') || !isRefName(name)) throw fatal(`'${name}' is not a valid tag name.`)
    const found = await findObject(repository, target)
    if (found === undefined) throw fatal(`Failed to resolve '${target}' as a valid ref.`)
    const ref = `refs/tags/${name}`
    const known = (await repository.refs.resolve(ref)).oid
    if (known !== undefined && !given.has('force')) throw fatal(`tag '${name}' already exists`)
    let oid = found.oid
    if (isAnnotated) {
      const text = given.has('message')
        ? given
            .values('message')
            .map((part) => `${part.replace(/\n+$/, '')}\n`)
            .join('\n')
        : file === '-'
          ? decodeText(await context.input())
          : file === undefined
            ? undefined
            : decodeText(await context.workspace.fs.readFile(context.path(file)))
      if (text === undefined) throw fatal('no tag message?')
      const tagger = identity(context, repository.config, 'COMMITTER')
      const type = await typeOf(repository, found.oid)
      const body = `object ${found.oid}\ntype ${type}\ntag ${name}\ntagger ${writtenPerson(tagger)}\n\n${cleanMessage(text)}`
      oid = await repository.objects.writeObject('tag', new TextEncoder().encode(body))
    }
    await repository.refs.write(ref, oid)
    if (known !== undefined && known !== oid)
      context.out.write(`Updated tag '${name}' (was ${await abbreviate(repository, known)})\n`)
    return 0
  })
}
