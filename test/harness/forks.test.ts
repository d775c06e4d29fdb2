/** A fork goes on as the original would have: the same calls give the same transcript. */
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { openEpisode } from '../../harness/episode/episode.js'
import type { Episode } from '../../harness/types.js'
import { emulatedShell } from '../../node/shell/emulated-shell.js'
import { clarvis } from '../../src/dialects/clarvis/tools.js'
import { fileEditor } from '../../src/dialects/file-editor/tools.js'
import { polyfs } from '../../src/dialects/polyfs/tools.js'
import { deleteEntry } from '../../src/ops/delete-entry.js'
import { ToolProtocolError } from '../../src/tools/call-tool.js'
import { built } from '../node/cli/built.js'
import { scaled } from '../scale.js'

type Call = readonly [tool: string, args: Record<string, unknown>]

const shell = emulatedShell({ worker: built('node/emulated-worker.js') })
const long = Array.from({ length: 400 }, (_, index) => `line ${index}`).join('\n')
const files = { 'a.txt': 'one\ntwo\nthree\n', 'dir/b.txt': 'b\n', 'dir/long.txt': long }
const opened: Episode[] = []

afterAll(async () => {
  for (const episode of opened) await episode.close()
})

const path = fc.constantFrom('a.txt', 'dir/b.txt', 'dir/new.txt', 'dir/long.txt', 'x/y.txt')
const words = fc.constantFrom('one', 'two', 'b', 'line 7', '')

/** Calls that leave something for later calls: history, sessions, scratch space, cursors, the clock and randomness. */
const calls = {
  polyfs: fc.oneof(
    fc.record({ path }).map((args): Call => ['read_file', args]),
    fc.record({ path, content: words }).map((args): Call => ['write_file', args]),
    fc
      .record({ path, edits: fc.tuple(fc.record({ old: words, new: words })) })
      .map((args): Call => ['edit_file', args]),
    fc.record({ from: path, to: path }).map((args): Call => ['move', args]),
    fc.record({ action: fc.constantFrom('list', 'undo', 'diff') }).map((args): Call => ['history', args]),
    fc.record({ pattern: words }).map((args): Call => ['grep', args]),
    fc
      .record({
        command: fc.constantFrom(
          'pwd; echo $x',
          'cd dir',
          'export x=$RANDOM',
          'date; mktemp',
          'echo $RANDOM >> /tmp/log; cat /tmp/log',
          'ls -la . /tmp',
          'sed -i s/one/1/ a.txt',
          'git init -q; git add -A; git -c user.name=a -c user.email=a@b commit -qm x; git log | cat',
        ),
        session: fc.constantFrom('s', 't'),
      })
      .map((args): Call => ['bash', args]),
  ),
}

async function make(episode: Episode, [tool, args]: Call): Promise<void> {
  try {
    await episode.tools.call(tool, args)
  } catch (error) {
    if (!(error instanceof ToolProtocolError)) throw error
  }
}

test('the same calls give the same transcript in the original, in its fork and in a fork of that', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(calls.polyfs, { maxLength: 6 }),
      fc.array(calls.polyfs, { minLength: 1, maxLength: 6 }),
      async (before, after) => {
        const original = await openEpisode({ files, shell, dialect: polyfs })
        opened.push(original)
        for (const call of before) await make(original, call)
        const fork = original.fork()
        const second = fork.fork()
        // What one does must not be seen by the others.
        await make(second, ['write_file', { path: 'a.txt', content: 'other' }])
        const third = original.fork()
        for (const episode of [original, fork, third]) {
          for (const call of after) await make(episode, call)
        }
        expect(fork.trace.toJsonl().replace(/"wallMs":\d+/g, '')).toBe(
          original.trace.toJsonl().replace(/"wallMs":\d+/g, ''),
        )
        expect(third.trace.transcriptHash()).toBe(original.trace.transcriptHash())
        expect(await fork.changes()).toEqual(await original.changes())
      },
    ),
    { numRuns: scaled(60) },
  )
})

test('answers in pages go on in a fork, by the same cursor', async () => {
  const original = await openEpisode({ files, dialect: polyfs })
  const contents = Array.from({ length: 200 }, (_, index) => ({ path: `p${index}.txt`, content: 'x' }))
  await original.tools.call('git', { action: 'init' })
  await original.tools.call('write_file', { files: contents })
  const args = { action: 'add', max_tokens: 256 }
  const { facts } = await original.tools.call('git', args)
  expect(facts?.cursor).toEqual(expect.any(String))
  const fork = original.fork()
  for (const one of [original, fork]) await one.tools.call('git', { ...args, cursor: facts?.cursor })
  expect(fork.trace.transcriptHash()).toBe(original.trace.transcriptHash())
  expect(fork.trace.events.at(-1)).not.toMatchObject({ result: { isError: true } })
})

test('a directory that the agent has chosen is the same in a fork, also when it is gone', async () => {
  for (const dialect of [fileEditor, clarvis]) {
    const original = await openEpisode({ files, dialect })
    const calls: Call[] = dialect.tools.map(({ name }) => [name, { path: 'b.txt', file_path: 'b.txt' }])
    if (dialect === fileEditor) await make(original, ['set_workspace', { path: '/dir' }])
    await original.workspace.run(deleteEntry, { path: '/dir', recursive: true })
    const fork = original.fork()
    for (const episode of [original, fork]) for (const call of calls) await make(episode, call)
    expect(fork.trace.transcriptHash()).toBe(original.trace.transcriptHash())
  }
})
