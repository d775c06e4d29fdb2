/** Modes hold for changes as for any other program: a rename could replace a file that may not be written. */
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { cliCommand, temporaryDirectory } from '../cli/run-cli.js'

/** Modes do not bind root, so the server runs as somebody else. */
const nobody = 65534
const isRoot = process.getuid?.() === 0

let directory: string
let root: string
beforeEach(async () => {
  directory = await temporaryDirectory()
  root = path.join(directory, 'root')
  fs.mkdirSync(path.join(root, 'closed'), { recursive: true })
  fs.mkdirSync(path.join(directory, 'state'))
  for (const name of ['protected.txt', 'open.txt', 'closed/open.txt']) fs.writeFileSync(path.join(root, name), 'one\n')
  if (isRoot)
    for (const name of ['', 'state', ...everything()]) fs.chownSync(path.join(directory, name), nobody, nobody)
  fs.chmodSync(path.join(root, 'protected.txt'), 0o444)
  fs.chmodSync(path.join(root, 'closed'), 0o555)
})

function everything(): string[] {
  return ['root', 'root/closed', 'root/protected.txt', 'root/open.txt', 'root/closed/open.txt']
}

async function call(dialect: string, ...calls: [tool: string, args: object][]): Promise<string[]> {
  const { command, args, env } = await cliCommand(['--dialect', dialect, root], path.join(directory, 'state'))
  const child = spawn(command, isRoot ? [copied(args[0] as string), ...args.slice(1)] : args, {
    env: { ...process.env, ...env, HOME: directory },
    stdio: ['pipe', 'pipe', 'inherit'],
    ...(isRoot && { uid: nobody, gid: nobody }),
  })
  const answers: string[] = []
  let text = ''
  const next = () => {
    const [tool, given] = calls[answers.length] ?? []
    if (tool === undefined) return child.stdin.end()
    const params = { name: tool, arguments: given }
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })}\n`)
  }
  child.stdout.on('data', (chunk) => {
    text += chunk
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n')) {
      answers.push(text.slice(0, end))
      text = text.slice(end + 1)
      next()
    }
  })
  next()
  await new Promise((resolve) => child.on('close', resolve))
  return answers
}

/** The command where anybody may read it: the checkout may be in a directory of root's own. */
function copied(cli: string): string {
  const [place, built] = [path.join(directory, 'package'), path.dirname(path.dirname(cli))]
  for (const part of ['node', 'chunks']) fs.cpSync(path.join(built, part), path.join(place, part), { recursive: true })
  fs.writeFileSync(path.join(place, 'package.json'), '{ "type": "module" }')
  return path.join(place, 'node', path.basename(cli))
}

const content = (name: string) => fs.readFileSync(path.join(root, name), 'utf8')

test.skipIf(process.platform === 'win32').each<[string, refused: string, (at: string) => [string, object][]]>([
  ['clarvis', 'EACCES: permission denied', (file) => [['write_file', { path: file, content: 'two' }]]],
  [
    'clarvis',
    'EACCES: permission denied',
    (file) => [['edit_file', { path: file, old_string: 'one', new_string: 'two' }]],
  ],
  ['polyfs', 'denied: The system refuses access', (file) => [['write_file', { path: file, content: 'two' }]]],
  ['replay', 'Permission denied', (file) => [['write_file', { path: path.join(root, file), content: 'two' }]]],
  [
    'file-editor',
    'Permission denied',
    (file) => [
      ['set_workspace', { path: root }],
      ['search_and_replace', { path: file, search: 'one', replace: 'two' }],
    ],
  ],
])('%s says %s', async (dialect, refused, calls) => {
  for (const file of ['protected.txt', 'closed/open.txt']) {
    expect((await call(dialect, ...calls(file))).at(-1)).toContain(refused)
    expect(content(file)).toBe('one\n')
  }
  const [, , ...left] = fs.readdirSync(root).sort()
  expect(left).toEqual(['protected.txt'])
  expect((await call(dialect, ...calls('open.txt'))).at(-1)).not.toContain('isError')
  expect(content('open.txt')).toContain('two')
  fs.chmodSync(path.join(root, 'closed'), 0o755)
})

test.skipIf(process.platform === 'win32')('a protected file can be deleted, and that undone', async () => {
  const file = path.join(root, 'protected.txt')
  const [deleted] = await call('polyfs', ['delete', { path: 'protected.txt' }])
  expect([deleted, fs.existsSync(file)]).toEqual([expect.not.stringContaining('isError'), false])
  const [undone] = await call('polyfs', ['history', { action: 'undo' }])
  expect([undone, content('protected.txt')]).toEqual([expect.not.stringContaining('isError'), 'one\n'])
  expect(fs.statSync(file).mode & 0o777).toBe(0o444)
  fs.chmodSync(path.join(root, 'closed'), 0o755)
})
