/** The ignore rules of directories above a root. A walk gets them as data, because nothing above the root may be reached. */
import { isFsError } from '../../errors.js'
import { join, split } from '../../fs/path.js'
import type { Tree } from '../../fs/types.js'

export interface RulesAbove {
  /** From the outermost directory inwards. */
  readonly files: readonly RuleFile[]
  /** The names that lead to the root from the top of a repository above it; absent outside of one. */
  readonly namesFromTop?: readonly string[]
  /** The text of `info/exclude`, where the root's own `.git` is a file that names a directory elsewhere. */
  readonly ownExclude?: string
}

export interface RuleFile {
  readonly kind: 'gitignore' | 'ignore' | 'exclude'
  readonly text: string
  /** The names that lead from the directory of the rules to the root; at least one. */
  readonly names: readonly string[]
}

/** Larger ignore files are read up to here. */
export const maxIgnoreFileBytes = 1_048_576

/** What has to be known of the directories above. Neither method follows a link or waits for a special file. */
export interface RuleReader {
  kindOf(path: string): Promise<'file' | 'directory' | undefined> | 'file' | 'directory' | undefined
  /** At most `maxIgnoreFileBytes`; undefined if it can't be read. */
  textOf(path: string): Promise<string | undefined> | string | undefined
  /** The directory in which git stores `info/exclude` of the repository whose `.git` this is; undefined if that is unknown. */
  commonDirectory(dotGit: string, kind: 'file' | 'directory'): Promise<string | undefined> | string | undefined
}

/** The rules that git and ripgrep apply at `root`: `.gitignore` up to the top of the repository, and `.ignore` of every directory. */
export async function readRulesAbove(reader: RuleReader, root: string): Promise<RulesAbove> {
  const names = split(root)
  const files: RuleFile[] = []
  if (names.length === 0) return { files }
  const own = await reader.kindOf(join(root, '.git'))
  const ownExclude = own === 'file' ? (await repositoryAt(reader, root)).exclude : undefined
  const upToTop: RuleFile[] = []
  let namesFromTop: readonly string[] | undefined
  for (let depth = names.length - 1; depth >= 0; depth -= 1) {
    const directory = `/${names.slice(0, depth).join('/')}`
    const below = names.slice(depth)
    const dotIgnore = await reader.textOf(join(directory, '.ignore'))
    if (dotIgnore !== undefined) files.push({ kind: 'ignore', text: dotIgnore, names: below })
    if (own !== undefined || namesFromTop !== undefined) continue
    const rules = await reader.textOf(join(directory, '.gitignore'))
    if (rules !== undefined) upToTop.push({ kind: 'gitignore', text: rules, names: below })
    const { kind, exclude } = await repositoryAt(reader, directory)
    if (kind === undefined) continue
    namesFromTop = below
    if (exclude !== undefined) upToTop.push({ kind: 'exclude', text: exclude, names: below })
  }
  // Without a repository, `.gitignore` files above the root have no effect.
  if (namesFromTop !== undefined) files.push(...upToTop)
  return {
    files: files.sort((a, b) => b.names.length - a.names.length),
    ...(namesFromTop && { namesFromTop }),
    ...(ownExclude !== undefined && { ownExclude }),
  }
}

async function repositoryAt(reader: RuleReader, directory: string) {
  const dotGit = join(directory, '.git')
  const kind = await reader.kindOf(dotGit)
  const place = kind && (await reader.commonDirectory(dotGit, kind))
  const exclude = place === undefined ? undefined : await reader.textOf(join(place, 'info/exclude'))
  return { kind, exclude }
}

/** Reads the rules above a root from the file system that the root is a part of. */
export function ruleReader(fs: Pick<Tree, 'stat' | 'readFile'>): RuleReader {
  const ifReadable = async <Value>(read: () => Promise<Value>): Promise<Value | undefined> => {
    try {
      return await read()
    } catch (error) {
      if (!isFsError(error)) throw error
      return undefined
    }
  }
  const kindOf = (path: string) =>
    ifReadable(async () => {
      const { kind } = await fs.stat(path)
      return kind === 'file' || kind === 'directory' ? kind : undefined
    })
  return {
    kindOf,
    textOf: (path) =>
      ifReadable(async () => {
        if ((await kindOf(path)) !== 'file') return undefined
        return new TextDecoder().decode(await fs.readFile(path, { start: 0, end: maxIgnoreFileBytes }))
      }),
    commonDirectory: (dotGit, kind) => (kind === 'directory' ? dotGit : undefined),
  }
}
