/** `npm version`: prints versions, or raises that of a package. */
import { join } from '../../../../src/fs/path.js'
import type { Bytes } from '../../../../src/fs/types.js'
import { exists } from '../../../io/exists.js'
import { readerOf } from '../../../io/streams.js'
import type { Call, Command } from '../command.js'
import { failure, logged } from '../npm-failure.js'
import { type Package, packageIfAny, readPackage, scriptsOf, writePackage } from '../package-json.js'
import { runScript } from '../script-run.js'
import { incremented, npmVersion, parseVersion, printVersion } from '../version-numbers.js'

export const version: Command = {
  async run(call) {
    const { io, project, args, settings } = call
    if (args.length > 1) throw failure('npm version takes one new version', 'EUSAGE')
    if (args[0] === undefined) return print(call, [project.directory])
    const raised = await raise(call, args[0], {
      directory: project.directory,
      mayCommit: settings.is('git-tag-version'),
    })
    await io.stdout.write(`${settings.text('tag-version-prefix')}${raised}\n`)
    return 0
  },
  async forWorkspaces(call, workspaces) {
    const { io, args, settings } = call
    if (args[0] === undefined)
      return print(
        call,
        workspaces.map(({ directory }) => directory),
      )
    for (const { name, directory } of workspaces) {
      await io.stdout.write(`${name}\n`)
      const raised = await raise(call, args[0], { directory, mayCommit: false })
      await io.stdout.write(`${settings.text('tag-version-prefix')}${raised}\n`)
    }
    return 0
  },
  ignoresWorkspaces: true,
}

/** Of the package, of npm and of the emulated node. */
const ofNode = { node: '20.20.2', modules: '115', uv: '1.46.0', v8: '11.3.244.8-node.33' }

async function print({ io, settings }: Call, directories: readonly string[]): Promise<number> {
  const versions: Record<string, string> = {}
  for (const directory of directories) {
    const { name, version: own } = (await packageIfAny(io, directory))?.content ?? {}
    if (typeof name === 'string' && typeof own === 'string') versions[name] = own
  }
  Object.assign(versions, { npm: npmVersion, ...ofNode })
  const key = (name: string) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : `'${name}'`)
  const lines = Object.entries(versions).map(([name, value]) => `  ${key(name)}: '${value}'`)
  await io.stdout.write(settings.is('json') ? `${JSON.stringify(versions, null, 2)}\n` : `{\n${lines.join(',\n')}\n}\n`)
  return 0
}

interface Raising {
  directory: string
  mayCommit: boolean
}

async function raise(call: Call, wanted: string, { directory, mayCommit }: Raising): Promise<string> {
  const { io, settings } = call
  const found = await readPackage(io, directory, '')
  const current = typeof found.content.version === 'string' ? found.content.version : '0.0.0'
  const next = await nextVersion(call, directory, { wanted, current })
  if (next === printed(current) && !settings.is('allow-same-version')) throw failure('Version not changed')
  const isCommitted = mayCommit && (await exists(io.fs, join(directory, '.git')))
  if (isCommitted) await checkClean(call, directory)
  const env = { npm_old_version: current, npm_new_version: next }
  const changed = { ...found, content: { ...found.content, version: next } }
  await lifecycle(call, 'preversion', { found, env })
  await writePackage(io, found, changed.content)
  const locks = await changeLocks(call, directory, next)
  await lifecycle(call, 'version', { found: changed, env })
  if (isCommitted) await commit(call, directory, { next, files: [found.path, ...locks] })
  await lifecycle(call, 'postversion', { found: changed, env })
  return next
}

function printed(text: string): string | undefined {
  const parsed = parseVersion(text)
  return parsed && printVersion(parsed)
}

async function nextVersion(
  call: Call,
  directory: string,
  { wanted, current }: { wanted: string; current: string },
): Promise<string> {
  const given = printed(wanted === 'from-git' ? await lastTag(call, directory) : wanted)
  if (given !== undefined) return given
  const from = parseVersion(current)
  const raised = from && incremented(from, wanted, call.settings.text('preid') ?? '')
  if (raised === undefined) throw failure(`Invalid version: ${wanted}`)
  return printVersion(raised)
}

async function lastTag(call: Call, directory: string): Promise<string> {
  const { status, text } = await git(call, directory, ['describe', '--tags', '--abbrev=0', '--match=*.*.*'])
  if (status !== 0) throw failure('An unknown git error occurred', String(status))
  return text.trim()
}

async function checkClean(call: Call, directory: string): Promise<void> {
  const { text } = await git(call, directory, ['status', '--porcelain=v1', '-uno'])
  if (text.trim() === '') return
  if (!call.settings.is('force')) throw failure('Git working directory not clean.')
  await call.io.stderr.write(logged('warn', 'version', 'Git working directory not clean, proceeding forcefully.'))
}

async function commit(
  call: Call,
  directory: string,
  { next, files }: { next: string; files: readonly string[] },
): Promise<void> {
  const { settings } = call
  const message = (settings.text('message') ?? '%s').replaceAll('%s', next)
  const same = settings.is('allow-same-version')
  const steps = [
    ...files.map((file) => ['add', file]),
    ['commit', ...(same ? ['--allow-empty'] : []), '-m', message],
    ['tag', same ? '-fm' : '-m', message, `${settings.text('tag-version-prefix')}${next}`],
  ]
  for (const args of steps) {
    const { status } = await git(call, directory, args)
    if (status !== 0) throw failure(`git ${args[0]} failed`, String(status))
  }
}

async function git({ io }: Call, cwd: string, args: readonly string[]): Promise<{ status: number; text: string }> {
  const chunks: Bytes[] = []
  const stdout = {
    write(bytes: Bytes) {
      chunks.push(bytes.slice())
      return undefined
    },
    close: async () => {},
  }
  const status = await io.run(['git', ...args], { cwd, stdout, stdin: readerOf(new Uint8Array()) })
  const decoder = new TextDecoder()
  return { status, text: chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join('') }
}

/** Lock files say the version, too. Their names, of those that are there. */
async function changeLocks({ io }: Call, directory: string, next: string): Promise<string[]> {
  const changed: string[] = []
  for (const name of ['package-lock.json', 'npm-shrinkwrap.json']) {
    const path = join(directory, name)
    if (!(await exists(io.fs, path))) continue
    const text = new TextDecoder().decode(await io.fs.readFile(path))
    const content = JSON.parse(text)
    content.version = next
    if (content.packages?.['']) content.packages[''].version = next
    await writePackage(io, { directory, path, content, text }, content)
    changed.push(path)
  }
  return changed
}

async function lifecycle(
  call: Call,
  event: string,
  { found, env }: { found: Package; env: Record<string, string> },
): Promise<void> {
  const command = scriptsOf(found).get(event)
  if (command === undefined || command === '' || call.settings.is('ignore-scripts')) return
  await runScript(call, { event, command, args: [], directory: found.directory, package: found, hasBanner: true, env })
}
