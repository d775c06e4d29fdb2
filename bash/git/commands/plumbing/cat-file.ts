import type { Bytes } from '../../../../src/fs/types.js'
import { conflictsIn } from '../../../../src/git/commands/status.js'
import { objectId } from '../../../../src/git/objects/object-id.js'
import { modes } from '../../../../src/git/objects/tree.js'
import { type Repository, readIndex } from '../../../../src/git/repository.js'
import { contentForGit } from '../../../../src/git/work-tree/convert.js'
import { entryOf } from '../../../../src/text/entry-of.js'
import { decodeText } from '../../../io/byte-text.js'
import { change, type GitContext, identity, isInRepository, open, prefixOf } from '../../context.js'
import { quoter } from '../../diff/diff-options.js'
import { fatal, GitError } from '../../git-error.js'
import { type ObjectType, parseTagObject, readAny, typeOf } from '../../objects.js'
import { flag, optional, parseGit, value } from '../../options.js'
import { findCommit, findObject, treeOf } from '../../revisions.js'

export async function catFile(context: GitContext, args: readonly string[]): Promise<number> {
  const given = parseGit(
    'cat-file',
    args,
    {
      pretty: flag('-p'),
      type: flag('-t'),
      size: flag('-s'),
      exists: flag('-e'),
      batchCheck: optional('--batch-check'),
      batch: optional('--batch'),
    },
    {
      unsupported: [
        '--textconv',
        '--filters',
        '--batch-all-objects',
        '--batch-command',
        '--allow-unknown-type',
        '--follow-symlinks',
        '--buffer',
      ],
    },
  )
  const repository = await open(context)
  const prefix = await prefixOf(context, repository)
  if (given.has('batch') || given.has('batchCheck'))
    return batch(context, repository, given.has('batch'), given.value('batch') ?? given.value('batchCheck'))
  const operands = [...given.all]
  const isFlagged = given.has('pretty') || given.has('type') || given.has('size') || given.has('exists')
  const wanted = isFlagged ? undefined : (operands.shift() as ObjectType | undefined)
  const [name] = operands
  if (name === undefined) throw new GitError('usage: git cat-file <type> <object>', 129)
  const found = await findObject(repository, name, prefix)
  const type = found && (await typeOf(repository, found.oid))
  if (found === undefined || type === undefined) {
    if (given.has('exists') && /^[0-9a-f]{40}$/.test(name)) return 1
    const [, revision, path] = /^([^:]*):(.*)$/s.exec(name) ?? []
    if (path !== undefined && revision !== '' && (await findObject(repository, revision ?? '')) !== undefined)
      throw fatal(`path '${path}' does not exist in '${revision}'`)
    throw fatal(`Not a valid object name ${name}`)
  }
  if (given.has('exists')) return 0
  if (given.has('type')) context.out.write(`${type}\n`)
  else if (given.has('size')) context.out.write(`${(await readAny(repository, found.oid)).bytes.length}\n`)
  else if (given.has('pretty') && type === 'tree') context.out.write(await treeText(repository, found.oid))
  else if (wanted !== undefined && wanted !== type) {
    const peeled = await peelAs(repository, found.oid, wanted)
    if (peeled === undefined) throw fatal(`git cat-file ${name}: bad file`)
    context.out.writeBytes((await readAny(repository, peeled)).bytes)
  } else context.out.writeBytes((await readAny(repository, found.oid)).bytes)
  return 0
}

async function peelAs(repository: Repository, oid: string, wanted: ObjectType): Promise<string | undefined> {
  if (wanted === 'tree') return treeOf(repository, oid)
  let at = oid
  for (let steps = 0; steps < 50; steps += 1) {
    const { type, bytes } = await readAny(repository, at)
    if (type === wanted) return at
    if (type !== 'tag') return undefined
    at = parseTagObject(bytes).object
  }
  return undefined
}

async function treeText(repository: Repository, oid: string): Promise<string> {
  const entries = await repository.objects.readTree(oid)
  const quote = quoter(repository)
  return entries
    .map(
      ({ mode, oid: id, name }) =>
        `${mode.toString(8).padStart(6, '0')} ${mode === modes.directory ? 'tree' : mode === modes.submodule ? 'commit' : 'blob'} ${id}\t${quote(name)}\n`,
    )
    .join('')
}

async function batch(
  context: GitContext,
  repository: Repository,
  withContent: boolean,
  format = '%(objectname) %(objecttype) %(objectsize)',
): Promise<number> {
  for (const line of decodeText(await context.input())
    .split('\n')
    .filter((each) => each !== '')) {
    const found = await findObject(repository, line)
    const type = found && (await typeOf(repository, found.oid))
    if (found === undefined || type === undefined) {
      context.out.write(`${line} missing\n`)
      continue
    }
    const { bytes } = await readAny(repository, found.oid)
    const atoms: Record<string, string> = {
      objectname: found.oid,
      objecttype: type,
      objectsize: `${bytes.length}`,
      rest: '',
    }
    context.out.write(
      `${format.replaceAll(/%\(([^)]*)\)/g, (_, atom: string) => {
        const text = entryOf(atoms, atom)
        if (text === undefined) throw fatal(`the format atom '%(${atom})' is not supported by this git`)
        return text
      })}\n`,
    )
    if (!withContent) continue
    context.out.writeBytes(bytes)
    context.out.write('\n')
  }
  return 0
}

export async function hashObject(context: GitContext, args: readonly string[]): Promise<number> {
  const given = parseGit(
    'hash-object',
    args,
    {
      type: value('-t'),
      write: flag('-w'),
      stdin: flag('--stdin'),
      stdinPaths: flag('--stdin-paths'),
      noFilters: flag('--no-filters'),
      path: value('--path'),
    },
    { unsupported: ['--literally', '--path'] },
  )
  const type = (given.value('type') ?? 'blob') as ObjectType
  if (!['blob', 'tree', 'commit', 'tag'].includes(type)) throw fatal(`invalid object type "${type}"`)
  const repository = (await isInRepository(context)) ? await open(context) : undefined
  const inputs: Bytes[] = given.has('stdin') ? [await context.input()] : []
  const paths = given.has('stdinPaths')
    ? decodeText(await context.input())
        .split('\n')
        .filter((line) => line !== '')
    : given.all
  for (const path of paths) {
    const { fs } = context.workspace
    const bytes = await fs.readFile(context.path(path)).catch(() => {
      throw fatal(`could not open '${path}' for reading: No such file or directory`)
    })
    const inside = repository === undefined ? undefined : `${await prefixOf(context, repository)}${path}`
    inputs.push(
      repository === undefined ||
        inside === undefined ||
        given.has('noFilters') ||
        type !== 'blob' ||
        path.startsWith('/')
        ? bytes
        : await contentForGit(repository, inside, bytes),
    )
  }
  const write = async (own: Repository | undefined) => {
    for (const bytes of inputs)
      context.out.write(
        `${own === undefined ? await objectId(type, bytes) : await own.objects.writeObject(type, bytes)}\n`,
      )
    return 0
  }
  return given.has('write') ? change(context, 'hash-object', write) : write(undefined)
}

export async function writeTree(context: GitContext, args: readonly string[]): Promise<number> {
  parseGit('write-tree', args, { missingOk: flag('--missing-ok') }, { unsupported: ['--prefix', '--missing-ok'] })
  return change(context, 'write-tree', async (repository) => {
    const { entries } = await readIndex(repository)
    if (conflictsIn({ entries }).length > 0) throw fatal('git-write-tree: error building trees')
    context.out.write(`${await repository.objects.writeTree(entries)}\n`)
    return 0
  })
}

export async function commitTree(context: GitContext, args: readonly string[]): Promise<number> {
  const given = parseGit(
    'commit-tree',
    args,
    { parent: value('-p'), message: value('-m'), file: value('-F'), noSign: flag('--no-gpg-sign') },
    { unsupported: ['-S', '--gpg-sign', '-F'] },
  )
  return change(context, 'commit-tree', async (repository) => {
    const [name = ''] = given.all
    const found = await findObject(repository, name)
    const tree = found && (await treeOf(repository, found.oid))
    if (tree === undefined) throw fatal(`not a valid object name ${name}`)
    const parents: string[] = []
    for (const parent of given.values('parent')) {
      const oid = await findCommit(repository, parent)
      if (oid === undefined) throw fatal(`not a valid object name ${parent}`)
      if (!parents.includes(oid)) parents.push(oid)
    }
    const text = given.has('message')
      ? given
          .values('message')
          .map((part) => (part.endsWith('\n') ? part : `${part}\n`))
          .join('\n')
      : decodeText(await context.input())
    const oid = await repository.objects.writeCommit({
      tree,
      parents,
      author: identity(context, repository.config, 'AUTHOR'),
      committer: identity(context, repository.config, 'COMMITTER'),
      message: text,
    })
    context.out.write(`${oid}\n`)
    return 0
  })
}
