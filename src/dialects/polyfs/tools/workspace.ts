import * as z from 'zod'
import { join } from '../../../fs/path.js'
import { listRoots, type RootStatus } from '../../../ops/list-roots.js'
import { maxSessions, namedSessions } from '../../../ops/shell/sessions.js'
import { printable } from '../../../text/printable.js'
import type { CallContext, Workspace } from '../../../workspace/workspace.js'
import { define } from '../define-tool.js'
import { bytesPerToken, defaultTokens } from '../paging/token-budget.js'
import { size } from '../print.js'
import { displayPath } from '../wording.js'
import { neverSearched } from './list-and-glob.js'

export const workspaceTool = define({
  name: 'workspace',
  title: 'Workspace',
  description:
    'What can be reached and changed here: roots and rights, shell, limits, ignore rules, and what is missing and why.',
  annotations: { readOnlyHint: true, openWorldHint: false },
  group: 'read',
  channel: 'facts',
  input: {},
  facts: {
    roots: z.array(z.object({ path: z.string() }).partial()),
    shell: z.object({}),
    missing: z.array(z.string()),
  },

  async run(_, workspace, call) {
    const roots = (await workspace.run(listRoots, {}, call)).map((root) => rootOf(root, workspace))
    const shell = shellOf(workspace, call)
    const limits = {
      max_tokens: defaultTokens(workspace),
      bytes_per_token: bytesPerToken,
      max_file: size(workspace.limits.maxFileBytes),
      command_timeout_ms: workspace.limits.commandTimeoutMs,
      history: `${size(workspace.limits.maxHistoryBytes)}, ${Math.round(workspace.limits.maxHistoryMs / 86_400_000)} days`,
    }
    const files = filesOf(workspace)
    const ignore = await ignoreOf(workspace)
    const missing = missingIn(workspace)
    const facts = { roots, shell, files, limits, ignore, missing }
    return {
      payload: [
        ...roots.map(({ path, access, state }) => `root ${path} (${[access, state].filter(Boolean).join(', ')})`),
        `relative paths count from ${workspace.fs.show(workspace.root)}`,
        `shell: ${Object.values(shell).join(', ')}`,
        `files: ${files.join(', ')}`,
        `limits: ${Object.entries(limits)
          .map(([key, value]) => `${key} ${value}`)
          .join(', ')}`,
        `ignored: ${ignore.join(', ')}`,
        ...missing.map((what) => `missing: ${what}`),
      ].join('\n'),
      facts,
    }
  },
})

function rootOf({ path, access, accessible, readable }: RootStatus, { fs }: Workspace) {
  return { path: fs.show(path), access, ...(!readable && { state: accessible ? 'can not be listed' : 'not there' }) }
}

function shellOf(workspace: Workspace, { session }: CallContext) {
  const { shell } = workspace
  if (shell === undefined) return { engine: 'none' }
  const { confined, recordsChanges, background } = shell.capabilities
  const sessions = namedSessions(workspace, session?.self ?? session).map(
    ({ name, cwd }) => `${printable(name)} in ${displayPath(cwd, workspace)}`,
  )
  return {
    engine: shell.engine,
    ...(shell.nodeEngine !== undefined && { node: `node runs on ${shell.nodeEngine}` }),
    reach: confined ? 'confined to the roots' : 'not confined: commands can do what the user can',
    history: recordsChanges ? 'its changes are in the history' : 'its changes are found by looking before and after',
    ...(!background && { background: 'nothing keeps running after a command' }),
    sessions: sessions.length === 0 ? `at most ${maxSessions} sessions, none yet` : `sessions: ${sessions.join(', ')}`,
  }
}

function filesOf({ fs: { capabilities } }: Workspace): string[] {
  return Object.entries(capabilities).map(([name, value]) => {
    const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    return typeof value === 'boolean' ? `${value ? '' : 'no '}${words}` : `${words} ${String(value)}`
  })
}

async function ignoreOf(workspace: Workspace) {
  const { fs, git } = workspace
  const files: string[] = []
  let isAbove = false
  for (const { path } of fs.roots) {
    isAbove ||= ((await git.rulesAbove?.(path))?.files ?? []).some(({ kind }) => kind !== 'ignore')
    const names = await fs.readDir(path).catch(() => [])
    if (names.some(({ name }) => name === '.gitignore')) files.push(fs.show(join(path, '.gitignore')))
  }
  return [
    ...files,
    ...(isAbove ? ['the rules of the repository above'] : []),
    ...(git.ignoreRules === undefined ? [] : ["the user's own rules"]),
    '.gitignore of every directory',
    `never searched: ${neverSearched(workspace).join(', ')}`,
  ]
}

function missingIn({ readOnly, shell }: Workspace): string[] {
  return [
    ...(readOnly ? ['tools that change files, because nothing may be changed here'] : []),
    ...(shell === undefined && !readOnly ? ['bash, because there is no shell here, or it was switched off'] : []),
  ]
}
