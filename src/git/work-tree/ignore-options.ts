import { isFsError } from '../../errors.js'
import { join } from '../../fs/path.js'
import type { IgnoreOptions } from '../../search/patterns/ignore-stack.js'
import { maxIgnoreFileBytes } from '../../search/patterns/rules-above.js'
import { isTrue } from '../config.js'
import type { Repository } from '../repository.js'

/** How the ignore files of a repository are read. */
export async function ignoreOptionsOf(repository: Repository): Promise<IgnoreOptions> {
  const { root, globalIgnoreRules, config, gitDirectory } = repository
  const ownExclude = gitDirectory === join(root, '.git') ? undefined : await sharedExclude(repository)
  return {
    top: root,
    ...(globalIgnoreRules !== undefined && { globalRules: globalIgnoreRules }),
    ...(ownExclude !== undefined && { above: { files: [], ownExclude } }),
    ...(isTrue(config, 'core.ignorecase') && { ignoreCase: true }),
  }
}

/** A linked worktree has the rules of its repository. */
async function sharedExclude({ fs, commonDirectory }: Repository): Promise<string | undefined> {
  try {
    const bytes = await fs.readFile(join(commonDirectory, 'info/exclude'), { start: 0, end: maxIgnoreFileBytes })
    return new TextDecoder().decode(bytes)
  } catch (error) {
    if (!isFsError(error)) throw error
    return undefined
  }
}
