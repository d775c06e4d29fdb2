/** `nativeTools` in the loops of the vendors' own SDKs, against stand-ins of their APIs. With `npm test -- --clients`, which installs them. */
import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { built } from '../node/cli/built.js'
import { installedFrom } from '../npm-cache.mjs'

const isAll = process.env.POLYFS_TEST_CLIENTS !== undefined
const run = promisify(execFile)
const folder = fileURLToPath(new URL('.', import.meta.url))
const project = fileURLToPath(new URL('../..', import.meta.url))

let modules: string

describe.runIf(isAll)('nativeTools', () => {
  beforeAll(async () => {
    built('index.js')
    modules = join(await installedFrom('polyfs-test-clients', folder), 'node_modules')
  }, 1_800_000)

  test('in the tool runner of Anthropic', async () => {
    expect(await said('anthropic')).toEqual({
      tools: [
        { type: 'text_editor_20250728', name: 'str_replace_based_edit_tool' },
        { type: 'bash_20250124', name: 'bash' },
        { type: 'memory_20250818', name: 'memory' },
      ],
      results: [
        ['1: one\n2: ', false],
        ['Successfully replaced text at exactly one location.', false],
        ['Error: No match found for replacement. Please check your text and try again.', true],
        ['ONE', false],
        ['File created successfully at: /memories/n.md', false],
      ],
      final: 'done',
      changes: 3,
    })
  })

  test('in the Agents SDK of OpenAI, and as items of its Responses API', async () => {
    const patched = { type: 'apply_patch_call_output', status: 'completed', output: 'Updated a.txt' }
    const failed = {
      type: 'apply_patch_call_output',
      status: 'failed',
      output: 'Error: The patch does not fit a.txt (hunk 1): its lines are not in the file.',
    }
    const ran = {
      type: 'shell_call_output',
      output: [
        { stdout: 'ONE\n', stderr: '', outcome: { type: 'exit', exit_code: 0 } },
        { stdout: '', stderr: '', outcome: { type: 'exit', exit_code: 3 } },
      ],
    }
    const { sent, handled, ...rest } = await said('openai')
    expect(rest).toEqual({
      tools: ['apply_patch', 'shell'],
      named: [{ type: 'apply_patch' }, { type: 'shell' }],
      final: 'done',
    })
    const expected = [patched, failed, ran].map((output, at) =>
      expect.objectContaining({ ...output, call_id: `${at + 1}` }),
    )
    expect(sent).toEqual(expected)
    expect(handled).toEqual([...expected, null])
  })

  test('in the automatic function calls of Google', async () => {
    expect(await said('gemini')).toEqual({
      tools: ['read_file', 'write_file', 'replace', 'list_directory', 'glob', 'run_shell_command'],
      responses: [
        ['read_file', { output: 'one\n' }],
        [
          'replace',
          { output: 'Successfully modified file: /a.txt (1 replacements). Here is the updated code:\nONE\n' },
        ],
        ['replace', { error: 'File not found: none' }],
        ['run_shell_command', { output: 'Output: ONE\n' }],
      ],
      final: 'done',
    })
  })
})

/** What the program of that name prints; its modules find the packages, and the built polyfs. */
async function said(name: string): Promise<Record<string, unknown>> {
  const place = await mkdtemp(join(tmpdir(), 'polyfs-native-'))
  onTestFinished(() => rm(place, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 }))
  await cp(join(folder, 'native'), place, { recursive: true })
  await mkdir(join(place, 'node_modules'))
  for (const scope of ['@anthropic-ai', '@openai', '@google']) {
    await symlink(join(modules, scope), join(place, 'node_modules', scope), 'junction')
  }
  await symlink(project, join(place, 'node_modules/polyfs'), 'junction')
  const { stdout } = await run(process.execPath, [`${name}.mjs`], { cwd: place })
  return JSON.parse(stdout)
}
