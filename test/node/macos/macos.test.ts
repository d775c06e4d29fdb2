/** The built command as on macOS: another platform, no /proc. What its file system does with names is in core/ops/spellings. */
import { spawn } from 'node:child_process'
import { mkdir, readdir, rename, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { describeVectors } from '../../dialects/vectors/suite.js'
import { isFull, scaled } from '../../scale.js'
import { built } from '../cli/built.js'
import { cliCommand, type Finished, temporaryDirectory } from '../cli/run-cli.js'
import { editFromAll, leftIn, plantTree } from '../locks/parallel-servers.js'
import { stdioBackend } from '../serve/stdio-backend.js'
import { asMacos, whyNotMacos } from './no-proc.js'

const reason = whyNotMacos()

async function run(given: readonly string[], env: Record<string, string> = {}): Promise<Finished> {
  built('node/cli.js')
  const { command, args } = await cliCommand(given)
  const [program = '', ...first] = asMacos
  const { POLYFS_STATE_DIR: _, XDG_STATE_HOME: __, ...inherited } = process.env
  const child = spawn(program, [...first, command, ...args], { env: { ...inherited, ...env }, stdio: 'pipe' })
  const finished: Finished = { code: null, stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      finished[stream] += text
    })
  child.stdin.end()
  return new Promise((resolve, reject) =>
    child.on('error', reject).on('close', (code) => resolve({ ...finished, code })),
  )
}

describe.skipIf(reason !== undefined)(`as on macOS${reason === undefined ? '' : ` (${reason})`}`, () => {
  test('state is in Application Support, and doctor says what is there and what is not', async () => {
    const [home, root] = [await temporaryDirectory(), await temporaryDirectory()]
    await writeFile(join(root, 'a.txt'), 'a')
    const { code, stdout, stderr } = await run(['doctor', root], { HOME: home })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain(join(home, 'Library/Application Support/polyfs'))
    expect(stdout).toContain('paths are checked component by component')
    await run([root], { HOME: home })
    expect(await readdir(home)).toEqual(['Library'])
    expect(await readdir(join(home, 'Library/Application Support/polyfs'))).toHaveLength(1)
  })

  test('a sandbox that is required is refused', async () => {
    const root = await temporaryDirectory()
    const { code, stderr } = await run(['--sandbox', 'require', root], { HOME: await temporaryDirectory() })
    expect(code).not.toBe(0)
    expect(stderr).toMatch(/^polyfs: commands can't be confined as required/)
  })

  test('servers with states of their own lose none of their edits of one file', async () => {
    const directory = await plantTree()
    const ways = ['state-a', 'state-b'].map((state) => ({
      root: join(directory, 'repo'),
      file: 'pkg/lines.txt',
      state: join(directory, state),
      through: asMacos,
    }))
    const rounds = scaled(10)
    expect(await editFromAll(directory, ways, rounds)).toEqual({ acknowledged: rounds * 64, refused: [], lost: 0 })
    await expect.poll(() => leftIn(directory)).toEqual([])
  })

  test('so do they where the path is too long for a socket', async () => {
    const directory = await plantTree()
    const long = join('d'.repeat(100), 'e'.repeat(100))
    await mkdir(join(directory, 'repo', long), { recursive: true })
    await rename(join(directory, 'repo/pkg'), join(directory, 'repo', long, 'pkg'))
    await symlink(join(directory, 'repo', long, 'pkg'), join(directory, 'repo/pkg'))
    const ways = ['state-a', 'state-b'].map((state) => ({
      root: join(directory, 'repo', long, 'pkg'),
      file: 'lines.txt',
      state: join(directory, state),
      through: asMacos,
    }))
    expect(await editFromAll(directory, ways, 1)).toEqual({ acknowledged: 64, refused: [], lost: 0 })
    await expect.poll(() => leftIn(directory)).toEqual([])
  })

  if (isFull) {
    describeVectors({ ...stdioBackend([...asMacos, process.execPath]), name: 'the built server as on macOS' })
  }
})
