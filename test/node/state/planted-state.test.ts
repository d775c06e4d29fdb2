/** State that was planted before the server starts, in an archive or by another program: refused or passed over, and nothing waits for it. */
import { execFileSync, spawn } from 'node:child_process'
import { createHash, createHmac } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openDirectories } from '../../../node/workspace/directory-workspace.js'
import { sample } from '../../scale.js'
import { cliCommand, temporaryDirectory } from '../cli/run-cli.js'

interface Places {
  root: string
  /** The state of the root, as a server has left it. */
  state: string
  /** The place of all state. */
  home: string
}

async function places(): Promise<Places> {
  const root = fs.realpathSync(await temporaryDirectory())
  const home = path.join(fs.realpathSync(await temporaryDirectory()), 'state')
  fs.writeFileSync(path.join(root, 'a.txt'), 'zero\n')
  const workspace = await open({ root, home })
  const scopes = [{ path: path.join(root, 'b.txt') }]
  await workspace.changes.run({ label: 'write', scopes }, (draft) =>
    draft.write(path.join(root, 'b.txt'), new TextEncoder().encode('b\n')),
  )
  workspace.close()
  const [name = ''] = fs.readdirSync(home)
  return { root, home, state: path.join(home, name) }
}

async function open({ root, home }: Pick<Places, 'root' | 'home'>) {
  const workspace = await openDirectories([{ directory: root, access: 'read-write' }], {
    stateDirectory: home,
    commands: false,
    fsync: false,
  })
  await workspace.ready
  return workspace
}

/** What a server says in a process of its own, which may hang and take all memory: to a change, to a read, and to the user. */
async function served({
  root,
  home,
}: Places): Promise<{ written: string; read: string; said: string; peakKb: number }> {
  const { command, args, env } = await cliCommand([root], home)
  const child = spawn(command, args, { stdio: 'pipe', env: { ...process.env, ...env } })
  onTestFinished(() => void child.kill('SIGKILL'))
  let [output, said] = ['', '']
  child.stdout.on('data', (chunk) => (output += chunk))
  child.stderr.on('data', (chunk) => (said += chunk))
  const answers = () =>
    output
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line))
  const textOf = (id: number): string | undefined => answers().find((one) => one.id === id)?.result?.content?.[0]?.text
  const clientInfo = { name: 'test', version: '1' }
  const messages = [
    { id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo } },
    { method: 'notifications/initialized' },
    { id: 2, method: 'tools/call', params: { name: 'write_file', arguments: { path: 'new.txt', content: 'new\n' } } },
    { id: 3, method: 'tools/call', params: { name: 'read_file', arguments: { path: 'a.txt' } } },
  ]
  for (const message of messages) child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  await expect.poll(() => [textOf(2), textOf(3)]).not.toContain(undefined)
  const peak = fs.readFileSync(`/proc/${child.pid}/status`, 'utf8')
  return { written: textOf(2) ?? '', read: textOf(3) ?? '', said, peakKb: Number(/VmHWM:\s+(\d+)/.exec(peak)?.[1]) }
}

const kinds: Record<string, (place: string) => void> = {
  'a FIFO': (place) => void execFileSync('mkfifo', ['-m', '600', place]),
  'a link to a directory elsewhere': (place) => {
    fs.mkdirSync(`${place}-elsewhere`, { mode: 0o700 })
    fs.symlinkSync(`${place}-elsewhere`, place)
  },
  'a link to a device': (place) => fs.symlinkSync('/dev/zero', place),
  'a file': (place) => fs.writeFileSync(place, '', { mode: 0o600 }),
}

const onLinux = describe.skipIf(process.platform !== 'linux')

onLinux('in place of a directory', () => {
  const cases = ['pending', 'history', 'corrupt', 'output', 'ui'].flatMap((part) =>
    Object.keys(kinds).map((kind) => [part, kind] as const),
  )
  test.each(sample(cases, { every: 2 }))(
    '%s is %s: there is no history, and a message to the user says what to remove',
    async (part, kind) => {
      const given = await places()
      const place = path.join(given.state, part)
      fs.rmSync(place, { recursive: true, force: true })
      kinds[kind]?.(place)
      const workspace = await open(given)
      expect(workspace.stateFault?.message).toContain(`${place} is not a directory; remove it`)
      expect(workspace.stateDirectories).toEqual([])
      workspace.close()
      if (kind.startsWith('a link to a dir')) expect(fs.readdirSync(`${place}-elsewhere`)).toEqual([])
    },
  )

  test('others may write to it: the same', async () => {
    const given = await places()
    fs.chmodSync(path.join(given.state, 'pending'), 0o777)
    const workspace = await open(given)
    expect(workspace.stateFault?.message).toContain('run chmod 700')
    workspace.close()
  })
})

onLinux('in place of a file', () => {
  test.each(sample(Object.keys(kinds), { every: 2 }))(
    'the key is %s: there is no history, and a message to the user says so',
    async (kind) => {
      const given = await places()
      const key = path.join(given.state, 'key')
      fs.rmSync(key)
      kinds[kind]?.(key)
      const { written, read, said } = await served(given)
      expect(said).toContain(`${key} is not a key of this user's alone; remove ${given.state} to start anew`)
      expect([written, read]).toEqual([expect.stringContaining('created new.txt'), '1\tzero'])
    },
  )

  test.each(sample(Object.keys(kinds), { every: 2 }))(
    'the lock is %s: changes are refused with its name',
    async (kind) => {
      const given = await places()
      const lock = path.join(given.state, 'lock')
      fs.rmSync(lock, { force: true })
      kinds[kind]?.(lock)
      const { written, read } = await served(given)
      expect(written).toBe(
        `busy: new.txt has a lock whose holder is gone. Ask the user to remove ${lock}, then try again.`,
      )
      expect(read).toBe('1\tzero')
    },
  )

  test.each(sample(Object.keys(kinds), { every: 2 }))(
    'a record is %s: it is passed over or set aside',
    async (kind) => {
      const given = await places()
      kinds[kind]?.(path.join(given.state, 'pending/000000000000001-aaaaaaaaaaaa.committed'))
      expect((await served(given)).written).toContain('created new.txt')
    },
  )

  test('the file of a page is what would be waited for: changes are refused, as with any page that can not be heard', async () => {
    for (const kind of Object.keys(kinds)) {
      const given = await places()
      const folder = path.join(given.state, 'ui')
      fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
      kinds[kind]?.(path.join(folder, '1.json'))
      const { written, read } = await served(given)
      expect([written, read]).toEqual([expect.stringContaining("needs the user's approval"), '1\tzero'])
    }
  })
})

onLinux('more than fits into memory', () => {
  test.each([
    ['a pending record', () => 'pending/000000000000001-aaaaaaaaaaaa.committed'],
    ['a record of the history', () => recordNow()],
    ['the file of a page', () => 'ui/1.json'],
    ['the key', () => 'key'],
  ])('%s', async (_, name) => {
    const given = await places()
    const file = path.join(given.state, name())
    fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
    fs.writeFileSync(file, '', { mode: 0o600 })
    fs.truncateSync(file, 2 ** 36)
    const { written, read, peakKb } = await served(given)
    expect(written).toMatch(/created new\.txt|needs the user's approval/)
    expect(read).toBe('1\tzero')
    expect(peakKb).toBeLessThan(1_000_000)
  })

  function recordNow(): string {
    const time = String(Date.now()).padStart(15, '0')
    return `history/${time.slice(0, 10)}/${time}-aaaaaaaaaaaa`
  }
})

/** With the key in hand, as in state that came whole in an archive. */
describe('a record that is sealed with the key', () => {
  const content = 'planted'
  const id = '000000000000001-aaaaaaaaaaaa'
  const hash = (text: string) => createHash('sha256').update(text).digest('hex')
  const fileOf = (text: string) => ({ kind: 'file', hash: hash(text), size: text.length, mode: 0o644 })

  const targets: Record<string, (given: Places, outside: string) => string> = {
    'outside the root': (_, outside) => path.join(outside, 'victim'),
    'behind a link': ({ root }) => path.join(root, 'link/victim'),
    'in .git': ({ root }) => path.join(root, '.git/hooks/victim'),
    'in the state': ({ state }) => path.join(state, 'victim'),
  }
  const states = ['begun', 'committed', 'withdrawn']
  const cases = Object.keys(targets).flatMap((where) => states.map((state) => [where, state] as const))

  test.each(cases)('and names a file %s changes nothing there: %s', async (where, state) => {
    for (const before of [{ kind: 'absent' }, fileOf(content)]) {
      const given = await places()
      const outside = fs.realpathSync(await temporaryDirectory())
      fs.symlinkSync(outside, path.join(given.root, 'link'))
      fs.mkdirSync(path.join(given.root, '.git/hooks'), { recursive: true })
      const file = targets[where]?.(given, outside) ?? ''
      fs.writeFileSync(file, 'theirs')
      const staged = path.join(path.dirname(file), '.polyfs-0123456789abcdef01234567.tmp')
      const steps = [{ do: 'set', path: file, before, after: fileOf('theirs'), staged }]
      const gitDirectories = [path.join(given.root, '.git'), outside]
      const json = JSON.stringify({
        record: { id, label: 'x', atMs: 1, undoable: true, steps, gitDirectories },
        kept: before.kind === 'absent' ? [] : [[hash(content), content.length]],
      })
      const seal = createHmac('sha256', fs.readFileSync(path.join(given.state, 'key')))
        .update(json)
        .digest('hex')
      const record = `${seal} ${json}\n${before.kind === 'absent' ? '' : content}`
      fs.writeFileSync(path.join(given.state, `pending/${id}.${state}`), record, { mode: 0o600 })
      const workspace = await open(given).catch((error) => error)
      if (!(workspace instanceof Error)) {
        await workspace.history.undo(id).catch(() => {})
        workspace.close()
      }
      expect(fs.readFileSync(file, 'utf8')).toBe('theirs')
      expect(fs.existsSync(staged)).toBe(false)
    }
  })
})
