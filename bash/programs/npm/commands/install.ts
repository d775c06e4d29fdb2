/** `npm install`, `npm ci` and `npm uninstall`: from a registry that the host allows. Scripts of packages are never run. */
import { basename } from '../../../../src/fs/path.js'
import { encodeText } from '../../../io/byte-text.js'
import { ProgramError } from '../../program-error.js'
import type { Call, Command } from '../command.js'
import { type BuildGiven, buildTree, isOptionalOnly } from '../install/build-tree.js'
import { markNeeded } from '../install/flags.js'
import { addWorkspace, loadLock, printLock, readLock } from '../install/lock-file.js'
import { PeerConflict } from '../install/place.js'
import { type Registry, registryOf } from '../install/registry.js'
import { isPackageName, parseWanted } from '../install/spec.js'
import { detach, edgesTo, inventory, loadEdges, type TreeNode, treeNode, versionOf } from '../install/tree.js'
import { type Written, writeTree } from '../install/write-tree.js'
import { failure, logged, NpmFailure } from '../npm-failure.js'
import {
  isObject,
  type JsonObject,
  type Package,
  packageIfAny,
  scriptsOf,
  textIfAny,
  writePackage,
} from '../package-json.js'
import { comparePackages } from '../package-order.js'
import { workspacesOf } from '../project.js'
import { runScript } from '../script-run.js'
import { parseVersion, satisfies } from '../version-numbers.js'

export const install: Command = { run: (call) => change(call, 'install'), forWorkspaces: () => notForWorkspaces() }
export const ci: Command = { run: (call) => change(call, 'ci'), forWorkspaces: () => notForWorkspaces() }
export const uninstall: Command = { run: (call) => change(call, 'uninstall'), forWorkspaces: () => notForWorkspaces() }

function notForWorkspaces(): never {
  throw new ProgramError(
    'packages of single workspaces are not installed by this shell: install in the directory of the project',
    2,
  )
}

const dependencyKinds = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'] as const
type DependencyKind = (typeof dependencyKinds)[number]

async function change(call: Call, action: 'install' | 'ci' | 'uninstall'): Promise<number> {
  const { io, settings, project, args } = call
  if (settings.is('global')) throw new ProgramError('nothing is installed globally by this shell', 2)
  const begun = io.clock.elapsed()
  const top = project.directory
  const found = (await packageIfAny(io, top)) ?? { directory: top, path: `${top}/package.json`, content: {}, text: '' }
  if (isObject(found.content.overrides) && Object.keys(found.content.overrides).length > 0) {
    throw new ProgramError('"overrides" of package.json is not supported by this shell', 2)
  }
  const ignoresPeers = settings.is('legacy-peer-deps')
  const content = JSON.parse(JSON.stringify(found.content)) as JsonObject
  dropListedTwice(content)
  const lock = settings.is('package-lock') ? await readLock(io, top) : undefined
  const isCi = action === 'ci'
  if (isCi && lock === undefined) throw noLock()
  const requests = isCi ? [] : changed(content, action, call)
  const root = treeNode({ name: String(content.name ?? basename(top)), manifest: content, ignoresPeers, directory: '' })
  await addWorkspaces(call, root, { top, ignoresPeers })
  const hidden = lock === undefined && !isCi ? await hiddenLock(call, top) : undefined
  const known = lock ?? hidden
  if (known !== undefined) await loadLock(io, root, { lock: known, top, ignoresPeers })
  const registry = registryOf(io, settings)
  const isProject = args.length === 0 && !settings.is('ignore-scripts')
  if (isProject) await runScripts(call, found, ['preinstall'])
  const built: BuildGiven = {
    io,
    registry,
    root,
    top,
    explicit: new Set(action === 'install' ? requests.map(({ name }) => name) : []),
    ignoresPeers,
    prefersDeduped: settings.is('prefer-dedupe'),
    strategy: settings.text('install-strategy') ?? 'hoisted',
    force: settings.is('force'),
  }
  if (isCi) checkInSync(root)
  const isChanged = !isCi && ((await buildOrExplain(built)).isChanged || requests.length > 0)
  markNeeded(root)
  // As npm does: what a first install placed for a version that was replaced stays, marked as extraneous, until the next one.
  const isFromInstalled = hidden !== undefined && Object.keys(hidden.packages).length > 0
  if (!isCi && (lock !== undefined || (isFromInstalled && isChanged))) detachExtraneous(root)
  if (!isCi && settings.is('save') && requests.length > 0) saveRequests(call, { root, content, requests, action })
  const folder = basename(top)
  const wanted = wantedNodes(call, root)
  const hasBins = settings.is('bin-links')
  const isSaved = isCi || (settings.is('save') && settings.is('package-lock'))
  if (settings.is('dry-run')) return summary(call, { added: [...wanted], removed: 0, changed: [] }, begun)
  const lockText = printLock({
    root,
    folder,
    version: lock?.version ?? lockVersion(call),
    before: lock?.text ?? found.text,
  })
  const written: Written = settings.is('package-lock-only')
    ? { added: [], removed: 0, changed: [] }
    : await writeTree({ io, registry, root, top, folder, wanted, isClean: isCi, hasBins, isSaved })
  if (!isCi && settings.is('save')) {
    if (requests.length > 0) await writePackage(io, found, content)
    if (settings.is('package-lock'))
      await io.fs.writeFile(`${top === '/' ? '' : top}/${lock?.name ?? 'package-lock.json'}`, encodeText(lockText))
  }
  for (const { manifest } of written.added) {
    if (typeof manifest.deprecated !== 'string' || settings.text('loglevel') === 'silent') continue
    await io.stderr.write(logged('warn', 'deprecated', `${manifest.name}@${manifest.version}: ${manifest.deprecated}`))
  }
  if (isProject && !settings.is('package-lock-only')) {
    await runScripts(call, found, ['install', 'postinstall', 'prepublish', 'preprepare', 'prepare', 'postprepare'])
  }
  return summary(call, written, begun)
}

function lockVersion({ settings }: Call): number {
  return settings.text('lockfile-version') === '2' ? 2 : 3
}

function noLock(): NpmFailure {
  return new NpmFailure(
    [
      ['code', 'EUSAGE'],
      ['', ''],
      ['', 'The `npm ci` command can only install with an existing package-lock.json or'],
      ['', 'npm-shrinkwrap.json with lockfileVersion >= 1. Run an install with npm@5 or'],
      ['', 'later to generate a package-lock.json file, then try again.'],
    ],
    { code: 'EUSAGE' },
  )
}

async function hiddenLock({ io }: Call, top: string) {
  const text = await textIfAny(io, `${top === '/' ? '' : top}/node_modules/.package-lock.json`)
  if (text === undefined) return undefined
  try {
    const { packages } = JSON.parse(text) as JsonObject
    return { name: 'node_modules/.package-lock.json', version: 3, packages: isObject(packages) ? packages : {}, text }
  } catch {
    return undefined
  }
}

async function addWorkspaces(
  { io }: Call,
  root: TreeNode,
  { top, ignoresPeers }: { top: string; ignoresPeers: boolean },
): Promise<void> {
  const found = await workspacesOf(io, { directory: top, path: '', content: root.manifest, text: '' })
  for (const [name, at] of [...found].sort(([one], [other]) => comparePackages(one, other))) {
    const manifest = (await packageIfAny(io, at))?.content ?? {}
    const directory = at.slice(top.length).replace(/^\//, '')
    const target = treeNode({ name, manifest, ignoresPeers, fsParent: root, directory })
    addWorkspace(root, target, name, ignoresPeers)
  }
}

interface Request {
  name: string
  spec: string
  kind: DependencyKind
}

/** Where a package is listed twice, the first of these is meant. */
const inferredKinds = ['devDependencies', 'optionalDependencies', 'dependencies', 'peerDependencies'] as const

/** Where a package is no longer listed once it is in the one. */
const excluded: Record<DependencyKind, readonly DependencyKind[]> = {
  dependencies: ['devDependencies', 'peerDependencies', 'optionalDependencies'],
  devDependencies: ['dependencies'],
  optionalDependencies: ['peerDependencies', 'dependencies'],
  peerDependencies: ['dependencies', 'optionalDependencies'],
}

/** Puts what was asked for into the package, as it was asked for. */
function changed(content: JsonObject, action: 'install' | 'uninstall', { settings, args }: Call): Request[] {
  return args.map((text) => {
    const { name, spec } = parseWanted(text)
    if (name === undefined)
      throw new ProgramError(`${text} is not installed by this shell: it takes names of packages in a registry`, 2)
    if (!isPackageName(name)) throw failure(`Invalid package name "${name}"`, 'EINVALIDPACKAGENAME')
    const listed = (kind: DependencyKind) => (isObject(content[kind]) ? (content[kind] as JsonObject) : undefined)
    const present = inferredKinds.filter((kind) => listed(kind)?.[name] !== undefined)
    const asked: DependencyKind | undefined = settings.is('save-dev')
      ? 'devDependencies'
      : settings.is('save-optional')
        ? 'optionalDependencies'
        : settings.is('save-peer')
          ? 'peerDependencies'
          : settings.is('save-prod')
            ? 'dependencies'
            : undefined
    const kind = asked ?? present[0] ?? 'dependencies'
    const before = listed(kind)?.[name]
    for (const each of action === 'uninstall' ? dependencyKinds : excluded[kind]) {
      const names = listed(each)
      if (names?.[name] === undefined || (action === 'install' && each === kind)) continue
      delete names[name]
      if (Object.keys(names).length === 0) delete content[each]
    }
    if (action === 'install') {
      const wanted = spec === '' && typeof before === 'string' ? before : spec === '' ? '*' : spec
      content[kind] = { ...listed(kind), [name]: wanted }
    }
    return { name, spec, kind }
  })
}

function detachExtraneous(root: TreeNode): void {
  for (const node of inventory(root)) if (node.flags.extraneous && node.parent !== undefined) detach(node)
}

async function buildOrExplain(given: BuildGiven): Promise<{ isChanged: boolean }> {
  try {
    return await buildTree(given)
  } catch (error) {
    if (!(error instanceof PeerConflict)) throw error
    const { edge, node } = error
    const found = given.root.children.get(edge.name)
    throw new NpmFailure(
      [
        ['code', 'ERESOLVE'],
        ['ERESOLVE', 'unable to resolve dependency tree'],
        ['', ''],
        ['', `Found: ${edge.name}@${versionOf(found ?? node)}`],
        ['', `Could not resolve dependency:`],
        [
          '',
          `${edge.isPeer ? 'peer ' : ''}${edge.name}@"${edge.spec}" from ${String(edge.from.manifest.name ?? 'the root project')}`,
        ],
        ['', ''],
        ['', 'Fix the upstream dependency conflict, or retry'],
        ['', 'this command with --force or --legacy-peer-deps'],
        ['', 'to accept an incorrect (and potentially broken) dependency resolution.'],
      ],
      { code: 'ERESOLVE' },
    )
  }
}

/** `npm ci` takes the lock file as it is: it must have all that packages need. */
function checkInSync(root: TreeNode): void {
  const missing: string[] = []
  for (const node of inventory(root)) {
    for (const edge of node.edges.values()) {
      const { to } = edge
      if (edge.isPeer || (to === undefined && edge.type === 'optional' && node.parent !== undefined)) continue
      if (to === undefined) missing.push(`Missing: ${edge.name}@${edge.spec} from lock file`)
      else if (!edge.isValid && node.parent === undefined) {
        missing.push(`Invalid: lock file's ${edge.name}@${versionOf(to)} does not satisfy ${edge.name}@${edge.spec}`)
      }
    }
  }
  if (missing.length === 0) return
  throw new NpmFailure(
    [
      ['code', 'EUSAGE'],
      ['', ''],
      [
        '',
        '`npm ci` can only install packages when your package.json and package-lock.json or npm-shrinkwrap.json are in sync. Please update your lock file with `npm install` before continuing.',
      ],
      ['', ''],
      ...missing.map((line) => ['', line] as const),
    ],
    { code: 'EUSAGE' },
  )
}

interface SaveGiven {
  root: TreeNode
  content: JsonObject
  requests: readonly Request[]
  action: 'install' | 'ci' | 'uninstall'
}

/** The versions that came of it, in the order of names. */
function saveRequests({ settings }: Call, { root, content, requests, action }: SaveGiven): void {
  for (const { name, spec, kind } of action === 'install' ? requests : []) {
    const node = root.children.get(name)
    const names = content[kind]
    if (node === undefined || node.target !== undefined || !isObject(names)) continue
    // Without a version, the range that is listed already was installed.
    const installed = spec === '' ? String(names[name] ?? '') : spec
    const isAlias = installed.startsWith('npm:')
    const range = savedRange(
      versionOf(node),
      isAlias ? (/^npm:.[^@]*@(.*)$/.exec(installed)?.[1] ?? '') : installed,
      settings.is('save-exact') ? '' : (settings.text('save-prefix') ?? '^'),
    )
    names[name] = isAlias ? `npm:${String(node.manifest.name)}@${range}` : range
  }
  dropListedTwice(content)
  for (const kind of dependencyKinds) {
    const names = content[kind]
    if (isObject(names))
      content[kind] = Object.fromEntries(Object.entries(names).sort(([one], [other]) => comparePackages(one, other)))
  }
  root.manifest = content
  const workspaces = [...root.edges.values()].filter(({ type }) => type === 'workspace')
  loadEdges(root, settings.is('legacy-peer-deps'))
  for (const edge of workspaces) root.edges.set(edge.name, edge)
  if (action === 'install' && !settings.is('save-optional')) root.manifest = withOptionalTwice(content, requests)
}

/** In the lock file, npm lists what was optional and is installed by its name twice, until the next install. */
function withOptionalTwice(content: JsonObject, requests: readonly Request[]): JsonObject {
  const { dependencies, optionalDependencies } = content
  const names = requests.filter(({ kind }) => kind === 'optionalDependencies').map(({ name }) => name)
  if (names.length === 0 || !isObject(optionalDependencies)) return content
  const twice = Object.fromEntries(names.map((name) => [name, optionalDependencies[name] ?? '']))
  return { ...content, dependencies: { ...(isObject(dependencies) ? dependencies : {}), ...twice } }
}

/** What is optional is not needed too. */
function dropListedTwice({ dependencies, optionalDependencies }: JsonObject): void {
  if (!isObject(dependencies) || !isObject(optionalDependencies)) return
  for (const name of Object.keys(optionalDependencies)) delete dependencies[name]
}

/** A range that was asked for stays only where it is narrower than what npm would write. */
function savedRange(version: string, asked: string, prefix: string): string {
  const saved = `${prefix}${version}`
  const parsed = parseVersion(version)
  const isRange = asked !== '' && satisfies('0.0.0', asked) !== undefined && parseVersion(asked) === undefined
  if (!isRange || parsed === undefined || prefix === '') return saved
  const [major, minor, patch] = parsed.numbers
  const far = 1_000_000
  const highest =
    prefix === '~' || (major === 0 && minor > 0)
      ? `${major}.${minor}.${far}`
      : major === 0
        ? `0.0.${patch}`
        : `${major}.${far}.${far}`
  return satisfies(highest, asked) === true ? saved : asked
}

function wantedNodes({ settings }: Call, root: TreeNode): Set<TreeNode> {
  const left = new Set(settings.list('omit'))
  if (settings.is('production') || settings.has('only')) left.add('dev')
  for (const kind of settings.list('include')) left.delete(kind)
  const isLeftOut = ({ flags: { dev, optional, devOptional, peer } }: TreeNode) =>
    (dev && left.has('dev')) ||
    (optional && left.has('optional')) ||
    (devOptional && left.has('dev') && left.has('optional')) ||
    (peer && left.has('peer'))
  const wanted = new Set(inventory(root).filter((node) => !isLeftOut(node)))
  const foreign = [...wanted].filter(
    (node) => node.target === undefined && node.parent !== undefined && !isForHere(node.manifest),
  )
  for (const node of foreign) {
    if (!node.flags.optional && !isOptionalOnly(node)) {
      throw failure(
        `Unsupported platform for ${node.name}@${versionOf(node)}: wanted ${JSON.stringify({ os: node.manifest.os, cpu: node.manifest.cpu })} (current: {"os":"linux","cpu":"x64"})`,
        'EBADPLATFORM',
      )
    }
  }
  const skipped = new Set(foreign)
  for (const node of skipped) {
    for (const { from, type } of edgesTo(node)) {
      if (type !== 'optional' && type !== 'peerOptional' && from.flags.optional && from.parent !== undefined)
        skipped.add(from)
    }
  }
  for (const node of skipped) {
    for (const { to } of node.edges.values()) {
      if (to !== undefined && to.parent !== undefined && edgesTo(to).every(({ from }) => skipped.has(from)))
        skipped.add(to)
    }
  }
  for (const node of skipped) wanted.delete(node)
  return wanted
}

const here = { os: 'linux', cpu: 'x64', libc: 'glibc' }

function isForHere(manifest: JsonObject): boolean {
  return (['os', 'cpu', 'libc'] as const).every((key) => {
    const given = manifest[key]
    const list = (Array.isArray(given) ? given : given === undefined ? [] : [given]).map(String)
    if (list.length === 0 || (list.length === 1 && list[0] === 'any')) return true
    if (list.includes(`!${here[key]}`)) return false
    return list.includes(here[key]) || list.every((each) => each.startsWith('!'))
  })
}

async function runScripts(call: Call, found: Package, events: readonly string[]): Promise<void> {
  const scripts = scriptsOf(found)
  for (const event of events) {
    const command = scripts.get(event)
    if (command === undefined) continue
    await runScript(call, { event, command, args: [], directory: found.directory, package: found, hasBanner: true })
  }
}

async function summary(
  { io, settings }: Call,
  { added, removed, changed: others }: Written,
  begun: number,
): Promise<number> {
  if (settings.text('loglevel') === 'silent') return 0
  const plural = (verb: string, count: number) =>
    count === 0 ? [] : [`${verb} ${count} package${count === 1 ? '' : 's'}`]
  const parts = [...plural('added', added.length), ...plural('removed', removed), ...plural('changed', others.length)]
  const text = parts.length > 1 ? `${parts.slice(0, -1).join(', ')}, and ${parts.at(-1)}` : (parts[0] ?? 'up to date')
  const ms = Math.round(io.clock.elapsed() - begun)
  await io.stdout.write(`\n${text} in ${ms < 1000 ? `${ms}ms` : `${Math.round(ms / 1000)}s`}\n`)
  return 0
}

export type { Registry }
