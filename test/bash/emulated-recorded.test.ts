/** The scripts of test/data/shell/scripts, compared with what GNU bash and its programs made of them. */
import { emulatedShell } from '../../node/shell/emulated-shell.js'
import { createWorkspace } from '../../src/workspace/create-workspace.js'
import known from '../data/shell/known-differences.json' with { type: 'json' }
import recorded from '../data/shell/recorded.json' with { type: 'json' }
import { built } from '../node/cli/built.js'
import { corpusDirectory, corpusEnvironment, corpusOf, describeCorpus, partOf } from '../shell-corpus.js'

const shell = emulatedShell({ worker: built('node/emulated-worker.js') })

describeCorpus('of each area in a thread', partOf(corpusOf(recorded, known.recorded)), async (command, fs) => {
  const workspace = createWorkspace({ fs, shell })
  const request = { command, cwd: corpusDirectory, env: corpusEnvironment, timeoutMs: 120_000, maxStreamBytes: 1 << 26 }
  const ran = await workspace.shell?.exec(request)
  if (ran === undefined) throw new Error('the workspace has no shell')
  return { stdout: ran.stdout.bytes, stderr: ran.stderr.bytes, exitCode: ran.exitCode }
})
