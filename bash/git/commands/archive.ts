/** `git archive`: the files of a commit as a tar archive. */
import type { Bytes } from '../../../src/fs/types.js'
import { comparePaths } from '../../../src/git/objects/object-id.js'
import { modes } from '../../../src/git/objects/tree.js'
import { type GitContext, open, prefixOf } from '../context.js'
import { fatal, GitError } from '../git-error.js'
import { peelTags } from '../objects.js'
import { flag, parseGit, value } from '../options.js'
import { pathspecsOf } from '../pathspec.js'
import { findObject, treeOf } from '../revisions.js'

const specs = {
  format: value('--format'),
  output: value('-o', '--output'),
  prefix: value('--prefix'),
  list: flag('-l', '--list'),
  verbose: flag('-v', '--verbose'),
} as const

export async function archive(context: GitContext, args: readonly string[]): Promise<number> {
  const given = parseGit('archive', args, specs, {
    unsupported: [
      '--remote',
      '--exec',
      '--add-file',
      '--add-virtual-file',
      '--worktree-attributes',
      '--mtime',
      '-v',
      '--verbose',
    ],
  })
  if (given.has('list')) {
    context.out.write('tar\n')
    return 0
  }
  const [revision, ...paths] = given.all
  if (revision === undefined) throw new GitError('usage: git archive [<options>] <tree-ish> [<path>...]', 129)
  const output = given.value('output')
  const format =
    given.value('format') ??
    (output === undefined || output.endsWith('.tar') ? 'tar' : output.replace(/^.*?\.(?=(tar\.)?[^.]*$)/, ''))
  if (format !== 'tar') throw fatal(`the archive format '${format}' is not supported by this git; use tar`)
  const repository = await open(context)
  const found = await findObject(repository, revision)
  const top = found && (await treeOf(repository, found.oid))
  if (found === undefined || top === undefined) throw fatal(`not a valid object name: ${revision}`)
  const target = await peelTags(repository, found.oid)
  const commit = target.type === 'commit' ? await repository.objects.readCommit(target.oid) : undefined
  const seconds = commit?.committer.timestamp ?? Math.floor(context.now() / 1000)
  const chosen = pathspecsOf(paths, await prefixOf(context, repository), repository.root)
  const files = [...(await repository.objects.flatten(top))].filter(([path]) => chosen.matches(path))
  const [unmatched] = chosen.unmatched(files.map(([path]) => path))
  if (unmatched !== undefined) throw fatal(`pathspec '${unmatched}' did not match any files`)
  const start = given.value('prefix') ?? ''
  const pieces: Bytes[] =
    commit === undefined
      ? []
      : entry('pax_global_header', { type: 'g', mode: 0o666, seconds, content: commentOf(commit.oid) })
  const seen = new Set<string>()
  const addDirectories = (path: string) => {
    for (let slash = path.indexOf('/'); slash !== -1; slash = path.indexOf('/', slash + 1)) {
      const directory = path.slice(0, slash + 1)
      if (seen.has(directory)) continue
      seen.add(directory)
      pieces.push(...entry(directory, { type: '5', mode: 0o775, seconds }))
    }
  }
  for (const [path, { mode, oid }] of files.sort(([a], [b]) => comparePaths(a, b))) {
    const name = `${start}${path}`
    addDirectories(name)
    if (mode === modes.submodule) continue
    const content = await repository.objects.readBlob(oid)
    if (mode === modes.link)
      pieces.push(...entry(name, { type: '2', mode: 0o777, seconds, link: new TextDecoder().decode(content) }))
    else pieces.push(...entry(name, { type: '0', mode: mode === modes.executable ? 0o775 : 0o664, seconds, content }))
  }
  const bytes = padded(pieces)
  if (output === undefined) context.out.writeBytes(bytes)
  else {
    const path = context.path(output)
    await context.workspace.changes.run({ label: 'git archive', scopes: [{ path }] }, async (draft) =>
      draft.write(path, bytes),
    )
  }
  return 0
}

const blockBytes = 512
const recordBytes = 10_240

function commentOf(oid: string): Bytes {
  return new TextEncoder().encode(`52 comment=${oid}\n`)
}

interface EntryFields {
  type: string
  mode: number
  seconds: number
  content?: Bytes
  link?: string
}

/** The header of an entry and its content, each a number of whole blocks. */
function entry(name: string, { type, mode, seconds, content = new Uint8Array(), link = '' }: EntryFields): Bytes[] {
  const header = new Uint8Array(blockBytes)
  const put = (at: number, text: string, size: number) => {
    const bytes = new TextEncoder().encode(text)
    if (bytes.length > size) throw fatal(`'${name}' is too long for an archive of this git`)
    header.set(bytes, at)
  }
  const octal = (number: number, digits: number) => `${number.toString(8).padStart(digits, '0')}\0`
  const bytes = new TextEncoder().encode(name)
  const slash = bytes.length <= 100 ? -1 : name.lastIndexOf('/', 154)
  put(0, slash === -1 ? name : name.slice(slash + 1), 100)
  if (slash !== -1) put(345, name.slice(0, slash), 155)
  put(100, octal(mode, 7), 8)
  put(108, octal(0, 7), 8)
  put(116, octal(0, 7), 8)
  put(124, octal(content.length, 11), 12)
  put(136, octal(seconds, 11), 12)
  put(148, ' '.repeat(8), 8)
  put(156, type, 1)
  put(157, link, 100)
  put(257, 'ustar\u000000', 8)
  put(265, 'root', 32)
  put(297, 'root', 32)
  put(329, octal(0, 7), 8)
  put(337, octal(0, 7), 8)
  put(
    148,
    octal(
      header.reduce((sum, byte) => sum + byte, 0),
      7,
    ),
    8,
  )
  const body = new Uint8Array(Math.ceil(content.length / blockBytes) * blockBytes)
  body.set(content)
  return [header, body]
}

/** All pieces, two empty blocks at the end, and filled up to a whole record. */
function padded(pieces: readonly Bytes[]): Bytes {
  const size = pieces.reduce((sum, piece) => sum + piece.length, 0)
  const all = new Uint8Array(Math.ceil((size + 2 * blockBytes) / recordBytes) * recordBytes)
  let at = 0
  for (const piece of pieces) {
    all.set(piece, at)
    at += piece.length
  }
  return all
}
