/** `npm ls`: the packages that are installed, and those that are missing. */
import { ProgramError } from '../../program-error.js'
import type { Call, Command } from '../command.js'
import { type Installed, installedTree, relativeTarget } from '../installed-tree.js'
import { type Item, isOptional, listItems } from '../list-items.js'
import { logged, NpmFailure } from '../npm-failure.js'
import type { Workspace } from '../project.js'

export const ls: Command = {
  run: (call) => list(call),
  forWorkspaces: (call, workspaces) => list(call, workspaces),
}

async function list(call: Call, workspaces?: readonly Workspace[]): Promise<number> {
  const { io, settings, project, args } = call
  if (settings.is('long') || call.command === 'll') {
    throw new ProgramError("option '--long' is not supported by this shell", 2)
  }
  if (settings.is('global') || settings.is('link') || settings.is('package-lock-only')) {
    throw new ProgramError('`npm ls` of another tree than node_modules is not supported by this shell', 2)
  }
  if (settings.is('production')) await io.stderr.write(logged('warn', 'config', 'production Use `--omit=dev` instead.'))
  const root = await installedTree(io, project.directory)
  const depth = settings.text('depth')
  const items = listItems(root, {
    wanted: args,
    depth: Number(depth ?? (settings.is('all') || args.length > 0 ? Infinity : 0)),
    omitted: [...settings.list('omit'), ...(settings.is('production') ? ['dev'] : [])],
    ...(workspaces && { workspaces }),
  })
  const [top] = items as [Item]
  const problems = [...new Set(items.flatMap((item) => (item.isMeant ? item.problems : [])))]
  const isWrong = problems.some((problem) => !problem.startsWith('extraneous:'))
  if (settings.is('json')) {
    call.output = jsonOf(top, problems)
    if (!isWrong) await io.stdout.write(`${JSON.stringify(call.output, null, 2)}\n`)
  } else if (settings.is('parseable')) await io.stdout.write(`${parseable(items)}\n`)
  else await io.stdout.write(`${human(top, root)}\n`)
  if (!isWrong) return args.length > 0 && !top.isShown ? 1 : 0
  throw new NpmFailure(
    [
      ['code', 'ELSPROBLEMS'],
      ['', problems.join('\n')],
    ],
    { code: 'ELSPROBLEMS' },
  )
}

function labelOf(item: Item, root: Installed): string {
  const { id, node, isDeduped, invalid } = item
  if (node?.isRoot) {
    return Object.keys(node.package.content).length === 0 ? node.directory : `${id} ${node.directory}`
  }
  const missing = node === undefined ? `UNMET ${isOptional(item) ? 'OPTIONAL ' : ''}DEPENDENCY ` : ''
  const isExtraneous = node?.isExtraneous === true && !isDeduped
  const link = node?.linksTo === undefined ? '' : ` -> ${relativeTarget(root, node)}`
  const notes = [isDeduped && 'deduped', invalid !== '' && `invalid: ${invalid}`, isExtraneous && 'extraneous']
  return `${missing}${[id, ...notes].filter(Boolean).join(' ')}${link}`
}

function human(top: Item, root: Installed): string {
  const lines = [labelOf(top, root)]
  const draw = (item: Item, prefix: string) => {
    for (const [index, child] of item.children.entries()) {
      const isLast = index === item.children.length - 1
      lines.push(`${prefix}${isLast ? '└' : '├'}─${child.children.length > 0 ? '┬' : '─'} ${labelOf(child, root)}`)
      draw(child, `${prefix}${isLast ? ' ' : '│'} `)
    }
  }
  draw(top, '')
  if (top.children.length === 0) lines.push('└── (empty)')
  return `${lines.join('\n')}\n`
}

function parseable(items: readonly Item[]): string {
  const paths = items.flatMap(({ node, isMeant }) => (node !== undefined && isMeant ? [node.directory] : []))
  return [...new Set(paths)].join('\n')
}

function jsonOf(item: Item, all?: readonly string[]): Record<string, unknown> {
  const { node, children, isDeduped, invalid, required } = item
  const version = node?.package.content.version
  const name = node?.package.content.name
  const problems = all ?? item.problems
  return {
    ...(typeof version === 'string' && { version }),
    ...(node?.linksTo !== undefined && !isDeduped && { resolved: `file:${linkBetween(node)}` }),
    ...(node !== undefined && !node.isRoot && !isDeduped && { overridden: false }),
    ...(node?.isRoot && typeof name === 'string' && { name }),
    ...(node?.isExtraneous && !isDeduped && { extraneous: true }),
    ...(invalid !== '' && { invalid }),
    ...(node === undefined && !isOptional(item) && { ...(required !== undefined && { required }), missing: true }),
    ...(problems.length > 0 && { problems }),
    ...(children.length > 0 && {
      dependencies: Object.fromEntries(children.map((child) => [child.name, jsonOf(child)])),
    }),
  }
}

/** The way from the link to what it shows. */
function linkBetween({ directory, linksTo = '' }: Installed): string {
  const from = directory.split('/').slice(0, -1)
  const to = linksTo.split('/')
  let same = 0
  while (same < from.length && from[same] === to[same]) same += 1
  return [...from.slice(same).map(() => '..'), ...to.slice(same)].join('/')
}
