import { execFileSync } from 'node:child_process'
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { seedFrom } from '../../../node/workspace/seed.js'
import { longTest } from '../../scale.js'
import { initialized, startRaw } from '../serve/raw-server.js'
import { runCli, temporaryDirectory } from './run-cli.js'

const initialize = message(1, 'initialize', {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
})

function message(id: number, method: string, params: object): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params })
}

/** The answers to calls that are sent all at once, in the order of the calls. */
async function call(args: string[], ...calls: Array<[tool: string, args: object]>) {
  const lines = [
    initialize,
    ...calls.map(([name, given], i) => message(i + 2, 'tools/call', { name, arguments: given })),
  ]
  const { code, stdout, stderr } = await runCli(['--dialect', 'clarvis', ...args], `${lines.join('\n')}\n`)
  const answers = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: number; result: { content: [{ text: string }] } })
  const texts = calls.map((_, i) => answers.find(({ id }) => id === i + 2)?.result.content[0].text)
  return { code, stderr, texts }
}

describe('--from', () => {
  test('a directory is copied: files, links, empty directories, modes', async () => {
    const source = await temporaryDirectory()
    await mkdir(join(source, 'a/empty'), { recursive: true })
    await writeFile(join(source, 'a/run.sh'), 'hi\n', { mode: 0o755 })
    await writeFile(join(source, 'a/kept'), 'as it is\n', { mode: 0o444 })
    await symlink('a/run.sh', join(source, 'link'))
    execFileSync('mkfifo', [join(source, 'pipe')])
    const { fs, skipped } = await seedFrom(source)
    expect(skipped).toEqual(['/pipe'])
    expect(Buffer.from(await fs.readFile('/a/run.sh')).toString()).toBe('hi\n')
    expect((await fs.stat('/a/run.sh')).mode).toBe(0o755)
    expect(Buffer.from(await fs.readFile('/a/kept')).toString()).toBe('as it is\n')
    expect((await fs.stat('/a/kept')).mode).toBe(0o444)
    expect(await fs.readLink?.('/link')).toBe('a/run.sh')
    expect(await fs.readDir('/a/empty')).toEqual([])
  })

  test('the tools see the copy, and the directory stays as it is', async () => {
    const source = await temporaryDirectory()
    await writeFile(join(source, 'a.txt'), 'alpha\n')
    const { code, stderr, texts } = await call(
      ['--memory', '--from', source],
      ['edit_file', { path: 'a.txt', old_string: 'alpha', new_string: 'beta' }],
    )
    expect({ code, stderr, texts }).toEqual({ code: 0, stderr: '', texts: ['Replaced 1 occurrence in a.txt.'] })
    expect(await readFile(join(source, 'a.txt'), 'utf8')).toBe('alpha\n')
  })

  test('a JSON file maps paths to text or bytes', async () => {
    const file = join(await temporaryDirectory(), 'tree.json')
    await writeFile(file, JSON.stringify({ 'src/a.txt': 'alpha\n', '/b.bin': { base64: 'AAE=' }, 'none/': '' }))
    const { fs } = await seedFrom(file)
    expect((await fs.readDir('/')).map(({ name }) => name).sort()).toEqual(['b.bin', 'none', 'src'])
    expect([...(await fs.readFile('/b.bin'))]).toEqual([0, 1])
  })

  test('an invalid source is rejected with the reason', async () => {
    const directory = await temporaryDirectory()
    const refusal = async (name: string, content: string) => {
      const file = join(directory, name)
      await writeFile(file, content)
      return seedFrom(file).then(
        () => 'taken',
        (error: Error) => error.message.replace(directory, ''),
      )
    }
    expect(await refusal('a.json', '[]')).toBe('/a.json is not a tree: it must map paths to text')
    expect(await refusal('a.json', '{"a":1}')).toBe('/a.json: "a" is neither text nor { "base64": "…" }')
    expect(await refusal('a.json', '{"../a":""}')).toBe('/a.json: "../a" leads out of the tree')
    expect(await refusal('a.json', '{')).toMatch(/^\/a\.json is not JSON: /)
    expect(await refusal('a.txt', '')).toBe('--from takes a directory, a .zip or a .json file, not /a.txt')
    expect(await refusal('a.zip', 'PK')).toBe('/a.zip is refused: not-an-archive')
    const { code, stderr } = await runCli(['--memory', '--from', join(directory, 'missing')])
    expect({ code, stderr }).toEqual({ code: 2, stderr: `polyfs: no such file or directory: ${directory}/missing\n` })
  })
})

test('--save writes an archive that --from can read', async () => {
  const directory = await temporaryDirectory()
  const archive = join(directory, 'tree.zip')
  await writeFile(join(directory, 'tree.json'), JSON.stringify({ '.git/HEAD': 'ref: refs/heads/main\n' }))
  const saved = await call(
    ['--memory', '--from', join(directory, 'tree.json'), '--save', archive],
    ['write_file', { path: 'a.txt', content: 'alpha\n' }],
  )
  expect(saved).toEqual({ code: 0, stderr: '', texts: [expect.stringContaining('a.txt')] })
  const { fs } = await seedFrom(archive)
  expect(Buffer.from(await fs.readFile('/a.txt')).toString()).toBe('alpha\n')
  expect(Buffer.from(await fs.readFile('/.git/HEAD')).toString()).toBe('ref: refs/heads/main\n')
})

longTest('highly compressible files survive --save and --from; links that do not are reported', async () => {
  const directory = await temporaryDirectory()
  const archive = join(directory, 'tree.zip')
  await writeFile(join(directory, 'tree.json'), JSON.stringify({ zeros: '0'.repeat(20_000_000) }))
  const server = await initialized(
    await startRaw(['--dialect', 'clarvis', '--memory', '--from', join(directory, 'tree.json'), '--save', archive]),
  )
  await server.call(1, 'bash', { command: 'ln -s zeros link' })
  server.child.stdin?.end()
  expect(await server.closed).toEqual([0, null])
  expect(server.stderr()).toBe(`polyfs: not in ${archive}, which can hold no links: /link\n`)
  const { fs } = await seedFrom(archive)
  expect((await fs.stat('/zeros')).size).toBe(20_000_000)
})

test('--overlay does not modify the disk, and --patch-out writes the changes', async () => {
  const root = await temporaryDirectory()
  await writeFile(join(root, 'a.txt'), 'alpha\n')
  const patch = join(await temporaryDirectory(), 'out.patch')
  const { code, stderr } = await call(
    ['--overlay', '--patch-out', patch, root],
    ['write_file', { path: 'a.txt', content: 'beta\n' }],
    ['write_file', { path: 'b.txt', content: 'new' }],
  )
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(await readFile(join(root, 'a.txt'), 'utf8')).toBe('alpha\n')
  execFileSync('git', ['apply', patch], { cwd: root, stdio: 'pipe' })
  expect(await readFile(join(root, 'a.txt'), 'utf8')).toBe('beta\n')
  expect(await readFile(join(root, 'b.txt'), 'utf8')).toBe('new')
})

test('commands on an overlay are emulated: what they change is in the patch, and not on the disk', async () => {
  const root = await temporaryDirectory()
  await writeFile(join(root, 'a.txt'), 'alpha\n')
  const patch = join(await temporaryDirectory(), 'out.patch')
  const server = await initialized(await startRaw(['--dialect', 'clarvis', '--overlay', '--patch-out', patch, root]))
  const { result } = await server.call(1, 'bash', { command: 'sed -i s/alpha/omega/ a.txt && cat a.txt' })
  expect(result?.content?.[0]?.text).toContain('omega')
  server.child.stdin?.end()
  expect(await server.closed).toEqual([0, null])
  expect(await readFile(join(root, 'a.txt'), 'utf8')).toBe('alpha\n')
  expect(await readFile(patch, 'utf8')).toContain('-alpha\n+omega\n')
})

test('an output that can not be written is reported at start', async () => {
  const root = await temporaryDirectory()
  const refused = async (...args: string[]) => {
    const { code, stderr } = await runCli(args)
    return `${code} ${stderr.replaceAll(root, '')}`
  }
  const nowhere = join(root, 'no/such/place')
  expect(await refused('--overlay', '--patch-out', nowhere, root)).toBe('2 polyfs: no such directory: /no/such\n')
  expect(await refused('--memory', '--save', nowhere)).toBe('2 polyfs: no such directory: /no/such\n')
  expect(await refused('--memory', '--save', root)).toBe('2 polyfs:  is a directory\n')
})

test('a patch that can not be written at exit is reported, with a non-zero exit code', async () => {
  const place = join(await temporaryDirectory(), 'place')
  await mkdir(place)
  const server = await initialized(
    await startRaw(['--overlay', '--patch-out', join(place, 'p'), await temporaryDirectory()]),
  )
  await rm(place, { recursive: true })
  server.child.stdin?.end()
  expect(await server.closed).toEqual([1, null])
})

test('--log records every call, without content', async () => {
  const root = await temporaryDirectory()
  await writeFile(join(root, 'a.txt'), 'secret\n')
  const log = join(await temporaryDirectory(), 'calls.jsonl')
  await writeFile(log, '{"earlier":"line"}\n')
  await call(
    ['--log', log, root],
    ['read_file', { path: 'a.txt' }],
    ['write_file', { path: 'b.txt', content: 'top secret' }],
    ['read_file', { path: '../outside' }],
    ['read_file', {}],
    ['no_such_tool', {}],
  )
  const text = await readFile(log, 'utf8')
  expect(text).not.toContain('secret')
  const [earlier, ...lines] = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(earlier).toEqual({ earlier: 'line' })
  for (const line of lines) {
    expect(Math.abs(Date.now() - Date.parse(line.time))).toBeLessThan(60_000)
    expect(line.durationMs).toBeGreaterThanOrEqual(0)
    delete line.time
    delete line.durationMs
  }
  const byOutcome = (a: { tool: string; outcome: string }, b: { tool: string; outcome: string }) =>
    `${a.tool} ${a.outcome}` < `${b.tool} ${b.outcome}` ? -1 : 1
  expect(lines.sort(byOutcome)).toEqual([
    { tool: 'no_such_tool', paths: [], givenBytes: 0, outcome: 'UNKNOWN_TOOL' },
    { tool: 'read_file', paths: [], givenBytes: 0, outcome: 'INVALID_INPUT' },
    { tool: 'read_file', paths: ['../outside'], givenBytes: 10, outcome: 'OUTSIDE' },
    { tool: 'read_file', paths: [join(root, 'a.txt')], givenBytes: 5, answerBytes: 13, outcome: 'ok' },
    { tool: 'write_file', paths: [join(root, 'b.txt')], givenBytes: 15, answerBytes: 34, outcome: 'ok' },
  ])
})

test('--log records resource reads and prompts', async () => {
  const root = await temporaryDirectory()
  await writeFile(join(root, 'a.txt'), 'secret\n')
  const log = join(await temporaryDirectory(), 'calls.jsonl')
  const server = await initialized(await startRaw(['--log', log, root]))
  await server.request(1, 'resources/read', { uri: `polyfs://${join(root, 'a.txt')}` })
  await server.request(2, 'resources/read', { uri: 'polyfs:///no/such' })
  await server.request(3, 'prompts/get', { name: 'explore', arguments: {} })
  const lines = (await readFile(log, 'utf8')).trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line)).map(({ tool, paths, outcome }) => [tool, paths, outcome])).toEqual([
    ['resources/read', [join(root, 'a.txt')], 'ok'],
    ['resources/read', ['/no/such'], 'OUTSIDE'],
    ['prompts/get', [], 'ok'],
  ])
})

test('a log that can not be written stops no call, and is reported once', async () => {
  const root = await temporaryDirectory()
  const calls: Array<[string, object]> = [
    ['list_dir', {}],
    ['list_dir', {}],
  ]
  const { code, stderr, texts } = await call(['--log', '/dev/full', root], ...calls)
  expect({ code, texts: texts.length }).toEqual({ code: 0, texts: 2 })
  expect(stderr.match(/ENOSPC/g)).toHaveLength(1)
})

describe('limits', () => {
  test('sizes and times are accepted, with unit letters', async () => {
    const root = await temporaryDirectory()
    await writeFile(join(root, 'a.txt'), 'x'.repeat(5000))
    const { texts } = await call(['--max-file-bytes', '4k', root], ['read_file', { path: 'a.txt' }])
    expect(texts[0]).toContain('"error":"too_large"')
  })

  test.each([
    [['--max-file-bytes', 'much'], '--max-file-bytes takes bytes, such as 65536 or 64k, and at least 1k'],
    [['--max-output-bytes', '12'], '--max-output-bytes takes bytes, such as 65536 or 64k, and at least 1k'],
    [['--command-timeout', '0'], "--command-timeout takes a whole number, not '0'"],
  ])('%s is refused', async (args, reason) => {
    const { code, stderr } = await runCli([...args, '.'])
    expect({ code, stderr }).toEqual({ code: 2, stderr: `polyfs: ${reason} (polyfs --help shows the options)\n` })
  })

  longTest('a flag that requires another names it', async () => {
    const reason = async (...args: string[]) => (await runCli(args)).stderr
    expect(await reason('--from', 'x', '.')).toContain('--from requires --memory')
    expect(await reason('--patch-out', 'x', '.')).toContain('--patch-out requires --overlay')
    expect(await reason('--overlay', '--memory')).toContain('--overlay requires a directory')
    expect(await reason('--overlay', '--patch-out', 'x', '.', '..')).toContain('--patch-out takes one directory only')
  })
})
